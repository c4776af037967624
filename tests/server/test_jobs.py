"""Threads and turns: every piece is done once, results are in order, and nobody is kept waiting."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tests.waiting import HANGING
from treewright.server.errors import ServiceError
from treewright.server.jobs import Job, Plan, Workers


def run(work, threads=2):
    """Run a coroutine with workers."""

    async def inside():
        workers = Workers(threads)
        try:
            async with asyncio.timeout(HANGING):
                return await work(workers)
        finally:
            workers.close()

    return asyncio.run(inside())


def pieces_of(texts, done=None):
    def piece(text):
        def work():
            if done is not None:
                done.append(text)
            return text.encode()

        return work

    return [piece(text) for text in texts]


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_answers_are_put_together_in_order(threads):
    texts = [str(number) for number in range(500)]

    async def work(workers):
        done = []
        job = workers.put(Job(lambda: Plan(pieces_of(texts, done), "", b"<", b",", b">"), 10_000))
        assert await job.whole() == f"<{','.join(texts)}>".encode()
        assert sorted(done) == sorted(texts)
        job = workers.put(Job(lambda: Plan(pieces_of(texts)), 10_000))
        assert [part.decode() async for part in job.parts()] == texts

    run(work, threads)


def test_a_plan_without_pieces_is_an_answer():
    async def work(workers):
        return await workers.put(Job(lambda: Plan([], "", b"<", b",", b">"), 10)).whole()

    assert run(work) == b"<>"


def test_a_short_job_passes_a_long_one():
    done, begun, go = [], threading.Event(), threading.Event()

    def first():
        begun.set()
        assert go.wait(HANGING)
        return b""

    async def work(workers):
        long = workers.put(Job(lambda: Plan([first, *pieces_of("abcdefgh", done)]), 100))
        await asyncio.to_thread(begun.wait, HANGING)
        short = workers.put(Job(lambda: Plan(pieces_of("!", done)), 100))
        go.set()
        await asyncio.gather(long.whole(), short.whole())

    run(work, threads=1)
    assert len(done) == 9
    assert done.index("!") <= 2


def test_what_is_dropped_is_not_begun():
    done, begun, go = [], threading.Event(), threading.Event()

    def first():
        begun.set()
        assert go.wait(HANGING)
        return b""

    async def work(workers):
        job = workers.put(Job(lambda: Plan([first, *pieces_of("abc", done)]), 100))
        await asyncio.to_thread(begun.wait, HANGING)
        job.drop()
        go.set()
        await workers.put(Job(lambda: Plan(pieces_of("!", done)), 100)).whole()

    run(work, threads=1)
    assert done == ["!"]


def fail():
    raise ValueError("no")


@pytest.mark.parametrize("make_plan", [fail, lambda: Plan([fail]), lambda: Plan([*pieces_of("ab"), fail])])
def test_what_goes_wrong_is_raised(make_plan):
    async def work(workers):
        with pytest.raises(ValueError, match="no"):
            await workers.put(Job(make_plan, 100)).whole()
        assert await workers.put(Job(lambda: Plan(pieces_of("ok")), 100)).whole() == b"ok"

    run(work)


def test_what_comes_before_a_fault_is_given():
    async def work(workers):
        parts = workers.put(Job(lambda: Plan([*pieces_of("ab"), fail, *pieces_of("c")]), 100)).parts()
        assert [await anext(parts), await anext(parts)] == [b"a", b"b"]
        with pytest.raises(ValueError, match="no"):
            await anext(parts)

    run(work)


def test_large_answers_end():
    async def work(workers):
        with pytest.raises(ServiceError) as caught:
            await workers.put(Job(lambda: Plan(pieces_of(["ab"] * 100)), 11)).whole()
        assert (caught.value.code, caught.value.more) == ("answer_too_large", {"limit": 11})

    run(work)


def test_closed_workers_take_nothing():
    async def work(workers):
        workers.close()
        with pytest.raises(RuntimeError, match="closed"):
            workers.put(Job(lambda: Plan([]), 1))

    run(work)
