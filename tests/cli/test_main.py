"""How commands end."""

import os
import subprocess
import sys

import pytest

from tests.paths import DATA


def test_a_reader_that_has_had_enough_is_no_error():
    reading, writing = os.pipe()
    os.close(reading)  # so that whatever is written fails
    command = [sys.executable, "-m", "treewright", "convert", str(DATA / "ewt.conllu")]
    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_a_reader_that_has_had_enough_ends_a_parse_that_would_go_on_forever():
    command = [sys.executable, "-m", "treewright", "parse", "--workers", "2", "--to", "conllu", "--quiet"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        for _ in range(3):  # output comes before the end of input, which never comes
            process.stdin.write(b"The dog sleeps.\n\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"# text = The dog sleeps.\n"
            while process.stdout.readline() != b"\n":
                pass
        process.stdout.close()
        process.stdin.write(b"It dreams.\n\n")
        process.stdin.flush()
        assert process.wait(300) == 0  # while its input is still open
        assert b"rror" not in process.stderr.read()


def test_commands_without_arguments_show_their_help(run):
    for command in ([], ["rerank"], ["constituents"]):
        outcome = run(*command)
        assert (outcome.code, outcome.err) == (0, "")
        assert f"Usage: {' '.join(['treewright', *command])}" in outcome.out


def test_compiling_is_said_once_and_says_what_for(run, monkeypatch, tmp_path):
    monkeypatch.undo()  # the fixture says that everything has been compiled
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("treewright.kernels._CACHE", tmp_path)
    said = "Compiling for treewright parse (projective arc trees), once on this machine"
    assert run("parse", "--text", "Go", "--quiet").err.count(said) == 1
    assert run("parse", "--text", "Go", "--quiet").err == ""
    assert run("parse", "--text", "Go", "--confidence", "--quiet").err.startswith(
        "Compiling for treewright parse --confidence (projective arc trees)"
    )


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no terminals")
def test_on_a_terminal_each_line_is_parsed_when_it_is_typed():
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "treewright", "parse", "--to", "conllu"]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""
    for line in (b"The dog sleeps.", b"It dreams."):
        os.write(ours, line + b"\n")
        while b"# text = " + line not in seen:
            seen += os.read(ours, 4_096)
    os.write(ours, b"\x04")
    assert process.wait(300) == 0
    os.close(ours)
    assert b"a paragraph on each line; end with Ctrl-D" in seen
    assert b"Parsing" not in seen  # a bar would be in the way
