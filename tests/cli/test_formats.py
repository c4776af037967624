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
