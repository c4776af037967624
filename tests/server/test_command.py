"""``treewright serve`` in a process of its own: how it starts, what it refuses, and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request

import pytest

from tests.waiting import HANGING, wait_until

WHOLE = "import treewright.cli; treewright.cli.main()"

#: A service whose only parser waits for a file.
WAITING = """
import pathlib, sys, time
from tests.server.serving import FakeParser
from treewright.server.app import make_app
from treewright.server.run import address_of, listen, run
from treewright.server.settings import ServerSettings

class Waiting(FakeParser):
    def parse_sentence(self, sentence, **options):
        pathlib.Path(sys.argv[1], "begun").touch()
        while not pathlib.Path(sys.argv[1], "go").exists():
            time.sleep(0.01)
        return super().parse_sentence(sentence, **options)

settings, listening = ServerSettings(seconds=300), listen("127.0.0.1", 0)
address = address_of(listening)
run(make_app({"waiting": Waiting()}, settings), settings, listening, lambda: print(f"at {address} (", file=sys.stderr))
print("ended", file=sys.stderr)
"""


class Running:
    """A process that serves."""

    def __init__(self, code, *arguments, **environment):
        command = [sys.executable, "-c", code, *map(str, arguments)]
        known = {key: value for key, value in os.environ.items() if key != "TREEWRIGHT_TOKEN"}
        environment = {**known, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment}
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, env=environment, text=True)
        self.lines = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.end()
        self.process.stderr.close()

    @property
    def said(self):
        return "".join(self.lines)

    def address(self):
        assert wait_until(lambda: " (" in self.said or self.process.poll() is not None)
        return re.search(r"(http://\S+)", self.said)[1]

    def end(self):
        code = self.process.wait(HANGING)
        self._reader.join(HANGING)
        return code


@pytest.fixture(scope="module")
def model(tmp_path_factory, text_parser):
    path = tmp_path_factory.mktemp("models") / "tiny.tw"
    text_parser.save(path)
    return path


def ask(address, path, data=None, **headers):
    body = None if data is None else json.dumps(data).encode()
    with urllib.request.urlopen(urllib.request.Request(address + path, body, headers), timeout=HANGING) as answer:
        return json.load(answer)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_service_starts_answers_and_ends(model, text_parser, number):
    arguments = ["serve", "--model", model, "--port", 0, "--access-log", "--threads", 1, "--max-words", 5]
    with Running(WHOLE, *arguments, TREEWRIGHT_TOKEN="") as service:
        address = service.address()
        assert address.startswith("http://127.0.0.1:")
        answer = ask(address, "api/parse", {"text": "The dog sleeps."})
        assert answer["model"] == "tiny"
        [tree] = text_parser.parse("The dog sleeps.")
        assert [word["head"] for word in answer["sentences"][0]["words"]] == tree.heads.tolist()
        assert ask(address, "ready") == {"ready": True}
        assert ask(address, "api/models")["limits"]["words"] == 5
        service.process.send_signal(number)
        assert service.end() == 0
        assert re.search(r'127\.0\.0\.1 "POST /api/parse" 200 \d+ bytes', service.said)
        assert service.said.splitlines()[-1] == "All requests are answered; the service has ended."
        assert "Traceback" not in service.said


def test_what_has_begun_is_finished(tmp_path):
    with Running(WAITING, tmp_path) as service:
        address, found = service.address(), []
        asking = threading.Thread(target=lambda: found.append(ask(address, "api/parse", {"text": "One two"})))
        asking.start()
        assert wait_until((tmp_path / "begun").exists)
        service.process.send_signal(signal.SIGTERM)

        def is_closed():
            with socket.socket() as other:
                return other.connect_ex(("127.0.0.1", int(address.rstrip("/").rpartition(":")[2]))) != 0

        assert wait_until(is_closed)  # nothing new is taken
        assert service.process.poll() is None
        (tmp_path / "go").touch()
        asking.join(HANGING)
        assert [word["head"] for word in found[0]["sentences"][0]["words"]] == [0, 1]
        assert service.end() == 0
        assert service.lines[-1] == "ended\n"


def refused(*arguments):
    with Running(WHOLE, "serve", *arguments) as service:
        code = service.end()
    [line] = service.lines
    assert line.startswith("treewright: error: ")
    return code, line


def test_a_taken_port_is_said_in_a_line(model):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        code, line = refused("--model", model, "--port", port)
    assert code == 1
    assert f"cannot listen at port {port} of 127.0.0.1: another program listens there" in line


def test_other_machines_need_a_token(model):
    code, line = refused("--model", model, "--host", "0.0.0.0", "--port", 0)
    assert code == 1
    assert "--token" in line
    with Running(WHOLE, "serve", "--model", model, "--host", "0.0.0.0", "--port", 0, TREEWRIGHT_TOKEN="t") as service:
        address = service.address()
        with pytest.raises(urllib.error.HTTPError, match="401"):
            ask(address, "api/models")
        assert ask(address, "api/models", Authorization="Bearer t")["default"]["dependencies"] == "tiny"


def test_models_that_are_none_are_refused(model, tmp_path):
    assert "klingon" in refused("--model", "klingon")[1]
    (tmp_path / "tiny.tw").write_bytes(model.read_bytes())
    assert "two models are called tiny" in refused("--model", model, "--model", tmp_path / "tiny.tw")[1]


def test_what_is_missing_is_said_in_a_line(monkeypatch):
    from treewright.cli.serving import refuse_without_server
    from treewright.errors import UsageError

    refuse_without_server()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r'starlette and uvicorn .*pip install "treewright\[serve\]"'):
        refuse_without_server()


def test_the_command_imports_nothing_of_the_server_before_it_is_used():
    code = "import sys, treewright, treewright.cli.app, treewright.cli.serve; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"starlette", "uvicorn", "numba", "asyncio"} & set(loaded)
