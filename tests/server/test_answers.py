"""How answers go out: in slices, and not for ever to clients who do not take them."""

from __future__ import annotations

import asyncio

import pytest

from tests.server.serving import FakeParser, serving
from tests.waiting import HANGING
from treewright.server.errors import ServiceError
from treewright.server.jobs import Job, Plan, Workers
from treewright.server.service import GRACE, SLICE, Answer

LATE = ServiceError("timeout", "too late", limit=1)


def giving(plan, send):
    """Give an answer to a client who takes it by ``send``, and return what is left to be done, and what was sent."""
    sent = []

    async def noting(message):
        sent.append(message)
        await send(message)

    async def inside(work):
        workers = Workers(1)
        try:
            async with asyncio.timeout(HANGING):
                return await work(Answer(workers.put(Job(lambda: plan, 1 << 30)), noting))
        finally:
            workers.close()

    return inside, sent


async def take(message):
    """Take whatever comes."""


async def never(message):
    """Take the head of an answer, and no part of its body."""
    if message["type"] == "http.response.body":
        await asyncio.Event().wait()


def bodies(sent):
    return [message.get("body", b"") for message in sent if message["type"] == "http.response.body"]


@pytest.mark.parametrize("size", [0, 1, SLICE, SLICE + 1, 3 * SLICE])
def test_whole_answers_go_out_in_slices(size):
    text = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    inside, sent = giving(Plan([lambda: text]), take)
    asyncio.run(inside(lambda answer: answer.give()))
    assert b"".join(bodies(sent)) == text
    assert max(map(len, bodies(sent))) <= SLICE
    assert dict(sent[0]["headers"])[b"content-length"] == str(size).encode()
    assert [message.get("more_body", False) for message in sent[1:]] == [True] * (len(sent) - 2) + [False]


@pytest.mark.parametrize("is_streamed", [True, False])
def test_who_takes_nothing_is_left_when_time_is_up(is_streamed):
    plan = Plan([lambda: b"x" * SLICE] * 5, is_streamed=is_streamed)
    inside, sent = giving(plan, never)

    async def work(answer):
        giving = asyncio.create_task(answer.give())
        while not bodies(sent):
            await asyncio.sleep(0)
        giving.cancel()
        await asyncio.wait([giving])
        await answer.break_off(LATE)

    asyncio.run(inside(work))
    assert GRACE < HANGING
    assert len(bodies(sent)) == (2 if is_streamed else 1)  # a stream has tried to say why
    assert sent[-1].get("more_body", False) is not is_streamed


def test_an_answer_that_has_not_begun_is_refused():
    inside, sent = giving(Plan([lambda: b""]), take)
    with pytest.raises(ServiceError, match="too late"):
        asyncio.run(inside(lambda answer: answer.break_off(LATE)))
    assert sent == []


def test_large_answers_are_whole():
    sentence = {"words": ["x" * 1_000] * 50}
    with serving({"fake": FakeParser()}) as client:
        answer = client.parse(sentences=[sentence] * 20)
    assert len(answer.body) == int(answer.headers["content-length"]) > 10 * SLICE
    assert [len(one["words"]) for one in answer.data["sentences"]] == [50] * 20
