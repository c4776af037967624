from __future__ import annotations

import gzip
import io
import lzma
import os
import re
import sys

import pytest

from treewright.cli import console
from treewright.clustering import Clusters, brown_clusters, count_bigrams

TEXT = "the dog runs\nthe cat runs\na dog sleeps\na cat sleeps\nthe dog sleeps\na cat runs\nodd\n"
PATHS = "00\ta\t3\n00\tthe\t3\n01\truns\t3\n01\tsleeps\t3\n1\tcat\t3\n1\tdog\t3\n"


def test_clusters_from_files(run, tmp_path):
    cut = TEXT.index("\n", 30) + 1
    first, rest = TEXT[:cut], TEXT[cut:]
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(first.encode()))
    (tmp_path / "b.txt.xz").write_bytes(lzma.compress(rest.encode()))
    outcome = run("cluster", "a.txt.gz", "b.txt.xz", "--clusters", 3, "--output", "my.paths")
    assert outcome.code == 0, outcome.err
    last = outcome.err.splitlines()[-1]
    assert re.fullmatch(r"Read 7 sentences \(19 words\), put 6 words into 3 clusters in \d+\.\d s: my\.paths\.", last)
    assert not outcome.out
    assert (tmp_path / "my.paths").read_text() == PATHS
    assert Clusters.read(tmp_path / "my.paths") == brown_clusters(count_bigrams(TEXT.splitlines(), 2), 3)


def test_standard_input_and_compressed_output(run, tmp_path):
    outcome = run("cluster", "-", "--clusters", 3, "--output", "my.paths.gz", "--quiet", stdin=TEXT.encode())
    assert (outcome.code, outcome.err) == (0, "")
    assert gzip.decompress((tmp_path / "my.paths.gz").read_bytes()).decode() == PATHS


def test_rare_words_are_kept_on_demand(run, tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    assert run("cluster", "a.txt", "--clusters", 4, "--min-count", 1, "--output", "all.paths").code == 0
    assert "odd" in Clusters.read(tmp_path / "all.paths")


def test_the_same_text_gives_the_same_bytes(run, tmp_path):
    (tmp_path / "a.txt").write_text(TEXT * 3)
    for name in ("one.paths", "two.paths"):
        assert run("cluster", "a.txt", "--clusters", 2, "--output", name).code == 0
    assert (tmp_path / "one.paths").read_bytes() == (tmp_path / "two.paths").read_bytes()


def test_what_cannot_be_clustered_is_one_line(run, tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "latin.txt").write_bytes(b"a b\ncaf\xe9\n")
    (tmp_path / "folder").mkdir()
    files = sorted(os.listdir(tmp_path))

    def fails(*arguments, code=1):
        corpus, words = arguments[0], arguments[1:]
        return run("cluster", corpus, "--output", "my.paths").fails_with(*words, code=code)

    assert fails("a.txt", "6 words do not make 1,000 clusters", "fewer clusters")
    assert fails("empty.txt", "no words to cluster")
    assert fails("latin.txt", "latin.txt:2: byte")
    assert fails("none.txt", "none.txt", "no such file")
    assert fails("folder", "folder", "directory")
    assert run("cluster", "a.txt", "--output", "no/such/my.paths").fails_with("no folder")
    assert run("cluster", "a.txt", "--output", "folder").fails_with("it is a directory")
    assert run("cluster", "a.txt", "--clusters", 1, "--output", "my.paths").fails_with("--clusters", code=2)
    assert run("cluster", "a.txt").fails_with("--output", code=2)
    assert run("cluster", "--output", "my.paths").fails_with("CORPUS", code=2)
    assert run("cluster", "-", "--output", "my.paths", stdin=b"\xff").fails_with("<stdin>:1:", "UTF-8")
    assert sorted(os.listdir(tmp_path)) == files


def test_time_left_is_told(monkeypatch, capsys):
    monkeypatch.setattr(console, "PAUSE", -1.0)
    with console.share_done("Clustering", quiet=False) as report:
        report(0.0)
        report(0.25)
    assert re.fullmatch(r"Clustering, 25 % done, about \d+ s left\n", capsys.readouterr().err)


def test_on_a_terminal_there_is_a_bar(run, tmp_path, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    (tmp_path / "a.txt").write_text(TEXT)
    assert run("cluster", "a.txt", "--clusters", 3, "--output", "my.paths").code == 0
    shown = sys.stderr.getvalue()
    assert "Clustering" in shown
    assert "left" in shown


def test_interrupting_leaves_no_file(run, tmp_path, monkeypatch):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    (tmp_path / "a.txt").write_text(TEXT)
    monkeypatch.setattr("treewright.clustering.brown.advance", interrupt)
    assert run("cluster", "a.txt", "--clusters", 3, "--output", "my.paths").fails_with("interrupted", code=130)
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("option", ["--clusters", "--min-count", "--output", "--quiet"])
def test_help_names_every_option(run, option, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("NO_COLOR", "1")
    assert option in run("cluster", "--help").out
