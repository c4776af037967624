"""What sentences look like on the way out."""

import json

from treewright.cli.formats import FORMATS
from treewright.treebank import Sentence


def sentence(*comments):
    return Sentence.from_forms(["Go"], heads=[0], deprels=["root"], comments=list(comments))


def test_the_text_above_a_drawing_has_no_control_codes():
    picture = FORMATS["tree"](sentence("# text = Go\x1b[31m\u202e"))
    assert picture.startswith("Go\ufffd[31m\ufffd\n")


def test_numbers_that_json_has_not_are_left_out():
    line = FORMATS["json"](sentence("# probability = nan", "# tree = 1"))
    assert json.loads(line, parse_constant=AssertionError) == {
        "tree": 1,
        "words": [{"id": 1, "form": "Go", "head": 0, "deprel": "root"}],
    }


def test_probabilities_are_numbers_in_json():
    doubtful = sentence("# probability = 0.4", "# expected_errors = 1.30").replace(
        misc=["SpaceAfter=No|Confidence=0.97|LabelConfidence=0.99|TagConfidence=1.0|Rivals=0:dep:0.01"]
    )
    described = json.loads(FORMATS["json"](doubtful))
    assert (described["tree_p"], described["expected_errors"]) == (0.4, 1.3)
    [word] = described["words"]
    assert (word["head_p"], word["label_p"], word["tag_p"]) == (0.97, 0.99, 1.0)
    assert word["alternatives"] == [{"head": 0, "deprel": "dep", "p": 0.01}]
    assert word["misc"] == "SpaceAfter=No"
    assert "(probability 0.4, 1.3 errors expected)" in FORMATS["tree"](doubtful)
