"""What words like a word say about its tags."""

import numpy as np

from treewright.constituency.pcfg.lexicon import TRUSTED, Lexicon, word_classes


def test_unknown_words_take_the_tags_of_words_like_them():
    seen = {("walking", 0): 1, ("talking", 0): 1, ("Peter", 1): 1, ("Mary", 1): 1, ("of", 2): 2 * TRUSTED}
    lexicon = Lexicon.count(["V", "N", "P"], seen)
    given_tag = lexicon.scores(["sleeping", "Harry", "of"], [None, None, None]) + np.log(
        [2, 2, 2 * TRUSTED]
    )  # proportional to P(tag | word)
    assert given_tag.argmax(1).tolist() == [0, 1, 2]
    assert np.isfinite(given_tag[0]).tolist() == [True, True, False]  # the class of rare words has no P
    assert np.isfinite(given_tag[2]).tolist() == [False, False, True]


def test_classes_go_from_wide_to_narrow():
    assert word_classes("x") == ["", "a", "a~x"]
    assert word_classes("1990s")[1] == "a0"
    assert word_classes("--")[1] == "-."
