"""Pruned problems: vectors over surviving parts say what dense arrays with minus infinity say, in less memory."""

import subprocess
import sys

import numpy as np
import pytest

from tests.inference.parts import RANKS, shape_of
from treewright.inference import Parts, Scores, Trees
from treewright.inference.kinds import FACTORIZATIONS

factorizations = pytest.mark.parametrize("factorization", FACTORIZATIONS)
roots = pytest.mark.parametrize("single_root", [True, False])


def draw(factorization, n, labelled, seed):
    """Scores twice: dense with a mask, and as vectors over the parts that survive it."""
    rng = np.random.default_rng(seed)
    mask = rng.random((n + 1, n + 1)) < 0.7
    mask[np.arange(n), np.arange(1, n + 1)] = True
    parts = Parts(mask)
    dense = {name: rng.normal(size=shape_of(name, n)) for name in FACTORIZATIONS[factorization].kinds}
    vectors = {name: array[tuple(getattr(parts, name).T)] for name, array in dense.items()}
    if labelled:
        dense["label"] = rng.normal(size=(n + 1, n + 1, 3))
        vectors["label"] = dense["label"][tuple(parts.arc.T)]
    return Scores(**dense, allowed=mask), Scores(**vectors, parts=parts)


@factorizations
@roots
@pytest.mark.parametrize("labelled", [False, True])
def test_vectors_say_what_dense_arrays_say(factorization, single_root, labelled):
    trees = Trees(True, single_root, factorization)
    for seed in range(6):
        dense, sparse = draw(factorization, 5, labelled, seed)
        best, other = trees.argmax(dense), trees.argmax(sparse)
        assert np.array_equal(best.heads, other.heads)
        assert best.score == pytest.approx(other.score)
        assert trees.log_partition(sparse) == pytest.approx(trees.log_partition(dense))
        assert trees.entropy(sparse) == pytest.approx(trees.entropy(dense))
        assert trees.score(sparse, best.heads) == pytest.approx(best.score)
        assert trees.log_prob(sparse, best.heads) == pytest.approx(trees.log_prob(dense, best.heads))
        assert np.array_equal(trees.sample(sparse, 5, 1), trees.sample(dense, 5, 1))
        whole, vectors = trees.marginals(dense), trees.marginals(sparse)
        moved, pruned = trees.tangents(dense, dense), trees.tangents(sparse, sparse)
        for name in FACTORIZATIONS[factorization].kinds:
            rows = tuple(getattr(sparse.parts, name).T)
            assert getattr(vectors, name) == pytest.approx(getattr(whole, name)[rows], abs=1e-12)
            assert getattr(pruned, name) == pytest.approx(getattr(moved, name)[rows], abs=1e-12)
        if labelled:
            assert pruned.label == pytest.approx(moved.label[tuple(sparse.parts.arc.T)], abs=1e-12)


@pytest.mark.parametrize("trees", [Trees(False, True), Trees(False, False)])
def test_vectors_of_arcs_without_projectivity(trees):
    dense, sparse = draw("arc", 6, True, 3)
    assert np.array_equal(trees.argmax(dense).heads, trees.argmax(sparse).heads)
    assert trees.log_partition(sparse) == pytest.approx(trees.log_partition(dense))


def test_parts_count_what_survives():
    parts = Parts(np.ones((4, 4), bool))
    assert len(parts.arc) == 9
    assert parts.arc.tolist() == sorted(
        parts.arc.tolist(), key=lambda arc: (arc[0], arc[1] > arc[0], abs(arc[1] - arc[0]))
    )
    for name, rank in RANKS.items():
        rows = getattr(parts, name)
        assert rows.shape[1] == rank
        assert len({tuple(row) for row in rows.tolist()}) == len(rows)


def test_vectors_fit_the_parts():
    parts = Parts(np.ones((4, 4), bool))
    with pytest.raises(ValueError, match="sibling has shape"):
        Scores(arc=np.zeros(9), sibling=np.zeros(3), parts=parts)


MEMORY = """
import numpy as np, resource
from treewright.inference import Parts, Scores, Trees
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
n = 100
mask = np.zeros((n + 1, n + 1), bool)
for m in range(1, n + 1):
    mask[[h for h in range(max(0, m - 5), min(n, m + 5) + 1) if h != m][:10], m] = True
small = Parts(np.ones((4, 4), bool))
for factorization in ("grand-sibling", "tri-sibling"):
    trees = Trees(factorization=factorization)
    trees.marginals(Scores(arc=np.zeros(len(small.arc)), parts=small))
    trees.argmax(Scores(arc=np.zeros(len(small.arc)), parts=small))
    before = peak()
    parts = Parts(mask)
    scores = Scores(arc=np.zeros(len(parts.arc)), grand_sibling=np.zeros(len(parts.grand_sibling)), parts=parts)
    trees.argmax(scores), trees.marginals(scores)
    print(peak() - before)
"""


def test_third_order_over_100_words_with_10_heads_each_is_small():
    output = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True).stdout
    grown = [float(line) for line in output.split()]
    assert len(grown) == 2
    assert max(grown) < 200
