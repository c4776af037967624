"""An annotated file over HTTP, below ``/api/annotate``: JSON in, JSON out.

- ``GET /api/annotate``: the file, how far it is, which tags and relations there are, what retraining does
- ``GET /api/annotate/status``: how far it is, and what retraining does
- ``GET /api/annotate/queue?count=N&done=0``: the sentences that come next
- ``GET /api/annotate/sentences/I``: a sentence with the tree around what is known of it
- ``POST /api/annotate/actions``: an action (`treewright.server.annotation.actions`), or ``undo`` or ``redo``
- ``POST /api/annotate/save``, ``POST /api/annotate/retrain``
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from treewright.server.annotation.inventory import UD_RELATIONS, UD_TAGS
from treewright.server.annotation.retraining import Retraining
from treewright.server.annotation.session import Session, StaleError
from treewright.server.annotation.state import COLUMNS
from treewright.server.errors import ServiceError
from treewright.server.requests import load_json
from treewright.server.resources import to_bytes
from treewright.treebank.conllu.plain_data import to_json

if TYPE_CHECKING:
    from treewright.server.guard import Body

__all__ = ["annotation_routes", "describe_sentence"]

#: An action is no larger than this.
MOST_BYTES = 1 << 16

#: How many sentences of a queue are listed at most.
MOST_LISTED = 200

#: An arc that is less probable is marked as doubtful.
DOUBTFUL = 0.9


def annotation_routes(session: Session, retraining: Retraining) -> list[Route]:
    """Return what answers for a session."""
    root, ends = "/api/annotate", _Ends(session, retraining)
    return [
        Route(root, ends.overview, methods=["GET"]),
        Route(f"{root}/status", ends.status, methods=["GET"]),
        Route(f"{root}/queue", ends.queue, methods=["GET"]),
        Route(f"{root}/sentences/{{index}}", ends.sentence, methods=["GET"]),
        Route(f"{root}/actions", ends.actions, methods=["POST"]),
        Route(f"{root}/save", ends.save, methods=["POST"]),
        Route(f"{root}/retrain", ends.retrain, methods=["POST"]),
    ]


class _Ends:
    """What answers the requests about a session."""

    def __init__(self, session: Session, retraining: Retraining) -> None:
        self.session, self.retraining = session, retraining

    async def overview(self, request: Request) -> Response:
        return await _answer(lambda: _overview(self.session, self.retraining))

    async def status(self, request: Request) -> Response:
        return await _answer(lambda: _status(self.session, self.retraining))

    async def queue(self, request: Request) -> Response:
        count = _number(request.query_params.get("count", "50"), "count", 1, MOST_LISTED)
        done = request.query_params.get("done", "0") == "1"
        return await _answer(lambda: _queue(self.session, count, done))

    async def sentence(self, request: Request) -> Response:
        index = _number(request.path_params["index"], "sentence", 0, len(self.session.states) - 1)

        def look() -> dict[str, Any]:
            self.session.adviser.renew(index)
            return describe_sentence(self.session, index)

        return await _answer(look)

    async def actions(self, request: Request) -> Response:
        body: Body = request.scope["treewright.body"]
        action = load_json(await body.read(MOST_BYTES))
        if not isinstance(action, dict):
            raise ServiceError("bad_request", "an action is an object with names and values")

        def act() -> dict[str, Any]:
            with self.session.lock:
                steps = {"undo": self.session.undo, "redo": self.session.redo}
                step = steps.get(str(action.get("do")))
                return describe_sentence(self.session, step() if step else self.session.act(action))

        return await _answer(act)

    async def save(self, request: Request) -> Response:
        return await _answer(lambda: {"saved": self.session.save()})

    async def retrain(self, request: Request) -> Response:
        def start() -> dict[str, Any]:
            self.retraining.start()
            return self.retraining.status.to_dict()

        return await _answer(start)


def describe_sentence(session: Session, index: int) -> dict[str, Any]:
    """Describe a sentence as the page shows it: the suggested tree, what is known of it, and what is wrong with it.

    Each word has its ``status``, the columns that are ``given``, the probability ``p`` that its arc is right, and
    whether it is ``doubtful``.
    """
    with session.lock:
        state, suggestion = session.states[index], session.adviser.suggestion(index)
        described = to_json(suggestion.tree)
        chances = None if suggestion.correct is None else suggestion.correct.tolist()
        for number, word in enumerate(described["words"]):
            status = state.status[number]
            given = [name for name in COLUMNS if state.cell(number + 1, name) != "_"]  # type: ignore[arg-type]
            word |= {"status": status, "given": given, "doubtful": False}
            if chances is not None:
                word |= {"p": round(chances[number], 4), "doubtful": status == "_" and chances[number] < DOUBTFUL}
        return {
            **described,
            "sentence": index,
            "version": session.adviser.version(index),
            "done": state.is_done,
            "doubt": session.adviser.doubt(index),
            "findings": [finding.to_dict() for finding in session.findings(index)],
            **_steps(session),
        }


def _steps(session: Session) -> dict[str, Any]:
    return {"can_undo": session.can_undo, "can_redo": session.can_redo, "progress": session.progress()}


def _status(session: Session, retraining: Retraining) -> dict[str, Any]:
    about = retraining.status.to_dict() | {"every": retraining.every}
    return {"saved": session.is_saved, "retraining": about, **_steps(session)}


def _overview(session: Session, retraining: Retraining) -> dict[str, Any]:
    known = session.inventory
    labels = set(session.adviser.parser.scorer.labels) if session.adviser.parser is not None else set[str]()
    return {
        "file": session.document.path,
        "output": str(session.output or session.document.path),
        "order": session.adviser.order,
        "model": None if session.adviser.parser is None else session.adviser.parser.info.get("name", ""),
        "probabilities": session.adviser.parser is not None and session.adviser.parser.has_probabilities,
        "relations": sorted((known.relations | labels | UD_RELATIONS) - {"_"}),
        "upos": sorted(known.upos | UD_TAGS),
        "xpos": sorted(known.xpos)[:2_000],
        "feats": sorted(known.feats)[:2_000],
        **_status(session, retraining),
    }


def _queue(session: Session, count: int, done: bool) -> dict[str, Any]:
    order = session.queue(done=done)
    listed = []
    for index in order[:count]:
        state = session.states[index]
        listed.append(
            {
                "sentence": index,
                "text": state.sentence.text or " ".join(state.sentence.forms),
                "words": len(state.sentence),
                "looked_at": sum(status != "_" for status in state.status),
                "doubt": session.adviser.doubt(index),
            }
        )
    return {"queue": listed, "total": len(order), "progress": session.progress()}


async def _answer(work: Callable[[], dict[str, Any]]) -> Response:
    """Work off the event loop, and answer."""

    def run() -> bytes:
        with _refusing():
            return to_bytes(work())

    return Response(await run_in_threadpool(run), 200, {"Cache-Control": "no-store"}, "application/json")


@contextmanager
def _refusing() -> Iterator[None]:
    """Tell a client that acts on an old version of a sentence what to do."""
    try:
        yield
    except StaleError as error:
        raise ServiceError("stale", str(error)) from None


def _number(text: str, name: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and least <= int(text) <= most):
        raise ServiceError("bad_request", f"{name} must be a number from {least} to {most}")
    return int(text)
