"""A factorization with more parts can play one with fewer, on sentences too long to list their trees.

Koo and Collins (2010, section 4.3) show how Model 2 emulates Carreras's parser: every part that it scores
is given the score of the smaller part inside it.
"""

import numpy as np
import pytest

from tests.inference.instances import draw_arrays
from tests.inference.laws_base import EXACT
from treewright.inference import Scores, Trees

N = 10
roots = pytest.mark.parametrize("single_root", [True, False], ids=["single", "multi"])
kinds = pytest.mark.parametrize("kind", ["random", "extreme", "masked"])


def grandsibling_of(sibling: np.ndarray | None, grandchild: np.ndarray | None) -> np.ndarray:
    """grand_sibling[g, h, s, m] = sibling[h, s, m] + grandchild[g, h, m]."""
    total = np.zeros((N + 1,) * 4)
    if sibling is not None:
        total += sibling[None]
    if grandchild is not None:
        total += grandchild[:, :, None, :]
    return total


def trisibling_of(sibling: np.ndarray) -> np.ndarray:
    """tri_sibling[h, t, s, m] = sibling[h, s, m]."""
    return np.broadcast_to(sibling[:, None], (N + 1,) * 4).copy()


def arrays(kind: str, factorization: str) -> dict[str, np.ndarray]:
    """Scores of a kind with zero in place of junk, so that they can be added."""
    drawn = draw_arrays(np.random.default_rng(0), kind, N, True, np.float64, factorization)
    clean = {}
    for name, array in drawn.items():
        junk = ~(array < 1e20) | (np.abs(array) == 1e30)
        clean[name] = np.where(junk, 0.0, array)
    return clean


def agree(single_root, factorization, scores, other_factorization, others) -> None:
    trees = Trees(True, single_root, factorization)
    other_trees = Trees(True, single_root, other_factorization)
    assert trees.argmax(scores).score == pytest.approx(other_trees.argmax(others).score, **EXACT)
    ranks = [[parse.score for parse in t.k_best(s, 10)] for t, s in ((trees, scores), (other_trees, others))]
    assert ranks[0] == pytest.approx(ranks[1], **EXACT)
    assert trees.log_partition(scores) == pytest.approx(other_trees.log_partition(others), **EXACT)
    assert trees.entropy(scores) == pytest.approx(other_trees.entropy(others), abs=1e-5)  # of scores up to 1e5
    marginals, expected = trees.marginals(scores), other_trees.marginals(others)
    for name in ("arc", "label", "sibling"):
        array, other = getattr(marginals, name), getattr(expected, name)
        if array is not None and other is not None:
            np.testing.assert_allclose(array, other, rtol=1e-7, atol=1e-8, err_msg=name)


@roots
@kinds
@pytest.mark.parametrize("factorization", ["carreras", "grand-sibling", "tri-sibling"])
def test_siblings_alone(single_root, kind, factorization):
    scores = Scores(**arrays(kind, "sibling"))
    agree(single_root, factorization, scores, "sibling", scores)


@roots
@kinds
def test_grandchildren_alone(single_root, kind):
    scores = Scores(**arrays(kind, "grandchild"))
    agree(single_root, "grand-sibling", scores, "grandchild", scores)


@roots
@kinds
def test_model_1_plays_siblings_and_grandchildren(single_root, kind):
    parts = arrays(kind, "carreras")  # the arrays, that is; here every grandchild counts
    sibling, grandchild = parts.pop("sibling"), parts.pop("grandchild")
    played = Scores(**parts, grand_sibling=grandsibling_of(sibling, grandchild))
    plain = Scores(**parts, sibling=sibling, grandchild=grandchild)
    agree(single_root, "grand-sibling", played, "grand-sibling", plain)
    only = Scores(**parts, grand_sibling=grandsibling_of(None, grandchild))
    agree(single_root, "grand-sibling", only, "grandchild", Scores(**parts, grandchild=grandchild))


@roots
@kinds
def test_model_2_plays_carreras(single_root, kind):
    parts = arrays(kind, "carreras")
    plain = Scores(**parts)
    sibling, grandchild = parts.pop("sibling"), parts.pop("grandchild")
    played = Scores(**parts, tri_sibling=trisibling_of(sibling), grand_sibling=grandsibling_of(None, grandchild))
    agree(single_root, "tri-sibling", played, "carreras", plain)
