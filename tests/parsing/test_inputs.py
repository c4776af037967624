"""What can be handed to a parser, and what is refused."""

import numpy as np
import pytest

from treewright.parsing.inputs import sentences_of
from treewright.treebank import Sentence

TREES = Sentence.from_forms(["Trees", "grow"], upos=["NOUN", "VERB"])


def forms(text):
    return [list(sentence.forms) for sentence in sentences_of(text, "en")[0]]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("Trees grow. They do.", [["Trees", "grow", "."], ["They", "do", "."]]),
        ("", []),
        ([], []),
        (["Trees", "grow"], [["Trees", "grow"]]),
        (("Trees", "grow"), [["Trees", "grow"]]),
        (iter(["Trees", "grow"]), [["Trees", "grow"]]),
        (np.array(["Trees", "grow"]), [["Trees", "grow"]]),
        ([["The", "dog"], ["barks"]], [["The", "dog"], ["barks"]]),
        ([["The", "dog"], []], [["The", "dog"], []]),
        (TREES, [["Trees", "grow"]]),
        ([TREES, TREES], [["Trees", "grow"]] * 2),
        ([TREES, ["They", "do"]], [["Trees", "grow"], ["They", "do"]]),
    ],
)
def test_text_words_and_sentences(given, expected):
    assert forms(given) == expected


def test_only_sentences_may_have_tags():
    for given, expected in ((TREES, True), (iter([TREES]), True), ("Trees grow.", False), (["Trees"], False)):
        assert sentences_of(given, "en")[1] is expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "cannot parse None: give text"),
        (b"The dog.", "cannot parse bytes: .* decode them first"),
        (3.5, "cannot parse float"),
        ({"text": "The dog."}, "cannot parse dict"),
        ({"The", "dog"}, "cannot parse set"),
        (["The", None], "cannot parse None in a list of words"),
        ([None], "cannot parse None in a list"),
        ([["The", None]], "cannot parse None in a list of words"),
        ([[b"The"]], "cannot parse bytes in a list of words"),
        (["The dog barks.", "It sleeps."], r"'The dog barks.' has white space .* parser.pipe\(texts\)"),
        ([["The dog barks.", "It sleeps."]], "white space"),
    ],
)
def test_anything_else_is_one_clear_type_error(given, message):
    with pytest.raises(TypeError, match=message) as error:
        sentences_of(given, "en")
    assert "\n" not in str(error.value)
