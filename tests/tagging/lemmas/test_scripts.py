import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.tagging.lemmas.scripts import REFUSAL, apply_script, edit_script, edited_ending

WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\t\n"), min_size=1, max_size=12)


@given(WORDS, WORDS)
def test_a_script_turns_its_form_into_its_lemma(form, lemma):
    assert apply_script(edit_script(form, lemma), form) == lemma


def test_words_that_are_inflected_alike_share_a_script():
    assert edit_script("Walked", "Walk") == edit_script("Jumped", "Jump")
    assert edit_script("Walked", "walk") == edit_script("JUMPED", "jump")
    assert edit_script("PARIS", "Paris") == edit_script("OSLO", "Oslo")
    assert edit_script("gegangen", "gehen") != edit_script("gemacht", "machen")


def test_a_form_that_is_too_short_is_left_whole():
    assert apply_script(edit_script("McCoys", "McCoy"), "X") == "X"
    assert apply_script(edit_script("Walked", "walk"), "Ed") == "ed"


def test_letters_are_put_in_or_dropped_where_that_is_all():
    assert edit_script("chathair", "cathair") == edit_script("chailín", "cailín")
    assert edit_script("학교에는", "학교+에+는") == edit_script("학생에는", "학생+에+는")
    assert edit_script("studies", "study") == edit_script("Cities", "city")


def test_where_there_is_no_lemma_the_script_refuses_one():
    assert edit_script("word", "_") == REFUSAL
    assert apply_script(REFUSAL, "other") == "_"
    assert apply_script(edit_script("_", "_"), "_") == "_"


@pytest.mark.parametrize(
    ("script", "form", "lemma"),
    [
        ("l\t0\t1\t\t", "Forests", "forest"),
        ("=\t2\t3\tge\ten+", "xxmachtet", "gemachen+"),
        ("t\t0\t0\t\t", "OSLO", "Oslo"),
        ("=\t0\t0\t\t", "as", "as"),
        ("l\t1\t2\t\t", "Abc", "abc"),
        ("!\tbe", "is", "be"),
    ],
)
def test_scripts_of_older_models_mean_what_they_did(script, form, lemma):
    assert apply_script(script, form) == lemma


@given(WORDS, WORDS)
def test_the_ending_that_is_edited_decides_what_becomes_of_it(form, lemma):
    script = edit_script(form, lemma)
    ending = edited_ending(script, form)
    if script.startswith("!"):
        assert ending is None
    else:
        assert form.lower().endswith(ending)
    assert edited_ending("l\t\t---+y", "Studies") == "ies"


def test_scripts_of_a_treebank_are_far_fewer_than_its_words(ewt, alksnis):
    for sentences in (ewt, alksnis):
        words = {pair for s in sentences for pair in zip(s.forms, s.lemmas, strict=True)}
        assert 3 * len({edit_script(*word) for word in words}) < len(words)
