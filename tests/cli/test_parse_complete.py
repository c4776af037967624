"""Drafts and doubtful tags, on the command line."""

from __future__ import annotations

import itertools
import json

import pytest

from treewright.treebank import read_string, write

DRAFT = """\
# text = Old men sleep
1\tOld\told\tADJ\t_\t_\t2\t_\t_\t_
2\tmen\t_\t_\tNNS\t_\t_\tnsubj\t_\t_
3\tsleep\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No

"""


@pytest.fixture
def run(run, text_parser, ewt, tmp_path):
    """Run with a small model and a draft at hand."""
    text_parser.save(tmp_path / "tiny.tw")
    (tmp_path / "draft.conllu").write_text(DRAFT)
    write([s for s in ewt if len(s) in (4, 5, 6)], tmp_path / "in.conllu")
    return lambda *arguments: run(*arguments, "--model", "tiny.tw", "--workers", 1)


def test_a_draft_is_completed(run):
    outcome = run("parse", "draft.conllu", "--complete")
    assert outcome.code == 0
    before = [line.split("\t") for line in DRAFT.splitlines()[1:-1]]
    after = [line.split("\t") for line in outcome.out.splitlines()[1:-1]]
    for old, new in zip(before, after, strict=True):
        assert all(cell in ("_", other) for cell, other in zip(old, new, strict=True))
        assert "_" not in [new[column] for column in (2, 3, 4, 6, 7)]


def test_heads_and_tags_are_kept_by_themselves(run):
    [heads] = read_string(run("parse", "draft.conllu", "--fix-heads").out)
    assert (heads.heads[0], heads.deprels[1]) == (2, "nsubj")
    [tags] = read_string(run("parse", "draft.conllu", "--keep-tags").out)
    assert (tags.upos[0], tags.xpos[1]) == ("ADJ", "NNS")
    assert "_" not in tags.upos


def test_text_has_no_cells_to_keep(run):
    assert run("parse", "--text", "Go.", "--complete").fails_with("--complete needs a draft")
    assert run("parse", "--text", "Go.", "--fix-heads").fails_with("--fix-heads needs heads")
    assert run("parse", "--text", "Go.", "--obey").fails_with("--obey needs comments")


def test_tags_are_left_in_doubt(run):
    for options in ((), ("--confidence",), ("--k-best", 5)):
        outcome = run("parse", "in.conllu", "--joint-tags", 4, "--to", "json", *options)
        assert outcome.code == 0
    trees = [json.loads(line) for line in outcome.out.splitlines()]
    assert [tree["tree"] for tree in trees[:5]] == [1, 2, 3, 4, 5]
    assert all(one["tree_p"] >= other["tree_p"] for one, other in itertools.pairwise(trees[:5]))
    assert run("parse", "in.conllu", "--joint-tags", 4, "--exact").fails_with("--exact and --joint-tags")
    assert run("parse", "in.conllu", "--joint-tags", -1).fails_with("--joint-tags", code=2)
