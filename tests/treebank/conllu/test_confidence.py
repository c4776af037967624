"""What a parser has noted about its doubts, read back."""

import pytest

from treewright.treebank import Sentence, expected_errors
from treewright.treebank.conllu.confidence import Rival, format_rivals, read_confidence

RIVALS = [Rival(3, "obl:agent", 0.25), Rival(0, "root", 0.125)]


def test_misc_is_taken_apart():
    misc = f"SpaceAfter=No|Confidence=0.9700|LabelConfidence=0.5|TagConfidence=1.0000|{format_rivals(RIVALS)}|Gloss=x"
    found = read_confidence(misc)
    assert found[:3] == (0.97, 0.5, 1.0)
    assert found.rivals == RIVALS
    assert found.rest == "SpaceAfter=No|Gloss=x"
    assert read_confidence("_") == (None, None, None, [], "_")
    assert read_confidence("Confidence=0.5").rest == "_"


@pytest.mark.parametrize(
    "misc", ["Confidence=high", "Confidence=2", "TagConfidence=nan", "Rivals=me", "Rivals=1:obj:x"]
)
def test_what_only_looks_like_a_probability_stays(misc):
    assert read_confidence(misc) == (None, None, None, [], misc)


def test_expected_errors():
    sentence = Sentence.from_forms(["Go"], comments=["# text = Go", "# expected_errors = 1.30"])
    assert expected_errors(sentence) == 1.3
    assert expected_errors(Sentence.from_forms([])) == 0
    for comments in ([], ["# expected_errors = many"]):
        with pytest.raises(ValueError, match="confidence=True"):
            expected_errors(sentence.replace(comments=comments))
