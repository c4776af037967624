"""The examples in docs/reranking-candidates.md are features of the trees that it speaks of."""

import re
from pathlib import Path

from tests.reranking.features.test_constituents import PHRASE, RULE
from tests.reranking.features.test_dependencies import TREE
from treewright.reranking.features import KINDS, ConstituentTreeFeatures, DependencyTreeFeatures

TEXT = Path("docs/reranking-candidates.md").read_text("utf-8")


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
