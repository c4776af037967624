"""Tables: what makes them safe to follow by many threads at once."""

import numpy as np
import pytest

from treewright.inference import Parts
from treewright.torch.gpu.hypergraphs import table_of
from treewright.torch.gpu.tables import SHARES_A


@pytest.mark.parametrize("pruned", [False, True])
@pytest.mark.parametrize("factorization", ["arc", "sibling", "grandchild", "carreras", "grand-sibling", "tri-sibling"])
def test_no_two_groups_of_a_level_meet(factorization, pruned):
    n, rng = 7, np.random.default_rng(0)
    allowed = rng.random((n + 1, n + 1)) < 0.4
    allowed[np.arange(n), np.arange(1, n + 1)] = True
    table = table_of(factorization, False, False, n, n + 1, Parts(allowed, projective=True) if pruned else None)
    x, empty = table.arrays, set(table.arrays["ones"].tolist())
    finished, made, level = set(range(table.items)) - {*x["t"].tolist(), *x["copy"].tolist()}, set(), {}
    assert empty <= finished
    for row, end, first_group, last_group, _, _, flags, place in x["segments"].tolist():
        if place & 1:
            finished |= made
            made, level = set(), {}
        for group in range(first_group, last_group):
            rows = range(x["groups"][group], x["groups"][group + 1])
            assert row <= rows[0] <= rows[-1] < end
            for r in rows:
                made |= {int(x["t"][r]), int(x["copy"][r])}
                for role, name in enumerate("abp"):
                    if x[name][r] >= 0:
                        same = x[name][r] == x[name][rows[0]]
                        assert r == rows[0] or same == bool(flags & SHARES_A << role)
                        for k in range(x["length"][r]):
                            item = ("p" if name == "p" else "item", int(x[name][r]) + k)
                            assert item[0] == "p" or item[1] in finished
                            if item[0] == "p" or item[1] not in empty:
                                assert level.setdefault(item, group) == group
    assert table.goal in finished | made
