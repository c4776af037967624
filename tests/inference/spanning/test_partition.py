"""The k best trees by partition, for every kind of trees, against enumeration."""

import numpy as np
import pytest

from tests.inference.enumeration import all_scores, all_trees, is_tree
from tests.inference.instances import KINDS, many
from treewright.inference import Scores, Trees
from treewright.inference.spanning.partition import k_best

kinds_of_trees = pytest.mark.parametrize("projective", [True, False], ids=["projective", "nonprojective"])
single_or_multi = pytest.mark.parametrize("single_root", [True, False], ids=["single", "multi"])


class Search:
    """The best tree within a mask, and how often it was asked for."""

    def __init__(self, arc, projective, single_root):
        self.arc, self.trees, self.times = arc, Trees(projective=projective, single_root=single_root), 0

    def __call__(self, allowed):
        self.times += 1
        try:
            return self.trees.argmax(Scores(arc=np.where(allowed, self.arc, -np.inf)))
        except ValueError:
            return None


def found_by(search, k):
    return k_best(search, k, np.ones_like(search.arc, bool))


def as_tuples(parses):
    return [tuple(parse.heads.tolist()) for parse in parses]


@kinds_of_trees
@single_or_multi
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_all_trees_in_order(kind, projective, single_root):
    for scores in many(kind, False, np.float64, each=4, longest=4):
        trees = all_trees(scores.n, projective, single_root)
        totals = all_scores(scores.arc, None, trees)
        expected = np.sort(totals[totals > -np.inf])[::-1]
        parses = found_by(Search(scores.arc, projective, single_root), len(trees) + 3)
        found = as_tuples(parses)
        assert len(set(found)) == len(found) == len(expected)
        assert set(found) <= set(map(tuple, trees.tolist()))
        assert [parse.score for parse in parses] == pytest.approx(expected.tolist(), rel=1e-14, abs=1e-9)
        own = all_scores(scores.arc, None, np.array([parse.heads for parse in parses])) if found else []
        assert own == pytest.approx(expected, rel=1e-14, abs=1e-9)


@kinds_of_trees
@single_or_multi
@pytest.mark.parametrize("kind", ["random", "tied", "masked"])
def test_fewer_are_a_prefix_of_more(kind, projective, single_root):
    for scores in many(kind, False, np.float64, each=2, longest=4):
        most = as_tuples(found_by(Search(scores.arc, projective, single_root), 12))
        for k in range(12):
            assert as_tuples(found_by(Search(scores.arc, projective, single_root), k)) == most[:k]


@kinds_of_trees
@single_or_multi
def test_many_words(projective, single_root):
    arc = np.random.default_rng(1).normal(size=(31, 31))
    search = Search(arc, projective, single_root)
    parses = found_by(search, 20)
    assert search.times <= 19 * 30 + 1
    scores = [parse.score for parse in parses]
    assert scores == sorted(scores, reverse=True)
    assert len(set(as_tuples(parses))) == 20
    assert all(is_tree(parse.heads) for parse in parses)
    assert parses[0].score == Trees(projective=projective, single_root=single_root).argmax(Scores(arc=arc)).score


def test_arcs_that_are_not_allowed_cost_no_search():
    chain = np.zeros((21, 21), bool)
    chain[np.arange(20), np.arange(1, 21)] = True
    before = chain.copy()
    search = Search(np.zeros((21, 21)), True, True)
    assert as_tuples(k_best(search, 5, chain)) == [tuple(range(-1, 20))]
    assert search.times == 1
    assert np.array_equal(chain, before)


def test_nothing_to_find():
    search = Search(np.full((3, 3), -np.inf), False, False)
    assert found_by(search, 4) == []
    assert found_by(search, 0) == []
