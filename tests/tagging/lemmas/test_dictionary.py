import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.tagging.lemmas.dictionary import LemmaDictionary
from treewright.tagging.lemmas.scripts import apply_script

SCRIPTS = ["!\tbe", "=\t\t", "l\t\t", "l\t\t-"]
TAGS = st.tuples(st.sampled_from(["NOUN", "VERB"]), st.sampled_from(["A", "B", "C"]))
SEEN = st.dictionaries(
    st.tuples(st.sampled_from(["Dogs", "dogs", "is", "a"]), TAGS),
    st.dictionaries(st.integers(0, 3), st.integers(1, 3), min_size=1),
)


@given(SEEN)
def test_words_have_the_script_that_they_had_most_often(seen):
    words = LemmaDictionary.of(seen, SCRIPTS)
    for word, numbers in seen.items():
        most = max(numbers.values())
        assert words.find(word) == min(number for number, count in numbers.items() if count == most)
        for number in numbers:
            assert words.has_lemma(apply_script(SCRIPTS[number], word[0]), word)


@given(SEEN, st.sampled_from(["NOUN", "VERB"]))
def test_with_new_tags_words_have_the_script_of_the_coarse_tag(seen, coarse):
    words = LemmaDictionary.of(seen, SCRIPTS)
    counts = np.zeros(len(SCRIPTS), int)
    for (form, tags), numbers in seen.items():
        if form == "dogs" and tags[0] == coarse:
            for number, count in numbers.items():
                counts[number] += count
    assert words.find(("dogs", (coarse, "NEW"))) == (counts.argmax() if counts.any() else None)


def test_what_is_known_of_other_tags_and_spellings():
    seen = {("Dogs", ("PROPN", "X")): {1: 1}, ("dogs", ("NOUN", "X")): {3: 1}, ("dogs", ("VERB", "X")): {3: 2}}
    words = LemmaDictionary.of(seen, SCRIPTS)
    assert words.others(("dogs", ("NOUN", "Y"))).split() == ["VERB3", "PROPN1"]
    assert words.others(("DOGS", ("NOUN", "Y"))).split() == ["NOUN3", "VERB3", "PROPN1"]
    assert words.others(("cats", ("NOUN", "Y"))) == ""


def test_a_lemma_is_known_with_its_coarse_tag():
    words = LemmaDictionary.of({("Dogs", ("NOUN", "X")): {3: 1}}, SCRIPTS)
    assert words.has_lemma("dog", ("dogs", ("NOUN", "Y")))
    assert not words.has_lemma("dog", ("dogs", ("VERB", "X")))
    assert not words.has_lemma("Dogs", ("Dogs", ("NOUN", "X")))


def test_without_tags_the_form_is_enough():
    words = LemmaDictionary.of({("is", ()): {0: 3}}, SCRIPTS)
    assert words.find(("is", ())) == 0
    assert words.find(("be", ())) is None


def test_a_dictionary_that_does_not_fit_is_refused():
    words = LemmaDictionary.of({("is", ("AUX", "X")): {3: 1}}, SCRIPTS)
    coarse, arrays = words.describe()
    again = LemmaDictionary.restore(coarse, arrays, len(SCRIPTS))
    assert again.find(("is", ("AUX", "X"))) == 3
    with pytest.raises(ValueError, match="there are not"):
        LemmaDictionary.restore(coarse, arrays, 3)
    for damage in ({"scripts": arrays["scripts"][:0]}, {"forms": arrays["forms"].astype(float)}):
        with pytest.raises(ValueError, match=r"shorter|no numbers"):
            LemmaDictionary.restore(coarse, arrays | damage, 4)
    with pytest.raises(IndexError):
        LemmaDictionary.restore([], arrays, 4)
