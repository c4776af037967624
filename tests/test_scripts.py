"""What scripts do to data, on examples made by hand."""

import pytest

from tests.test_documentation import load_script
from treewright.treebank import ConstituentTree


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        ("( (ROOT (S (NP-SBJ (NN Rain)) (VP (VBZ falls)))))", "(S (NP (NN Rain)) (VP (VBZ falls)))"),
        ("( (HEADING (NP (NML (NN cell) (NN cycle)) (NNS genes))))", "(NP (NN cell) (NN cycle) (NNS genes))"),
        ("( (CAPTION (CIT (NP (NN Figure))) (NP (CD 1))))", "(FRAG (NP (NN Figure)) (NP (CD 1)))"),
        ("( (ROOT (UH Yes)))", "(FRAG (UH Yes))"),
    ],
)
def test_what_one_treebank_alone_annotates_is_spliced(tree, expected):
    spliced = load_script("open_english_trees").spliced
    assert str(spliced(ConstituentTree.from_string(tree))) == expected
