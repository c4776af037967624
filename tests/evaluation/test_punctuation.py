"""Each punctuation rule leaves out exactly its words, and looks at the gold standard alone."""

import pytest

from treewright.evaluation import evaluate, is_punctuation
from treewright.evaluation.punctuation import punctuation_mask
from treewright.treebank import Sentence

FORMS = ["``", "Pay", "-LRB-", "$", "5", "--", "%", "...", "''", "#", "、", "_"]
XPOS = ["``", "VB", "-LRB-", "$", "CD", ":", "NN", ".", "''", "#", ",", "NFP"]
UPOS = ["PUNCT", "VERB", "PUNCT", "SYM", "NUM", "PUNCT", "SYM", "PUNCT", "PUNCT", "SYM", "PUNCT", "X"]
SENTENCE = Sentence.from_forms(FORMS, xpos=XPOS, upos=UPOS, heads=[0] * len(FORMS))


@pytest.mark.parametrize(
    ("rule", "left_out"),
    [
        ("keep", []),
        ("ud", ["``", "-LRB-", "--", "...", "''", "、"]),
        ("penn", ["``", "--", "...", "''", "、"]),
        ("unicode", ["--", "%", "...", "''", "#", "、", "_"]),
    ],
)
def test_rule(rule, left_out):
    mask = punctuation_mask([SENTENCE], rule)
    assert [form for form, punctuation in zip(FORMS, mask, strict=True) if punctuation] == left_out


def test_one_character_that_is_no_punctuation_is_enough_to_stay():
    assert is_punctuation("?!")
    assert not is_punctuation(":-D")
    assert not is_punctuation("!$")


@pytest.mark.parametrize("rule", ["ud", "penn"])
def test_tags_of_the_system_do_not_matter(rule):
    blank = ["_"] * len(FORMS)
    system = SENTENCE.replace(upos=blank, xpos=blank)
    assert evaluate([SENTENCE], [system], rule).scored == evaluate([SENTENCE], [SENTENCE], rule).scored
