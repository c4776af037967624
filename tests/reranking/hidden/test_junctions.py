"""The tables of junction trees: their sizes, and the rows of messages that their entries belong to."""

import itertools

import numpy as np

from treewright.reranking.hidden.elimination import eliminate
from treewright.reranking.hidden.junctions import join

#: Graphs of width 3, 2 and 1; the first has the units of two values in cycles with others of three.
GRAPHS = [
    (5, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (4, 1), (4, 3), (1, 3)]),
    (5, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]),
    (3, [(0, 1), (0, 2)]),
]


def test_entries_and_rows_are_about_the_same_values():
    found = [eliminate(n, np.array(edges, np.int32)) for n, edges in GRAPHS]
    positions = np.cumsum([0, *(n for n, _ in GRAPHS)])
    sizes = np.array([2, 3, 4, 2, 3, 3, 1, 2, 4, 2, 5, 2, 3], np.int32)
    others = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(each.others) for each in found]))])
    parent, other = (np.concatenate([getattr(each, name) for each in found]) for name in ("parent", "other"))
    joined = join(positions, parent, others, other, sizes)
    assert len(joined.lift) > 0
    for start, each in zip(positions.tolist(), found, strict=False):
        for t in range(start, start + len(each.order)):
            separator = separator_of(t, start, parent, others, other)
            assert joined.rows[t] == np.prod(sizes[separator])
            if not separator:
                continue
            p = separator[0]
            about = separator_of(p, start, parent, others, other)
            is_joint = joined.tables[p] > sizes[p]
            lift = joined.lift[joined.lifts[t] : joined.lifts[t + 1]]
            entries = list(itertools.product(*(range(sizes[u]) for u in reversed([p, *(about if is_joint else [])]))))
            assert len(entries) == joined.tables[p]
            for entry, reversed_values in enumerate(entries):
                values = dict(zip([p, *(about if is_joint else [])], reversed(reversed_values), strict=True))
                row, stride = 0, 1
                for u in separator:
                    row += values[u] * stride
                    stride *= int(sizes[u])
                assert row == (lift[entry] if len(lift) else entry)


def separator_of(t, start, parent, others, other):
    return [start + int(u) for u in (parent[t], *other[others[t] : others[t + 1]]) if u >= 0]
