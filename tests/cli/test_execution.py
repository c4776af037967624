"""Commands on many workers: the same output, and going on after a crash."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import DATA
from tests.waiting import wait_until
from treewright.treebank import write

EWT = DATA / "ewt.conllu"


#: The command ``treewright``, with shards of as many words as its first argument says.
WITH_SHARDS = """
import sys
import treewright.cli, treewright.parsing.parser
treewright.parsing.parser.SHARD_WORDS = int(sys.argv.pop(1))
treewright.cli.main()
"""


@pytest.fixture
def parse(tmp_path, ewt, text_parser, short_shards):
    """The command that parses twelve shards of sentences."""
    corpus, model = tmp_path / "corpus.conllu", tmp_path / "model.tw"
    write(ewt * 5, corpus)
    text_parser.save(model)
    return ["parse", str(corpus), "--model", str(model)]


def test_workers_change_nothing_in_a_corpus(run, parse):
    one, two = (run(*parse, "--workers", workers, "--to", "json").out for workers in (1, 2))
    assert one.count("\n") == 5 * 43
    assert one == two


def test_a_run_that_was_killed_goes_on(run, parse, tmp_path, short_shards):
    kept = tmp_path / "kept"
    command = [*parse, "--output", str(tmp_path / "out.conllu"), "--resume", str(kept)]
    corpus = tmp_path / "corpus.conllu"
    text = corpus.read_bytes()
    corpus.unlink()
    os.mkfifo(corpus)  # it cannot finish as long as more may come
    process = subprocess.Popen([sys.executable, "-c", WITH_SHARDS, str(short_shards), *command, "--workers", "2"])
    with corpus.open("wb") as file:
        file.write(text)
        file.flush()
        assert wait_until(lambda: len(list(kept.glob("*.shard"))) >= 2)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    corpus.unlink()
    corpus.write_bytes(text)
    assert not (tmp_path / "out.conllu").exists()
    assert len(list(kept.glob("*.shard"))) >= 2
    outcome = run(*command)
    assert outcome.code == 0
    assert not kept.exists()
    assert (tmp_path / "out.conllu").read_text() == run(*parse).out


def test_an_error_keeps_what_was_done(run, parse, tmp_path):
    with (tmp_path / "corpus.conllu").open("a") as file:
        file.write("1\tbroken\n\n")
    assert run(*parse, "--resume", "kept", "--output", "out.conllu").fails_with("corpus.conllu:")
    assert len(list((tmp_path / "kept").glob("*.shard"))) == 11  # and not the last, which is not complete
    assert not (tmp_path / "out.conllu").exists()


def test_gradients_on_processes_give_the_same_model(run, tmp_path):
    options = ["--dev", EWT, "--tags", "gold", "--learner", "log-linear", "--optimizer", "l-bfgs", "--epochs", 2]
    for workers in (1, 2):
        assert run("train", EWT, *options, "--output", f"{workers}.tw", "--name", "m", "--workers", workers).code == 0
    assert (tmp_path / "1.tw").read_bytes() == (tmp_path / "2.tw").read_bytes()


def test_bad_requests_are_one_line(run, monkeypatch):
    (Path.cwd() / "file").touch()
    assert run("parse", EWT, "--resume", "file").fails_with("cannot keep finished shards in file")
    train = ["train", EWT, "--dev", EWT, "--output", "m.tw"]
    assert run(*train, "--workers", 2).fails_with("--optimizer l-bfgs")
    assert run(*train, "--cluster", "auto").fails_with("--optimizer l-bfgs")
    monkeypatch.setitem(sys.modules, "ray", None)
    assert run("parse", EWT, "--cluster", "auto").fails_with("pip install 'treewright[cluster]'")
