"""Jackknifing: nothing is applied to a sentence that it was learned from."""

import pytest

from treewright.errors import UsageError
from treewright.learning.folds import in_folds, set_aside


@pytest.mark.parametrize(("count", "folds"), [(7, 2), (7, 3), (7, 7), (20, 6)])
@pytest.mark.parametrize("threads", [1, 3])
def test_every_sentence_meets_once_what_was_learned_from_all_the_other_folds(count, folds, threads):
    found = in_folds(lambda others, report: lambda number: (number, others), count, folds, threads)
    assert [number for number, _ in found] == list(range(count))
    unseen = [tuple(number for number in range(count) if number not in others) for _, others in found]
    assert all(number in fold for number, fold in enumerate(unseen))
    assert len(set(unseen)) == folds
    assert [number for fold in dict.fromkeys(unseen) for number in fold] == list(range(count))  # consecutive, once
    assert max(map(len, unseen)) - min(map(len, unseen)) <= 1


@pytest.mark.parametrize(("count", "first", "folds"), [(12, 4, 2), (23, 5, 3), (9, 9, 4), (9, 0, 4)])
def test_each_fold_has_its_share_of_both_kinds(count, first, folds):
    found = in_folds(lambda others, report: lambda number: (number, others), count, folds, 2, first=first)
    assert [number for number, _ in found] == list(range(count))
    unseen = {tuple(number for number in range(count) if number not in others) for _, others in found}
    assert sorted(number for fold in unseen for number in fold) == list(range(count))
    for number, others in found:
        assert number not in others
    for kind in (range(first), range(first, count)):
        shares = [len(set(kind) & set(fold)) for fold in unseen]
        assert max(shares) - min(shares) <= 1


@pytest.mark.parametrize("threads", [1, 3])
def test_progress_is_that_of_all_folds(threads):
    def fit(others, report):
        report(0.5)
        report(1.0)
        return str

    shares = []
    in_folds(fit, 6, 3, threads, on_progress=shares.append)
    assert shares == sorted(shares)
    assert shares == pytest.approx([number / 6 for number in range(1, 7)])


@pytest.mark.parametrize("folds", [-1, 0, 1, 4])
def test_folds_that_do_not_fit_are_refused(folds):
    with pytest.raises(UsageError, match=f"{folds} folds do not fit 3 sentences"):
        in_folds(lambda others, report: str, 3, folds)


@pytest.mark.parametrize(("count", "wanted"), [(10, 1), (10, 10), (26, 25), (1000, 100), (12_544, 1254), (7, 0)])
def test_sentences_are_set_aside_from_all_over_the_treebank(count, wanted):
    aside = set_aside(count, wanted)
    assert aside == sorted(set(aside))
    assert len(aside) == wanted
    assert all(0 <= number < count for number in aside)
    for quarter in range(4 if wanted >= 100 else 0):
        inside = [number for number in aside if count * quarter <= 4 * number < count * (quarter + 1)]
        assert len(inside) == pytest.approx(wanted / 4, rel=0.2)


@pytest.mark.parametrize(("count", "wanted"), [(1000, 100), (1000, 90), (300, 50)])
def test_whole_documents_are_set_aside_where_they_are_known(count, wanted):
    starts = list(range(0, count, 5))
    aside = set_aside(count, wanted, starts)
    assert {number // 5 * 5 + k for number in aside for k in range(5)} == set(aside)
    assert len(aside) == pytest.approx(wanted, rel=0.1, abs=5)
    assert min(aside) < count / 4
    assert max(aside) > count * 3 / 4


def test_few_documents_are_not_set_aside():
    assert set_aside(100, 10, [0, 30, 80]) == set_aside(100, 10)
