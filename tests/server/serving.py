"""A service in this process, and somebody who asks it over a real connection."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import uvicorn

from tests.waiting import HANGING, wait_until
from treewright.parsing import Ranked, TreeParser
from treewright.server.app import make_app
from treewright.server.settings import ServerSettings
from treewright.treebank import Sentence


@dataclass
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        return f"{self.status} {self.data['error']['code']}"


class Client:
    """Asks one service."""

    def __init__(self, port: int, app: Any) -> None:
        self.port, self.service = port, app.state.service

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANGING)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        connection = self.connect()
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, **headers)

    def post(self, path: str, data: Any, **headers: str) -> Answer:
        return self.ask("POST", path, json.dumps(data).encode(), **headers)

    def parse(self, **data: Any) -> Answer:
        return self.post("/api/parse", data)

    def later(self, path: str = "/api/parse", **data: Any) -> Later:
        return Later(self, path, data)


class Later:
    """A request that is on its way."""

    def __init__(self, client: Client, path: str, data: Any) -> None:
        self._found: list[Answer] = []
        self._thread = threading.Thread(target=lambda: self._found.append(client.post(path, data)))
        self._thread.start()

    def result(self) -> Answer:
        self._thread.join(HANGING)
        return self._found[0]


@contextmanager
def serving(
    models: dict[str, Any], *, prepare: Any = None, then: Any = None, more: Any = (), **settings: Any
) -> Iterator[Client]:
    """Serve models at a free port."""
    settings.setdefault("threads", 2)
    app = make_app(models, ServerSettings(**settings), prepare=prepare, then=then, more=more)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    server = uvicorn.Server(uvicorn.Config(app, lifespan="on", ws="none", log_config=None, access_log=False))
    server.capture_signals = _nothing  # type: ignore[method-assign]
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])))
    thread.start()
    try:
        assert wait_until(lambda: server.started)
        yield Client(listening.getsockname()[1], app)
    finally:
        server.should_exit = True
        thread.join(HANGING)
        listening.close()


@contextmanager
def _nothing() -> Iterator[None]:
    yield


class FakeParser(TreeParser[Sentence]):
    """Makes the first word the root and the head of all others; waits before each sentence until it may go on."""

    KIND: ClassVar[str] = "fake"
    MAX_WORDS: ClassVar[int] = 1_000

    def __init__(self, blocked: bool = False) -> None:
        self.info, self.begun, self.go = {"language": "en"}, 0, threading.Event()
        if not blocked:
            self.go.set()

    trees_found = "dependencies"

    def parse_sentence(self, sentence: Sentence, *, keep_tags: bool = False) -> Sentence:
        self.begun += 1
        assert self.go.wait(HANGING)
        if "break" in sentence.forms:
            raise RuntimeError("the secret of the inside")
        return sentence.replace(heads=[0] + [1] * (len(sentence) - 1), deprels=["dep"] * len(sentence))

    def k_best(self, sentence: Sentence, k: int, *, keep_tags: bool = False) -> list[Ranked[Sentence]]:
        raise AssertionError("it has no probabilities")

    def describe(self) -> Any:
        raise AssertionError("it is not saved")

    restore = describe  # type: ignore[assignment]
