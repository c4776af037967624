"""An independent truth for sentences too long to list their trees: an integer linear program, solved by HiGHS.

Variables are arcs and paths of modifiers (s → m for each head, side and grandparent), and as in Martins et al. (2009) a
single commodity flows from the root, so that what is chosen is a tree.  Nothing here is shared with the library.
"""

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array


class Program:
    """Rows and columns of a program that grows."""

    def __init__(self) -> None:
        self.objective, self.integral, self.upper = [], [], []
        self.entries, self.low, self.high = [], [], []

    def variable(self, score: float, integral: bool = True, upper: float = 1.0) -> int:
        forbidden = score == -np.inf
        self.objective.append(0.0 if forbidden else -score)
        self.integral.append(int(integral))
        self.upper.append(0.0 if forbidden else upper)
        return len(self.objective) - 1

    def constrain(self, terms: list[tuple[int, float]], low: float, high: float) -> None:
        self.entries += [(len(self.low), column, value) for column, value in terms]
        self.low.append(low)
        self.high.append(high)

    def solve(self) -> tuple[float, np.ndarray]:
        rows, columns, values = zip(*self.entries, strict=True)
        matrix = coo_array((values, (rows, columns)), shape=(len(self.low), len(self.objective))).tocsr()
        answer = milp(
            self.objective,
            integrality=self.integral,
            bounds=Bounds(0, self.upper),
            constraints=LinearConstraint(matrix, self.low, self.high),
            options={"mip_rel_gap": 0.0},
        )
        assert answer.success, answer.message
        return -answer.fun, answer.x


def best_tree(arrays: dict[str, np.ndarray], single_root: bool) -> tuple[float, np.ndarray]:
    """The score and the heads of the best tree, projective or not, under dense arrays named as those of Scores."""
    n = len(arrays["arc"]) - 1
    program, has_grand = Program(), bool({"grandchild", "grand_sibling"} & set(arrays))
    arcs = {(h, m): program.variable(arrays["arc"][h, m]) for h in range(n + 1) for m in range(1, n + 1) if h != m}
    for m in range(1, n + 1):
        program.constrain([(arcs[h, m], 1.0) for h in range(n + 1) if h != m], 1, 1)
    if single_root:
        program.constrain([(arcs[0, m], 1.0) for m in range(1, n + 1)], 1, 1)
    _flow(program, arcs, n)
    for h in range(n + 1):
        above = [g for g in range(n + 1) if g != h] if h and has_grand else [0 if not h else None]
        for side in (1,) if h == 0 else (0, 1):
            _side(program, arrays, arcs, h, side, above, n)
    score, x = program.solve()
    heads = np.full(n + 1, -1, np.int32)
    for (h, m), column in arcs.items():
        if x[column] > 0.5:
            heads[m] = h
    return score, heads


def _flow(program, arcs, n):
    """Each word takes one unit of what leaves the root, along arcs that are chosen."""
    flow = {arc: program.variable(0.0, integral=False, upper=float(n)) for arc in arcs}
    program.constrain([(flow[0, m], 1.0) for m in range(1, n + 1)], n, n)
    for m in range(1, n + 1):
        into = [(flow[h, m], 1.0) for h in range(n + 1) if h != m]
        program.constrain(into + [(flow[m, k], -1.0) for k in range(1, n + 1) if k != m], 1, 1)
    for arc, column in arcs.items():
        program.constrain([(flow[arc], 1.0), (column, -float(n))], -np.inf, 0)


def _side(program, arrays, arcs, h, side, above, n):
    """A path from START to END through the modifiers of one side, below one of the heads that h may have."""
    modifiers = list(range(h + 1, n + 1)) if side else list(range(h - 1, 0, -1))
    taken = {m: [] for m in modifiers}
    for g in above:
        into, out = {m: [] for m in modifiers}, {m: [] for m in modifiers}
        first = []
        for j, s in enumerate([None, *modifiers]):
            if h or s is not None:  # the root has modifiers
                last = arrays["last"][h, h if s is None else s, side] if "last" in arrays else 0.0
                (first if s is None else out[s]).append((program.variable(last), -1.0))
            for m in modifiers[j:]:
                if g is not None and h and g in (s, m):
                    continue
                move = program.variable(_score(arrays, g, h, h if s is None else s, m))
                into[m].append((move, 1.0))
                (first if s is None else out[s]).append((move, -1.0))
        for m in modifiers:
            program.constrain(into[m] + out[m], 0, 0)
            taken[m] += into[m]
        start = [(arcs[g, h], 1.0)] if h and g is not None else []
        program.constrain(first + start, 0 if start else -1, 0 if start else -1)
    for m in modifiers:
        program.constrain([*taken[m], (arcs[h, m], -1.0)], 0, 0)


def _score(arrays, g, h, s, m):
    total = arrays["sibling"][h, s, m] if "sibling" in arrays else 0.0
    if "grandchild" in arrays:
        total += arrays["grandchild"][g, h, m]
    if "grand_sibling" in arrays:
        total += arrays["grand_sibling"][g, h, s, m]
    return float(total)
