"""What a model notes of its scores."""

import treewright
from tests.paths import DATA
from treewright.dependency.scores import dev_scores, raw_text_scores
from treewright.model import FROM_RAW_TEXT
from treewright.treebank import read


def test_columns_that_the_dev_set_lacks_are_not_scored():
    parser = treewright.load("en")
    gold = list(read(DATA / "ewt.conllu"))
    bare = [sentence.replace(xpos=["_"] * len(sentence)) for sentence in gold]
    assert {"UPOS", "XPOS", "LEMMAS"} <= dev_scores(parser, gold, 1).keys()
    assert dev_scores(parser, gold, 1).keys() - dev_scores(parser, bare, 1).keys() == {"XPOS"}
    from_text = [raw_text_scores(parser, some, 1)[FROM_RAW_TEXT].keys() for some in (gold, bare)]
    assert from_text[0] - from_text[1] == {"XPOS"}
