"""Kinds of features: chosen, cached, in a fixed order, and as docs/reranking-candidates.md shows them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.reranking.features.test_constituents import PHRASE, RULE
from tests.reranking.features.test_dependencies import TREE
from treewright.errors import UsageError
from treewright.reranking.features import (
    CLOSED_TAGS,
    KINDS,
    ConstituentTreeFeatures,
    DependencyTreeFeatures,
    extraction,
)

TEXT = Path("docs/reranking-candidates.md").read_text("utf-8")


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"closed-class"}))
def test_one_kind_alone_is_its_part_of_all(kind):
    alone = ConstituentTreeFeatures(kinds=[kind])(RULE)
    assert alone
    plain = ConstituentTreeFeatures(kinds=set(KINDS) - {"closed-class"})(RULE)
    assert sorted(alone) == sorted(name for name in plain if name.partition(" ")[0] == kind)


def test_what_is_remembered_changes_nothing(monkeypatch):
    trees = [RULE, PHRASE, RULE]
    features = ConstituentTreeFeatures()
    usual = [features(tree) for tree in trees]
    monkeypatch.setattr(extraction, "REMEMBERED", 1)
    forgetful = ConstituentTreeFeatures()
    assert [forgetful(tree) for tree in trees] == usual
    assert len(forgetful.extractor._of_rules) == 1


def test_an_unknown_kind_is_refused():
    with pytest.raises(UsageError, match="there is no kind of feature 'rules'; the kinds are rule, bigram"):
        ConstituentTreeFeatures(kinds=["rules"])


def test_closed_classes_do_not_include_open_ones():
    assert CLOSED_TAGS.isdisjoint(["NN", "NNS", "NNP", "VB", "VBD", "JJ", "RB", "CD", "NOUN", "VERB", "ADJ", "ADV"])


def test_the_order_does_not_depend_on_hash_seeds():
    code = (
        "from treewright.reranking.features import ConstituentTreeFeatures as F;"
        "from treewright.treebank import ConstituentTree as T;"
        f"print(F()(T.from_string({str(RULE)!r})))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_every_example_is_a_feature():
    rows = [line for line in TEXT.splitlines() if line.startswith("| `")]
    quoted = re.findall("`([^`]+)`", "\n".join(rows))
    examples = [text for text in quoted if " " in text and text.partition(" ")[0] in KINDS]
    features = ConstituentTreeFeatures()
    there = {*features(RULE), *features(PHRASE), *DependencyTreeFeatures()(TREE)}
    assert [example for example in examples if example not in there] == []
    assert len(examples) > 25


def test_every_kind_has_a_row_in_both_tables():
    for kind in KINDS:
        rows = [line for line in TEXT.splitlines() if line.startswith("| `") and f"`{kind}`" in line.split("|")[1]]
        assert len(rows) == 2, kind
