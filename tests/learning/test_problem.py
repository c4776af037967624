"""Cost-augmented search against enumeration."""

import itertools

import numpy as np
import pytest

from tests.inference.enumeration import all_trees
from tests.inference.instances import draw
from treewright.inference import Scores, Trees
from treewright.learning.problem import add_cost

KINDS = [(True, True), (True, False), (False, True), (False, False)]


@pytest.mark.parametrize(("projective", "single_root"), KINDS)
@pytest.mark.parametrize("cost", [0.5, 2.0])
def test_search_with_cost_finds_the_best_of_score_plus_cost(projective, single_root, cost):
    rng = np.random.default_rng(1)
    for n in (1, 2, 3, 4):
        trees = all_trees(n, projective, single_root)
        labellings = np.array(list(itertools.product(range(2), repeat=n)))
        for _ in range(5):
            drawn = draw(rng, "random", n, True, np.float64)
            plain = Scores(arc=drawn.arc, label=drawn.label[:, :, :2].copy())
            heads = trees[rng.integers(len(trees))]
            labels = np.append(-1, rng.integers(0, 2, n)).astype(np.int32)
            words = np.arange(1, n + 1)
            best = max(
                plain.arc[tree[1:], words].sum()
                + plain.label[tree[1:], words, chosen].sum()
                + cost * ((tree[1:] != heads[1:]).sum() + (chosen != labels[1:]).sum())
                for tree in trees
                for chosen in labellings
            )
            scores = Scores(arc=plain.arc.copy(), label=plain.label.copy())
            add_cost(scores, heads, labels, cost)
            kind = Trees(projective, single_root)
            parse = kind.argmax(scores)
            assert parse.score + 2 * n * cost == pytest.approx(best)
            errors = (parse.heads != heads).sum() + (parse.labels != labels).sum()
            assert kind.score(plain, parse.heads, parse.labels) + cost * errors == pytest.approx(best)
