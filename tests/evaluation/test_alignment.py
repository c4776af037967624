"""Input that cannot be evaluated is refused in one clear line."""

import numpy as np
import pytest

from treewright.errors import UsageError
from treewright.evaluation import compare, evaluate
from treewright.treebank import Sentence


def sentence(*forms, **columns):
    columns.setdefault("heads", np.arange(len(forms), dtype=np.int32))
    return Sentence.from_forms(forms, **columns)


GOLD = [sentence("Hello"), sentence("Trees", "grow", "tall", comments=["# text = ...", "# sent_id = ewt-7"])]


def refusal(system, gold=GOLD, **options):
    with pytest.raises(UsageError) as caught:
        evaluate(gold, system, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_different_form():
    assert refusal([GOLD[0], sentence("Trees", "grew", "tall")]) == (
        "sentence 2 (sent_id ewt-7): word 2 is 'grow' in the gold standard and 'grew' in the system: "
        "both must have the same words"
    )


def test_missing_word_at_the_end():
    assert refusal([GOLD[0], sentence("Trees", "grow")]) == (
        "sentence 2 (sent_id ewt-7): the gold standard has 3 words and the system 2; "
        "word 3, 'tall' is only in the gold standard: both must have the same words"
    )


def test_additional_word_at_the_end():
    message = refusal([sentence("Hello", "!"), GOLD[1]])
    assert message.startswith("sentence 1: the gold standard has 1 word and the system 2; word 2, '!' is only in")


def test_additional_word_in_the_middle():
    message = refusal([GOLD[0], sentence("Trees", "can", "grow", "tall")])
    assert "has 3 words and the system 4; word 2 is 'grow' in the gold standard and 'can' in the system" in message


def test_missing_sentence():
    assert refusal(GOLD[:1]) == (
        "the gold standard has 2 sentences and the system 1: sentence 2 (sent_id ewt-7) is only in the gold standard"
    )


def test_additional_sentence():
    message = refusal([*GOLD, sentence("Bye")])
    assert message == "the gold standard has 2 sentences and the system 3: sentence 3 is only in the system"


def test_a_skipped_sentence_is_named_where_it_is_missing():
    assert refusal(GOLD[1:]).startswith("sentence 1: the gold standard has 1 word and the system 3; word 1 is 'Hello'")


def test_missing_gold_head():
    gold = [GOLD[0], GOLD[1].replace(heads=np.array([2, 0, -1], np.int32))]
    assert refusal(GOLD, gold=gold).startswith(
        "sentence 2 (sent_id ewt-7): the gold standard has no head for word 3, 'tall'"
    )


@pytest.mark.parametrize("nothing", [[], [sentence()]])
def test_nothing_to_evaluate(nothing):
    assert refusal(nothing, gold=nothing) == "there is nothing to evaluate: the gold standard has no words"


def test_unknown_punctuation_rule():
    message = refusal(GOLD, punctuation="none")
    assert message == "unknown punctuation rule 'none': choose one of keep, ud, penn, unicode"


@pytest.mark.parametrize(("rule", "column"), [("ud", "UPOS"), ("penn", "XPOS")])
def test_punctuation_rule_without_tags(rule, column):
    assert f"needs gold {column} tags, and the gold standard has none" in refusal(GOLD, punctuation=rule)


def test_comparison_names_the_system_at_fault():
    with pytest.raises(UsageError, match="the second system 1: sentence 2"):
        compare(GOLD, GOLD, GOLD[:1])
    with pytest.raises(UsageError, match="'grew' in the first system"):
        compare(GOLD, [GOLD[0], sentence("Trees", "grew", "tall")], GOLD)
