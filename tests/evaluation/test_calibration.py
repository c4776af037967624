"""Confidences against right heads, on cases that were worked out by hand."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.dependency.annotation import with_confidence
from treewright.errors import UsageError
from treewright.evaluation import evaluate, measure_calibration, measure_calibrations
from treewright.treebank import Sentence


def corpus(*words):
    """Make a gold standard and a system of one sentence, given the confidence of each word and whether it is right."""
    n = len(words)
    gold = Sentence.from_forms([f"w{i}" for i in range(n)], heads=[0] * n)
    heads = [0 if right else 1 + (i == 0) for i, (_, right) in enumerate(words)]
    return [gold], [gold.replace(heads=heads, misc=[f"Confidence={confidence}" for confidence, _ in words])]


def measured(*words):
    return measure_calibration(*corpus(*words))


def test_perfect_calibration_has_no_error():
    words = [(0.5, i < 2) for i in range(4)] + [(0.75, i < 3) for i in range(4)]
    calibration = measured(*words)
    assert calibration.ece == 0
    assert calibration.confidence == calibration.accuracy == 0.625
    # Half of four at distance 0.5; three of four at 0.25, and one at 0.75.
    assert calibration.brier == pytest.approx((4 * 0.25 + 3 * 0.0625 + 0.5625) / 8)
    assert calibration.log_loss == pytest.approx(-(4 * math.log(0.5) + 3 * math.log(0.75) + math.log(0.25)) / 8)


def test_constant_confidence_with_half_right():
    calibration = measured(*[(0.9, i % 2 == 0) for i in range(10)])
    assert calibration.ece == pytest.approx(0.4)
    assert calibration.brier == pytest.approx((0.01 + 0.81) / 2)
    assert calibration.log_loss == pytest.approx(-(math.log(0.9) + math.log(0.1)) / 2)
    [used] = [group for group in calibration.bins if group.cases]
    assert (used.low, used.high, used.cases, used.correct, used.accuracy) == (0.9, 1.0, 10, 5, 0.5)
    assert used.confidence == pytest.approx(0.9)


def test_errors_in_opposite_directions_do_not_cancel():
    calibration = measured((0.25, True), (0.75, False))
    assert calibration.confidence == calibration.accuracy == 0.5
    assert calibration.ece == 0.75


def test_errors_within_a_bin_do_cancel():
    assert measured((0.625, False), (0.6875, True), (0.6875, True), (0.6875, True), (0.6875, False)).ece == (
        pytest.approx(abs((0.625 + 4 * 0.6875) / 5 - 0.6))
    )


def test_bins_weigh_by_their_words():
    calibration = measured((0.95, False), *[(0.25, i == 0) for i in range(4)])
    assert calibration.ece == pytest.approx(0.95 / 5)


@pytest.mark.parametrize(
    ("confidence", "index"),
    [("0", 0), ("0.0000", 0), ("-0.0000", 0), ("0.0999", 0), ("0.9999", 9), ("1.0000", 9), ("1", 9)]
    + [(f"{k / 10:.4f}", k) for k in range(10)]
    + [(f"{k / 10 - 0.0001:.4f}", k - 1) for k in range(1, 10)],
)
def test_a_border_belongs_to_the_bin_above_it_and_one_to_the_last(confidence, index):
    assert [group.cases for group in measured((confidence, True)).bins] == [int(k == index) for k in range(10)]


def test_bins_cover_everything_from_zero_to_one():
    bins = measured((0.5, True)).bins
    assert [group.low for group in bins] == [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    assert [group.high for group in bins] == [*[group.low for group in bins[1:]], 1]


@pytest.mark.parametrize(("confidence", "right"), [(1, True), (0, False)])
def test_certainty_that_holds_costs_nothing(confidence, right):
    calibration = measured((confidence, right))
    assert (calibration.ece, calibration.brier, calibration.log_loss) == (0, 0, 0)
    assert math.copysign(1, calibration.log_loss) == 1


@pytest.mark.parametrize(("confidence", "right"), [(1, False), (0, True)])
def test_what_was_impossible_counts_as_half_of_the_last_decimal(confidence, right):
    calibration = measured((confidence, right))
    assert (calibration.ece, calibration.brier) == (1, 1)
    assert calibration.log_loss == pytest.approx(-math.log(0.00005))
    assert measured((0.9999, False)).log_loss == pytest.approx(-math.log(0.0001))


def test_a_head_that_is_not_given_is_wrong():
    gold, [system] = corpus((0.5, True), (0.5, True))
    assert measure_calibration(gold, [system.replace(heads=[0, -1])]).correct == 1


def test_other_entries_of_misc_do_not_matter():
    gold, [system] = corpus((0.5, True), (0.5, True))
    misc = ["SpaceAfter=No|Confidence=0.25", "XConfidence=0.1|Confidence=0.75|ConfidenceOf=2"]
    assert measure_calibration(gold, [system.replace(misc=misc)]).confidence == 0.5


def test_it_reads_what_the_parser_writes():
    gold, [system] = corpus((0, True), (0, True), (0, True))
    misc = [with_confidence("Gloss=x|Confidence=0.1", {"Confidence": p}) for p in (0.25, 0.75, 1 + 1e-12)]
    assert measure_calibration(gold, [system.replace(misc=misc)]).confidence == pytest.approx(2 / 3)


def test_punctuation_is_left_out_as_in_the_scores():
    gold = Sentence.from_forms(["Trees", "grow", "!"], upos=["NOUN", "VERB", "PUNCT"], heads=[2, 0, 2])
    system = gold.replace(heads=[2, 0, 1], misc=["Confidence=1", "Confidence=1", "Confidence=0.75"])
    kept, left_out = (measure_calibration([gold], [system], rule) for rule in ("keep", "ud"))
    assert (kept.words, kept.scored, kept.correct, kept.ece) == (3, 3, 2, 0.25)
    assert (left_out.words, left_out.scored, left_out.correct, left_out.ece) == (3, 2, 2, 0)
    assert left_out.punctuation == "ud"


def refusal(gold, system, punctuation="keep"):
    with pytest.raises(UsageError) as caught:
        measure_calibration(gold, system, punctuation)
    message = str(caught.value)
    assert "\n" not in message
    return message


GOLD = [
    Sentence.from_forms(["Hello"], heads=[0]),
    Sentence.from_forms(["Trees", "grow", "!"], heads=[2, 0, 2], comments=["# sent_id = ewt-7"]),
]


def noted(*misc):
    return [GOLD[0].replace(misc=["Confidence=0.9"]), GOLD[1].replace(misc=list(misc))]


@pytest.mark.parametrize("rule", ["keep", "unicode"])
def test_a_word_without_confidence_is_named(rule):
    assert refusal(GOLD, noted("Confidence=1", "Confidence=1", "SpaceAfter=No"), rule) == (
        "sentence 2 (sent_id ewt-7): word 3, '!', has no Confidence in the MISC column of the system: "
        "parse with --confidence and write CoNLL-U"
    )


@pytest.mark.parametrize("value", ["high", "", "1.0001", "-0.1", "nan", "inf", "90%"])
def test_a_confidence_that_is_no_probability_is_named(value):
    assert refusal(GOLD, noted("Confidence=1", f"SpaceAfter=No|Confidence={value}", "_")) == (
        f"sentence 2 (sent_id ewt-7): word 2, 'grow', has the Confidence {value!r}, not one number from 0 to 1, "
        "in the MISC column of the system: parse with --confidence and write CoNLL-U"
    )


def test_two_confidences_are_one_too_many():
    assert "has the Confidence '0.5' and '0.6', not one number" in (
        refusal(GOLD, noted("Confidence=0.5|Confidence=0.6", "_", "_"))
    )


def test_other_words_are_refused_as_in_the_scores():
    assert "calibration is measured where both have the same words" in refusal(GOLD, [GOLD[1], GOLD[0]])
    assert "unknown punctuation rule 'none'" in refusal(GOLD, GOLD, "none")


def test_there_must_be_a_word_to_judge():
    gold, [system] = corpus((1, True))
    dots = [sentence.replace(forms=["..."]) for sentence in (*gold, system)]
    assert "'unicode' leaves out every word" in refusal(dots[:1], dots[1:], "unicode")


def test_json_has_plain_numbers():
    calibration = measured((0.95, True), (0.95, False))
    described = json.loads(json.dumps(calibration.to_dict(), allow_nan=False))
    assert described == calibration.to_dict()
    assert described["bins"][9] == {
        "low": 0.9, "high": 1.0, "cases": 2, "correct": 1, "confidence": 0.95, "accuracy": 0.5,
    }  # fmt: skip
    assert described["bins"][0]["confidence"] is None
    assert described["bins"][0]["accuracy"] is None


@given(st.lists(st.tuples(st.integers(0, 10_000), st.booleans()), min_size=1, max_size=40))
def test_numbers_follow_their_definitions(words):
    words = [(f"{units / 10_000:.4f}", right) for units, right in words]
    calibration = measured(*words)
    n = len(words)
    gap = brier = loss = 0.0
    for k in range(10):
        inside = [(float(c), right) for c, right in words if min(int(c.replace(".", "")) // 1000, 9) == k]
        gap += abs(sum(c for c, _ in inside) - sum(right for _, right in inside))
        brier += sum((c - right) ** 2 for c, right in inside)
        loss -= sum(math.log(max(c if right else 1 - c, 0.00005)) for c, right in inside)
        assert calibration.bins[k].cases == len(inside)
        assert calibration.bins[k].correct == sum(right for _, right in inside)
    assert calibration.ece == pytest.approx(gap / n, abs=1e-12)
    assert calibration.brier == pytest.approx(brier / n, abs=1e-12)
    assert calibration.log_loss == pytest.approx(loss / n, abs=1e-12)
    # The share of right heads is the UAS, and no binning is kinder than the error of the whole.
    assert 100 * calibration.accuracy == pytest.approx(evaluate(*corpus(*words)).uas.f1)
    assert calibration.ece >= abs(calibration.confidence - calibration.accuracy) - 1e-12


# Relations, tags and trees ---------------------------------------------------------------------------------------


def parsed(*words, probability=None):
    """A gold sentence and a system's: head, relation and tag right or not, and the confidence of each."""
    n = len(words)
    gold = Sentence.from_forms([f"w{i}" for i in range(n)], heads=[0] * n, deprels=["a"] * n, upos=["X"] * n)
    keys = ("Confidence", "LabelConfidence", "TagConfidence")
    system = gold.replace(
        heads=[0 if head else 1 + (i == 0) for i, (head, *_) in enumerate(words)],
        deprels=["a" if relation else "b" for _, relation, *_ in words],
        upos=["X" if tag else "Y" for _, _, tag, *_ in words],
        misc=["|".join(f"{k}={p}" for k, p in zip(keys, ps, strict=True)) for *_, ps in words],
        comments=[] if probability is None else [f"# probability = {probability}"],
    )
    return gold, system


