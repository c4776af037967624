"""Orders of elimination: parents come first, separators are those of the filled graph, wide graphs are refused."""

import itertools

import numpy as np
import pytest

from treewright.reranking.hidden.elimination import WIDEST, eliminate


def edges_of(pairs):
    return np.array(list(pairs), np.int32).reshape(-1, 2)


def separators_of(found):
    others = [found.other[a:b].tolist() for a, b in itertools.pairwise(found.others)]
    return [[p, *rest] if p >= 0 else rest for p, rest in zip(found.parent.tolist(), others, strict=True)]


def check(n, edges):
    """Check an elimination against one that is done by hand, and return its width."""
    found = eliminate(n, edges)
    assert sorted(found.order.tolist()) == list(range(n))
    place = np.argsort(found.order).tolist()
    near = {t: set() for t in range(n)}
    number = {}
    for e, (u, v) in enumerate(edges.tolist()):
        near[place[u]].add(place[v])
        near[place[v]].add(place[u])
        number[frozenset((place[u], place[v]))] = e
    separators = separators_of(found)
    for t in range(n - 1, -1, -1):
        assert separators[t] == sorted(near[t], reverse=True)
        given = [found.edge[t], *found.other_edge[found.others[t] : found.others[t + 1]]][: len(near[t])]
        assert given == [number.get(frozenset((t, u)), -1) for u in separators[t]]
        for u in near[t]:
            near[u] |= near[t] - {u}
            near[u].discard(t)
        assert set(separators[t][1:]) <= near[separators[t][0]] if separators[t] else True
    return max(map(len, separators))


def test_trees_are_eliminated_from_their_leaves():
    edges = edges_of([(2, 0), (2, 3), (3, 1), (3, 4)])
    assert check(5, edges) == 1
    place = np.argsort(eliminate(5, edges).order)
    assert (place[edges[:, 0]] < place[edges[:, 1]]).all()  # no edge is flipped


def test_any_tree_has_width_one():
    generator = np.random.default_rng(1)
    for n in range(2, 20):
        pairs = [(int(generator.integers(v)), v) for v in range(1, n)]
        assert check(n, edges_of(pair[:: generator.choice([1, -1])] for pair in pairs)) == 1


@pytest.mark.parametrize(("n", "width"), [(3, 2), (4, 2), (9, 2)])
def test_cycles_have_width_two(n, width):
    assert check(n, edges_of((u, (u + 1) % n) for u in range(n))) == width


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_markov_chains_have_the_width_of_their_order(order):
    assert check(12, edges_of((u, v) for v in range(12) for u in range(max(v - order, 0), v))) == order


def test_random_graphs_are_right_or_refused():
    generator = np.random.default_rng(2)
    widths = []
    for _ in range(200):
        n = int(generator.integers(1, 9))
        pairs = [pair for pair in itertools.combinations(range(n), 2) if generator.random() < 0.4]
        if len(eliminate(n, edges_of(pairs)).order) == n:
            widths.append(check(n, edges_of(pairs)))
    assert len(widths) > 150
    assert set(widths) == {0, 1, 2, 3, 4}


def test_a_clique_is_refused_where_it_is_too_wide():
    def clique(n):
        return edges_of(itertools.combinations(range(n), 2))

    assert check(WIDEST + 1, clique(WIDEST + 1)) == WIDEST
    assert len(eliminate(WIDEST + 2, clique(WIDEST + 2)).order) == 0
