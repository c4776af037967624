from hypothesis import given
from hypothesis import strategies as st

from treewright.neural.lemmas import apply_script, edit_script

WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\t\n"), min_size=1, max_size=12)


@given(WORDS, WORDS)
def test_a_script_turns_its_form_into_its_lemma(form, lemma):
    assert apply_script(edit_script(form, lemma), form) == lemma


def test_words_that_are_inflected_alike_share_a_script():
    assert edit_script("walked", "walk") == edit_script("Jumped", "Jump")
    assert edit_script("Walked", "walk") == edit_script("JUMPED", "jump")
    assert edit_script("PARIS", "Paris") == edit_script("OSLO", "Oslo")
    assert edit_script("gegangen", "gehen") != edit_script("gemacht", "machen")


def test_a_form_that_is_too_short_is_left_whole():
    assert apply_script(edit_script("walked", "walk"), "Ed") == "Ed"
    assert apply_script(edit_script("Walked", "walk"), "Ed") == "ed"
