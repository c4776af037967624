"""The k best labelled trees against all labellings of all trees."""

import itertools

import numpy as np
import pytest

from tests.inference.enumeration import all_trees
from treewright.inference import Parts, Scores, Trees


def all_labelled(trees, arc, label):
    """Score every labelled tree, best first."""
    found = {}
    n, labels = len(arc) - 1, label.shape[2]
    for heads in all_trees(n, trees.projective, trees.single_root).tolist():
        for chosen in itertools.product(range(labels), repeat=n):
            score = sum(arc[h, m] + label[h, m, l] for m, (h, l) in enumerate(zip(heads[1:], chosen, strict=True), 1))
            if score > -np.inf:
                found[tuple(heads), (-1, *chosen)] = score
    return found


@pytest.mark.parametrize("projective", [True, False])
@pytest.mark.parametrize("kind", ["random", "tied", "forbidden"])
@pytest.mark.parametrize(("n", "labels"), [(1, 3), (2, 3), (3, 2), (3, 1)])
def test_they_are_the_best_of_all_labelled_trees(projective, kind, n, labels):
    rng = np.random.default_rng(n * labels)
    trees = Trees(projective, single_root=False)
    for k in (1, 5, 40, 10_000):
        arc, label = rng.normal(size=(n + 1, n + 1)), rng.normal(size=(n + 1, n + 1, labels))
        if kind == "tied":
            arc, label = np.zeros_like(arc), np.rint(label)
        if kind == "forbidden":
            label[rng.random(label.shape) < 0.3] = -np.inf
        truth = all_labelled(trees, arc, label)
        if not truth:
            continue
        found = trees.k_best(Scores(arc=arc, label=label), k, labelled=True)
        assert [parse.score for parse in found] == pytest.approx(sorted(truth.values(), reverse=True)[:k])
        names = [(tuple(parse.heads.tolist()), tuple(parse.labels.tolist())) for parse in found]
        assert len(set(names)) == len(names)
        assert [parse.score for parse in found] == pytest.approx([truth[name] for name in names])


def test_they_are_the_same_for_pruned_parts():
    rng = np.random.default_rng(5)
    arc, label = rng.normal(size=(5, 5)), rng.normal(size=(5, 5, 3)).astype(np.float32)
    allowed = np.ones((5, 5), bool)
    allowed[1:, 1:][rng.random((4, 4)) < 0.3] = False
    parts = Parts(allowed)
    index = tuple(parts.arc.T)
    dense = Trees().k_best(Scores(arc=arc, label=label, allowed=allowed), 50, labelled=True)
    pruned = Trees().k_best(Scores(arc=arc[index], label=label[index], parts=parts), 50, labelled=True)
    assert [parse.score for parse in pruned] == pytest.approx([parse.score for parse in dense])
    assert len({(*parse.heads, *parse.labels) for parse in pruned}) == 50


def test_without_labels_trees_differ_in_heads():
    found = Trees().k_best(Scores(arc=np.zeros((3, 3))), 9, labelled=True)
    assert len(found) == 2
    assert found[0].labels is None
