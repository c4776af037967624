"""The command that annotates: what it refuses, and a run from its first line to its last."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tests.paths import DATA
from treewright.treebank import read


def test_what_cannot_be_annotated_is_one_line(run, tmp_path):
    file = tmp_path / "ewt.conllu"
    file.write_bytes((DATA / "ewt.conllu").read_bytes())
    (tmp_path / "empty.conllu").write_text("")
    (tmp_path / "bad.conllu").write_text("1\tGo\n\n")
    assert run("annotate", "none.conllu").fails_with("none.conllu")
    assert run("annotate", "empty.conllu", "--model", "none").fails_with("no sentences")
    assert run("annotate", "bad.conllu", "--model", "none").fails_with("bad.conllu:1:")
    assert run("annotate", file, "--model", "no-such").fails_with("no-such")
    assert run("annotate", file, "--model", "en-constituents").fails_with("no model of dependencies")
    assert run("annotate", file, "--host", "0.0.0.0").fails_with("--token")
    assert run("annotate", file, "--output", "no/such.conllu").fails_with("no folder")
    assert run("annotate", file, "--train", "none.conllu").fails_with("none.conllu")
    assert run("annotate", file, "--order", "luck").fails_with("luck", code=2)
    assert run("annotate", file, "--retrain", "-1").fails_with("--retrain", code=2)
    (tmp_path / "ewt.conllu.journal").write_text("something else\n")
    assert run("annotate", file, "--model", "none").fails_with("ewt.conllu.journal", "line 1")
    (tmp_path / "ewt.conllu.journal").unlink()
    assert file.read_bytes() == (DATA / "ewt.conllu").read_bytes()


def test_from_the_first_line_to_the_last(tmp_path):
    file, output = tmp_path / "ewt.conllu", tmp_path / "out.conllu"
    file.write_bytes((DATA / "ewt.conllu").read_bytes())
    command = [sys.executable, "-m", "treewright", "annotate", str(file), "--model", "none", "--port", "0"]
    environment = {**os.environ, "TREEWRIGHT_TOKEN": "secret"}
    process = subprocess.Popen([*command, "--output", str(output)], stderr=subprocess.PIPE, text=True, env=environment)
    lines = [process.stderr.readline()]
    address = re.search(r"http://127\.0\.0\.1:\d+/", lines[0])
    assert re.search(r"0 of \d+ sentences done", lines[0])
    action = json.dumps({"sentence": 0, "do": "upos", "word": 1, "upos": "X"}).encode()
    where = f"{address.group()}api/annotate/actions"
    request = urllib.request.Request(where, action, {"Authorization": "Bearer secret"})
    with urllib.request.urlopen(request) as answer:
        assert json.load(answer)["words"][0]["upos"] == "X"
    with urllib.request.urlopen(f"{address.group()}page/annotate.html") as page:
        assert b"annotate.js" in page.read()
    process.send_signal(signal.SIGTERM)
    with process.stderr:
        lines += process.stderr.readlines()
    assert process.wait() == 0
    assert lines[-1] == f"Saved {output}.\n"
    assert next(read(output)).upos[0] == "X"
    assert file.read_bytes() == (DATA / "ewt.conllu").read_bytes()
