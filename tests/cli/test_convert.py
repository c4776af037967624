"""Treebanks from one format to another."""

from __future__ import annotations

import gzip
from pathlib import Path

from tests.paths import DATA
from treewright.treebank import read, read_string

TREES = DATA / "trees.mrg"


def test_brackets_become_dependencies(run):
    outcome = run("convert", TREES)
    assert (outcome.code, outcome.err) == (0, "")
    first, second = read_string(outcome.out)
    assert first.forms == ["The", "dog", "chased", "a", "cat", "today", "."]
    assert first.heads.tolist() == [2, 3, 0, 5, 3, 3, 3]
    assert first.deprels[:3] == ["NP+NN+DT", "S+VP+NP", "TOP+*+S"]
    assert second.forms == ["Who", "did", "that", "?"]


def test_rules_and_relations_are_chosen(run, tmp_path):
    (tmp_path / "last.rules").write_text("* last *\n")
    [first, _] = read_string(run("convert", TREES, "--rules", "last.rules", "--relations", "none").out)
    assert first.heads.tolist() == [2, 7, 6, 5, 6, 7, 0]
    assert set(first.deprels) == {"_"}
    assert run("convert", TREES, "--rules", "magerman").fails_with("magerman", "collins")


def test_brackets_are_simplified_and_drawn(run):
    assert run("convert", TREES, "--to", "brackets").out.splitlines()[1].startswith("(SBARQ (WHNP (WP Who)) (SQ (VP")
    assert "S─┬─NP─┬─DT" in run("convert", TREES, "--to", "constituents").out
    kept = run("convert", TREES, "--to", "brackets", "--empty", "keep").out
    assert "-NONE-" in kept


def test_files_of_any_kind(run, tmp_path):
    with gzip.open(tmp_path / "t.mrg.gz", "wb") as file:
        file.write(TREES.read_bytes())
    outcome = run("convert", "t.mrg.gz", DATA / "ewt.conllu", "--output", "all.conllu")
    assert outcome.err == "Converted 45 trees.\n"
    assert len(list(read("all.conllu"))) == 45
    assert run("convert", "-", "--from", "brackets", stdin=TREES.read_bytes()).out == run("convert", TREES).out
    assert len(read_string(run("convert", DATA / "ewt.conllu", "--to", "conllx").out, "conllx")) == 43


def test_what_is_malformed_stops_it_or_is_skipped(run):
    bad = DATA / "bad-trees" / "two-words.mrg"
    assert run("convert", bad, "--output", "o.conllu").fails_with("two-words.mrg:2:9", "second word")
    assert not Path("o.conllu").exists()
    skipped = run("convert", bad, "--on-error", "skip")
    assert len(read_string(skipped.out)) == 2
    assert "skipped 1 malformed" in skipped.err
    assert "the dog" in run("convert", bad, "--keep-spaces").out


def test_what_cannot_be_is_refused(run):
    assert run("convert", DATA / "ewt.conllu", "--to", "brackets").fails_with("no constituents")
    assert run("convert", "nowhere.mrg").fails_with("no such file")