ALL = parsed(
    (True, True, True, (0.5, 0.75, 0.25)),
    (True, False, False, (0.5, 0.25, 0.5)),
    (False, True, True, (0.5, 0.5, 0.75)),
    probability=0.125,
)
RIGHT = parsed((True, True, True, (1, 1, 1)), probability=0.75)


def test_relations_are_judged_where_the_head_is_right():
    relations = measure_calibration([ALL[0]], [ALL[1]], of="relations")
    assert (relations.cases, relations.correct, relations.confidence) == (2, 1, 0.5)
    assert relations.ece == pytest.approx(0.25)


def test_arcs_have_the_product_of_both_probabilities():
    arcs = measure_calibration([ALL[0]], [ALL[1]], of="arcs")
    assert (arcs.cases, arcs.correct) == (3, 1)
    assert arcs.confidence == pytest.approx((0.375 + 0.125 + 0.25) / 3)


def test_tags_are_judged_by_themselves():
    tags = measure_calibration([ALL[0]], [ALL[1]], of="tags")
    assert (tags.cases, tags.correct, tags.confidence) == (3, 2, 0.5)


def test_a_tree_is_right_if_all_heads_and_relations_are():
    gold, system = [ALL[0], RIGHT[0]], [ALL[1], RIGHT[1]]
    trees = measure_calibration(gold, system, of="trees")
    assert (trees.cases, trees.correct, trees.confidence) == (2, 1, 0.4375)
    assert trees.brier == pytest.approx((0.125**2 + 0.25**2) / 2)
    assert measure_calibration(gold, [system[0], RIGHT[1].replace(upos=["Y"])], of="trees").correct == 1


def test_everything_that_is_noted_is_measured():
    found = measure_calibrations([ALL[0]], [ALL[1]])
    assert list(found) == ["heads", "relations", "arcs", "tags", "trees"]
    assert all(calibration.of == of for of, calibration in found.items())
    assert list(measure_calibrations(*corpus((0.5, True)))) == ["heads"]


def test_a_tree_without_a_probability_is_named():
    with pytest.raises(UsageError, match="sentence 2 has no probability in the comments of the system: parse with"):
        measure_calibrations([ALL[0], RIGHT[0]], [ALL[1], RIGHT[1].replace(comments=[])])


def test_without_a_right_head_there_are_no_relations():
    gold, system = parsed((False, True, True, (0.5, 0.5, 0.5)), (False, True, True, (0.5, 0.5, 0.5)))
    with pytest.raises(UsageError, match="no head is correct"):
        measure_calibration([gold], [system], of="relations")
