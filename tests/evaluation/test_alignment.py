"""Input that cannot be evaluated is refused in one clear line; so are other words where they must be the same."""

import numpy as np
import pytest

from treewright.errors import UsageError
from treewright.evaluation import Score, compare, evaluate
from treewright.evaluation.alignment import align
from treewright.treebank import Sentence


def sentence(*forms, **columns):
    columns.setdefault("heads", np.arange(len(forms), dtype=np.int32))
    return Sentence.from_forms(forms, **columns)


GOLD = [sentence("Hello"), sentence("Trees", "grow", "tall", comments=["# text = ...", "# sent_id = ewt-7"])]


def refusal(system, gold=GOLD, **options):
    return message_of(evaluate, gold, system, **options)


def other_words(system):
    return message_of(align, GOLD, system)


def message_of(function, *sides, **options):
    with pytest.raises(UsageError) as caught:
        function(*sides, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_different_form():
    assert other_words([GOLD[0], sentence("Trees", "grew", "tall")]) == (
        "sentence 2 (sent_id ewt-7): word 2 is 'grow' in the gold standard and 'grew' in the system: "
        "both must have the same words"
    )


def test_missing_word_at_the_end():
    assert other_words([GOLD[0], sentence("Trees", "grow")]) == (
        "sentence 2 (sent_id ewt-7): the gold standard has 3 words and the system 2; "
        "word 3, 'tall' is only in the gold standard: both must have the same words"
    )


def test_additional_word_at_the_end():
    message = other_words([sentence("Hello", "!"), GOLD[1]])
    assert message.startswith("sentence 1: the gold standard has 1 word and the system 2; word 2, '!' is only in")


def test_additional_word_in_the_middle():
    message = other_words([GOLD[0], sentence("Trees", "can", "grow", "tall")])
    assert "has 3 words and the system 4; word 2 is 'grow' in the gold standard and 'can' in the system" in message


def test_missing_sentence():
    assert other_words(GOLD[:1]) == (
        "the gold standard has 2 sentences and the system 1: sentence 2 (sent_id ewt-7) is only in the gold standard: "
        "both must have the same words"
    )


def test_additional_sentence():
    message = other_words([*GOLD, sentence("Bye")])
    assert message.startswith("the gold standard has 2 sentences and the system 3: sentence 3 is only in the system: ")


def test_a_skipped_sentence_is_named_where_it_is_missing():
    assert other_words(GOLD[1:]).startswith(
        "sentence 1: the gold standard has 1 word and the system 3; word 1 is 'Hello'"
    )


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


def test_punctuation_is_left_out_of_the_same_words_only():
    message = refusal([sentence("Hello"), sentence("Tree", "sgrow", "tall")], punctuation="unicode")
    assert message.startswith("sentence 2 (sent_id ewt-7): word 1 is 'Trees' in the gold standard")
    assert message.endswith("leaving out punctuation needs the same words: choose 'keep'")


@pytest.mark.parametrize(
    ("system", "reason"),
    [
        (
            [GOLD[0], sentence("Trees", "grew", "tall")],
            "goes on with 'growtall', and that of the system with 'grewtall'",
        ),
        ([GOLD[0], sentence("Trees", "grow")], "goes on with 'tall', and that of the system with nothing more"),
        ([*GOLD, sentence("Bye")], "goes on with nothing more, and that of the system with 'Bye'"),
        ([GOLD[0]], "goes on with 'Treesgrowtall', and that of the system with nothing more"),
    ],
)
def test_another_text(system, reason):
    message = refusal(system)
    assert message.startswith(f"sentence 2 (sent_id ewt-7): the text of the gold standard {reason}: ")
    assert message.endswith("words may differ, but not their text, apart from spaces")


def test_another_text_in_a_long_word_and_far_from_its_end():
    message = refusal([sentence("x" * 50 + "z" + "x" * 50)], gold=[sentence("x" * 50 + "y" + "x" * 50)])
    assert "goes on with 'xxxxxxxxxxyxxxxxxxxx'…, and" in message


RANGE = (0, "1-2\tgo\t" + "\t".join("_" * 8))


def test_the_same_words_need_no_text():
    """A file may have lost its lines of multiword tokens; then their words are all that is left."""
    gold = [sentence("g", "hello", asides=[RANGE])]
    evaluation = evaluate(gold, [sentence("g", "hello")])
    assert evaluation.same_words
    assert evaluation.uas == evaluation.segmentation["words"] == Score(2, 2, 2)
    assert not evaluation.segmentation["tokens"].given


def test_the_same_words_in_other_tokens():
    gold = [sentence("g", "o", asides=[RANGE])]
    evaluation = evaluate(gold, [sentence("g", "o")])
    assert evaluation.same_words
    assert evaluation.segmentation == {"tokens": Score(0, 1, 2), "sentences": Score(1, 1, 1), "words": Score(2, 2, 2)}
