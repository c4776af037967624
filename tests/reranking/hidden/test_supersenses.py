"""Supersenses of inflected words."""

import pytest

from treewright.reranking.hidden import Supersenses
from treewright.reranking.hidden.supersenses import ENDINGS, IRREGULAR, detach, irregular_lemmas

VERBS = ("say", "be", "see", "saw", "find", "found", "lay", "lie", "stop", "try", "give", "call")
NOUNS = ("child", "life", "saw", "leaf", "share")
TABLE = Supersenses(
    {f"{lemma} v": (lemma,) for lemma in VERBS} | {f"{lemma} n": (lemma,) for lemma in NOUNS} | {"good a": ("good",)}
)


@pytest.mark.parametrize(
    ("form", "tag", "lemma"),
    [
        ("said", "VBD", "say"),
        ("was", "VBD", "be"),
        ("children", "NNS", "child"),
        ("Children", "NOUN", "child"),
        ("lives", "NNS", "life"),
        ("are", "VBP", "be"),
        ("'s", "VBZ", "be"),
        ("given", "VBN", "give"),
        ("better", "JJR", "good"),
        ("saw", "VBD", "see"),  # though there is a verb to saw
        ("saw", "VB", "saw"),
        ("saw", "NN", "saw"),
        ("found", "VBN", "find"),
        ("found", "VB", "found"),
        ("founded", "VBD", "found"),
        ("stopped", "VBD", "stop"),
        ("stopping", "VBG", "stop"),
        ("tried", "VBD", "try"),
        ("called", "VBD", "call"),
        ("shares", "NNS", "share"),
    ],
)
def test_inflected_words_have_the_supersenses_of_their_lemmas(form, tag, lemma):
    assert TABLE.find(form, tag) == (lemma,)


def test_a_lemma_that_is_given_comes_first():
    assert TABLE.find("lay", "VBD", "lie") == ("lie",)
    assert TABLE.find("lay", "VBD", "_") == ("lay",)


@pytest.mark.parametrize(("form", "tag"), [("said", "IN"), ("said", "NN"), ("unheard", "VBN"), ("was", "NNS")])
def test_other_words_have_none(form, tag):
    assert TABLE.find(form, tag) == ()


def test_the_list_of_irregular_forms_has_nothing_else_and_says_where_it_is_from():
    text = IRREGULAR.read_text(encoding="utf-8")
    assert "English EWT" in text
    assert "CC BY-SA 4.0" in text
    assert len(irregular_lemmas()) > 150
    for key, lemma in irregular_lemmas().items():
        form, part = key.split()
        assert part in ENDINGS
        assert lemma not in detach(form, part), key
