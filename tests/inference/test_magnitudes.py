"""Scores of very different sizes: every answer is right, or refused by name."""

import math
from fractions import Fraction

import numpy as np
import pytest

from tests.inference.enumeration import all_trees
from tests.inference.parts import Oracle
from treewright.inference import Scores, Trees
from treewright.inference.magnitudes import NEGLIGIBLE, settle

LOWEST = float(np.finfo(np.float32).min)

every_kind = pytest.mark.parametrize("projective", [True, False], ids=["projective", "nonprojective"])
roots = pytest.mark.parametrize("single_root", [True, False], ids=["single", "multi"])


class Exact:
    """All answers about arcs, by listing all trees and adding their scores up without rounding."""

    def __init__(self, arc, projective, single_root):
        n = len(arc) - 1
        self.trees = all_trees(n, projective, single_root)
        words = range(1, n + 1)
        totals = []
        for heads in self.trees:
            scores = [arc[heads[m], m] for m in words]
            totals.append(None if -np.inf in scores else sum(map(Fraction, scores)))
        self.best = max(total for total in totals if total is not None)
        weights = [0.0 if total is None else math.exp(max(total - self.best, -1000)) for total in totals]
        self.log_z = float(self.best + Fraction(math.log(math.fsum(weights))))
        self.probabilities = np.array(weights) / math.fsum(weights)
        self.marginals = np.zeros_like(arc)
        for heads, probability in zip(self.trees, self.probabilities, strict=True):
            self.marginals[heads[1:], words] += probability
        happens = self.probabilities[self.probabilities > 0]
        self.entropy = -math.fsum(happens * np.log(happens))


def mixed(rng, n, size):
    """Scores of both signs and of a size, some of them alike to the last digits, some small, some forbidden."""
    arc = rng.choice([-size, 0.0, size], (n + 1, n + 1)) + rng.normal(size=(n + 1, n + 1))
    arc[rng.random(arc.shape) < 0.1] = -np.inf
    arc[np.arange(n), np.arange(1, n + 1)] = rng.normal(size=n)
    return arc


def answered(question, *arguments):
    """The answer in a list, which is empty if the question was refused."""
    try:
        return [question(*arguments)]
    except ValueError as error:
        if "too far apart for" not in str(error):
            raise
        return []


def check(trees, arc, exact, tolerance):
    """Compare all answers about probabilities; return how many were refused."""
    scores, words, count = Scores(arc=arc), np.arange(1, len(arc)), 0
    for marginals in answered(trees.marginals, scores):
        assert np.abs(marginals.arc - exact.marginals).max() < tolerance
        count += 1
    for entropy in answered(trees.entropy, scores):
        assert entropy == pytest.approx(exact.entropy, abs=1e-5)
        count += 1
    for chance in answered(trees.log_prob, scores, exact.trees[exact.probabilities.argmax()]):
        assert chance == pytest.approx(math.log(exact.probabilities.max()), abs=max(1e-6, tolerance))
        count += 1
    for parse in answered(trees.mbr, scores):
        expected = exact.marginals[exact.trees[:, 1:], words].sum(axis=1)
        assert exact.marginals[parse.heads[1:], words].sum() > expected.max() - 10 * tolerance
        count += 1
    for samples in answered(trees.sample, scores, 20, 1):
        likely = exact.trees[exact.probabilities > 1e-12].tolist()
        assert all(heads in likely for heads in samples.tolist())
        count += 1
    return 5 - count


@every_kind
@roots
@pytest.mark.parametrize("size", [1e4, 1e6, 1e8])
def test_sums_are_right(projective, single_root, size):
    trees, rng = Trees(projective=projective, single_root=single_root), np.random.default_rng(1)
    for n in (2, 3, 4, 5) * 10:
        arc = mixed(rng, n, size)
        exact = Exact(arc, projective, single_root)
        refused = check(trees, arc, exact, max(1e-9, 1e-14 * size))
        assert refused <= (size > 1e5)  # the entropy


