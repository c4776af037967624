"""Spanning arborescences against a textbook version, and where there is no tree."""

import numpy as np
import pytest

from treewright.inference import Scores, Trees
from treewright.inference.spanning.arborescence import arborescence


def chu_liu_edmonds(arcs: dict[tuple[int, int], float], vertices: set[int]) -> float:
    """The score of the best arborescence from 0, by the book: contract one cycle, recurse."""
    best = {m: max(((s, h) for (h, k), s in arcs.items() if k == m), default=None) for m in vertices - {0}}
    if None in best.values():
        return -np.inf
    for start in best:
        cycle, m = [], start
        while m != 0 and m not in cycle:
            cycle.append(m)
            m = best[m][1]
        if m != 0:
            cycle = set(cycle[cycle.index(m) :])
            break
    else:
        return sum(score for score, _ in best.values())
    new = max(vertices) + 1
    contracted: dict[tuple[int, int], float] = {}
    for (h, m), score in arcs.items():
        if m in cycle:
            arc, score = (h, new), score - best[m][0]
        else:
            arc = (new if h in cycle else h, m)
        if h not in cycle or m not in cycle:
            contracted[arc] = max(score, contracted.get(arc, -np.inf))
    rest = chu_liu_edmonds(contracted, vertices - cycle | {new})
    return rest + sum(best[m][0] for m in cycle)


@pytest.mark.parametrize("density", [1.0, 0.5, 0.15])
def test_arborescence_agrees_with_the_textbook(density):
    rng = np.random.default_rng(0)
    for _ in range(20):
        n = int(rng.integers(6, 25))
        arc = np.where(rng.random((n + 1, n + 1)) < density, rng.normal(size=(n + 1, n + 1)), -np.inf)
        arcs = {(h, m): arc[h, m] for h, m in np.argwhere(arc > -np.inf).tolist() if h != m and m}
        best = chu_liu_edmonds(arcs, set(range(n + 1)))
        heads = arborescence(arc, False)
        if best == -np.inf:
            assert (heads == -1).all()
        else:
            assert arc[heads[1:], np.arange(1, n + 1)].sum() == pytest.approx(best)


@pytest.mark.parametrize("single_root", [True, False])
def test_the_kernel_signals_that_there_is_no_tree(single_root):
    for n in (1, 2, 5):
        arc = np.zeros((n + 1, n + 1))
        arc[0] = -np.inf
        assert arborescence(arc, single_root).tolist() == [-1] * (n + 1)


@pytest.mark.parametrize("projective", [True, False])
def test_words_that_only_the_root_can_head_have_no_single_root_tree(projective):
    scores = Scores(arc=[[0, 0, 0], [-np.inf] * 3, [-np.inf] * 3])
    assert Trees(projective, single_root=False).argmax(scores).heads.tolist() == [-1, 0, 0]
    with pytest.raises(ValueError, match="no single-root"):
        Trees(projective).argmax(scores)
