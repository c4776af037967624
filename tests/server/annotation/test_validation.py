"""The rules: each finds what breaks it, and nothing in treebanks that obey."""

import pytest

from treewright.server.annotation.inventory import Inventory
from treewright.server.annotation.validation import validate
from treewright.treebank import Sentence

KNOWN = Inventory(relations=frozenset({"nsubj:pass", "nsubj:outer"}), feats=frozenset({"Case=Nom", "Number=Sing"}))


def found(**columns):
    forms = [f"w{number}" for number in range(1, len(columns["heads"]) + 1)]
    columns.setdefault("deprels", ["root" if head == 0 else "dep" for head in columns["heads"]])
    return [(one.level, one.word, one.text) for one in validate(Sentence.from_forms(forms, **columns), KNOWN)]


def test_a_treebank_obeys_its_own_rules(ewt):
    known = Inventory.of(ewt)
    for sentence in ewt:
        assert not [one for one in validate(sentence, known) if one.level == "error"]


@pytest.mark.parametrize(
    ("columns", "level", "word", "text"),
    [
        ({"heads": [0, 0]}, "error", 0, "2 words are roots"),
        ({"heads": [2, 1]}, "error", 1, "form a cycle"),
        ({"heads": [2, 1]}, "error", 0, "no word is the root"),
        ({"heads": [0, 5]}, "error", 2, "no head 5"),
        ({"heads": [0, 1], "deprels": ["root", "root"]}, "error", 2, "only a word under the root"),
        ({"heads": [0, 1], "deprels": ["obj", "obj"]}, "error", 1, "a root has the relation root"),
        ({"heads": [0, 1], "deprels": ["root", "subj"]}, "error", 2, "no relation subj"),
        ({"heads": [0, 1], "deprels": ["root", "nsubj:new"]}, "warning", 2, "no nsubj:new yet"),
        ({"heads": [2, 0], "deprels": ["conj", "root"]}, "warning", 1, "its head before it"),
        ({"heads": [0, 1], "upos": ["NOUN", "Noun"]}, "error", 2, "no tag Noun"),
        ({"heads": [0], "feats": ["Case"]}, "error", 1, "Case is no feature"),
        ({"heads": [0], "feats": ["Case=Nom|Case=Acc"]}, "error", 1, "twice"),
        ({"heads": [0], "feats": ["Number=Sing|Case=Nom"]}, "warning", 1, "alphabetical"),
        ({"heads": [0], "feats": ["Case=Dat"]}, "warning", 1, "no Case=Dat yet"),
        ({"heads": [2, 0, 2], "deprels": ["nsubj", "root", "csubj"]}, "warning", 2, "2 subjects (1, 3)"),
        ({"heads": [2, 0, 2], "deprels": ["obj", "root", "obj"]}, "warning", 2, "2 objects"),
    ],
)
def test_what_breaks_a_rule(columns, level, word, text):
    assert [one for one in found(**columns) if one[:2] == (level, word) and text in one[2]]


@pytest.mark.parametrize(
    "columns",
    [
        {"heads": [0, 1], "deprels": ["root", "nsubj:pass"]},
        {"heads": [2, 0, 2], "deprels": ["nsubj:outer", "root", "nsubj"]},
        {"heads": [0, -1], "deprels": ["root", "_"]},
        {"heads": [-1, -1], "deprels": ["_", "_"]},
        {"heads": [0], "feats": ["Case=Nom|Number=Sing"], "upos": ["NOUN"]},
    ],
)
def test_what_obeys(columns):
    assert not found(**columns)