@every_kind
@roots
@pytest.mark.parametrize("size", [1e10, 1e11, 1e15, 1e30, 1e200, 1e299])
def test_what_cannot_be_told_apart_is_refused(projective, single_root, size):
    trees, rng, refused = Trees(projective=projective, single_root=single_root), np.random.default_rng(2), 0
    for n in (2, 3, 4, 5) * 10:
        arc = mixed(rng, n, size)
        exact = Exact(arc, projective, single_root)
        assert trees.log_partition(Scores(arc=arc)) == pytest.approx(exact.log_z, abs=1e-14 * size)
        assert trees.argmax(Scores(arc=arc)).score == pytest.approx(float(exact.best), abs=1e-14 * size)
        refused += check(trees, arc, exact, 1e-6)
    assert 0 < refused < 5 * 40


@every_kind
@roots
@pytest.mark.parametrize("mask", [-1e5, -1e9, -1e30, LOWEST, -1e300])
def test_masks_are_as_few_as_can_be(projective, single_root, mask):
    """Trees with the fewest masks share the probability by their other scores."""
    trees, rng = Trees(projective=projective, single_root=single_root), np.random.default_rng(3)
    for n in (2, 3, 4, 5) * 5:
        arc = np.where(rng.random((n + 1, n + 1)) < 0.5, mask, rng.normal(size=(n + 1, n + 1)))
        exact = Exact(np.where(arc == mask, -1e4, arc), projective, single_root)
        refused = check(trees, arc, exact, 1e-8)
        assert refused <= (exact.log_z < -1e3)  # the log-probability, where no tree can do without a mask
        whole = Exact(arc, projective, single_root)
        assert trees.log_partition(Scores(arc=arc)) == pytest.approx(whole.log_z, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize(
    ("kind", "shape", "model"), [("last", (4, 4, 2), "sibling+last"), ("tri_sibling", (4, 4, 4, 4), "tri-sibling")]
)
def test_large_scores_of_parts_that_not_every_word_has(kind, shape, model):
    """They cannot be shifted; the best tree still scores something when its arcs score nothing."""
    trees, rng = Trees(factorization=model.removesuffix("+last")), np.random.default_rng(4)
    for size in (50.0, 500.0, 1e4):
        scores = Scores(arc=rng.normal(size=(4, 4)), **{kind: rng.normal(size=shape) * size})
        assert trees.log_partition(scores) == pytest.approx(Oracle(scores, True, True, model).log_partition)


def test_a_floor_outweighs_everything_else():
    scores = np.array([3.0, -2.0, -np.inf, -1e30, -1e35, 0.5, 1e40])
    floor = 4 * (-2.0 - 3.0) - NEGLIGIBLE
    settled, constant = settle(scores, 4, lambda scores: 5.0, check=True)
    assert settled.tolist() == [3.0, -2.0, -np.inf, floor, floor, 0.5, -np.inf]  # the last is in no tree
    assert constant == 0.0
    needed = {"check": True, "best": lambda scores: scores[3] + 3.0}  # by every tree
    with pytest.raises(ValueError, match="scores from -2 to 3 are too far apart"):
        settle(scores[:-1], 4, **needed)
    alike = np.delete(scores, [4, 6])
    assert settle(alike, 4, **needed)[1] == pytest.approx(-1e30 - floor)
    untouched, constant = settle(scores[:-1], 4, needed["best"], check=False)
    assert untouched.tolist() == scores[:-1].tolist()
    assert constant == 0.0
    assert settle(scores, 4, lambda scores: -np.inf, check=True)[0] is scores


def test_sums_that_may_overflow_are_refused():
    for score in (1e300, 1.7e308):
        with pytest.raises(ValueError, match=r"^arc\[0, 1\] is .*: a score must be a number below 1e\+300"):
            Scores(arc=np.array([[0.0, score], [0.0, 0.0]]))


@roots
@pytest.mark.parametrize("size", [1e13, 1e80, 1e290])
def test_log_z_of_huge_scores_is_near_the_best_tree(single_root, size):
    """Nothing is left of the sum but the best tree; no rounding may turn it into NaN, or into no tree."""
    trees, rng = Trees(single_root=single_root), np.random.default_rng(11)
    for n in (2, 3, 4, 5) * 10:
        scores = Scores(arc=rng.normal(size=(n + 1, n + 1)) * size)
        assert trees.log_partition(scores) == pytest.approx(trees.argmax(scores).score, rel=1e-11)
    with pytest.raises(ValueError, match="tree is possible"):
        trees.log_partition(Scores(arc=np.full((3, 3), -np.inf)))
