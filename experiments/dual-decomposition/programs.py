"""The comparators of Table 2: parsing as a linear program, or an integer one, solved by HiGHS.

Trees are as in Martins et al. (2009): a word has one head, and flow along the arcs reaches every word from the root, of
one commodity for all of them, LP(S), or of one for each, LP(M).  An automaton is a unit of flow from START to END
through the modifiers that it takes, for each head that its word may have if grandparents are scored.  With that, LP(M)
is the very relaxation whose dual the subgradient method minimises: arborescences and paths are the corners of both
polytopes.  How the paper wrote down consecutive siblings for its LPs is not said there.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from treewright.inference import Scores, Trees

#: What is not further than this from a whole number is one.
TOLERANCE = 1e-6

#: Program → are there many commodities, and are arcs whole?
PROGRAMS = {"LP(S)": (False, False), "LP(M)": (True, False), "ILP": (False, True)}


@dataclass(frozen=True)
class Solution:
    """Heads (of a tree close by, where the solution is fractional), the value, whether arcs are whole, and seconds.

    ``heads`` are None if there was no solution in time.
    """

    heads: np.ndarray | None
    value: float
    integral: bool
    seconds: float


@dataclass(frozen=True)
class Paths:
    """What automata may do, in flat arrays.

    Nodes are the modifiers that an automaton may take, each with its arc; there is an automaton for each head, or one
    for each arc above it.  Moves and ends start from a node, or (-1) from the start of a side.
    """

    node_arc: np.ndarray
    moves: tuple[np.ndarray, np.ndarray, np.ndarray]  # from which node, from which start, to which node
    ends: tuple[np.ndarray, np.ndarray]  # from which node, from which start
    scores: np.ndarray  # of the moves, then of the ends
    supply: np.ndarray  # for each start the arc whose value is sent, or -1 for one


def solve(scores: Scores, single_root: bool, program: str, limit: float) -> Solution:
    """Parse by a program of PROGRAMS, for so many seconds at most."""
    many, whole = PROGRAMS[program]
    parts = scores.parts
    paths = grand_paths(scores) if "grand_sibling" in scores.higher else sibling_paths(scores)
    paths = with_root(paths, single_root)
    heads, modifiers = parts.arc.T
    arcs = len(heads)
    matrix, low, high = constraints(parts.n, heads, modifiers, paths, single_root, many)
    objective = np.zeros(matrix.shape[1])
    objective[:arcs], objective[arcs : arcs + len(paths.scores)] = -scores.arc, -paths.scores
    upper = np.full(matrix.shape[1], np.inf)
    upper[:arcs] = 1.0
    upper[objective == np.inf] = objective[objective == np.inf] = 0.0
    start = time.process_time()
    answer = milp(
        objective,
        integrality=np.arange(matrix.shape[1]) < (arcs if whole else 0),
        bounds=Bounds(0, upper),
        constraints=LinearConstraint(matrix, low, high),
        options={"time_limit": limit, "mip_rel_gap": 0.0},
    )
    seconds = time.process_time() - start
    if not answer.success:
        return Solution(None, np.nan, False, seconds)
    y = answer.x[:arcs]
    integral = bool(np.abs(y - y.round()).max() < TOLERANCE)
    return Solution(nearest_tree(parts, y, single_root), -answer.fun, integral, seconds)


def with_root(paths, single_root):
    """Make the root take at least one modifier, or exactly one, as dual decomposition does.

    Its automaton is the last one with grandparents, and the first without, on the right; there is none on the left.
    """
    left = len(paths.supply) - 2 if paths.supply.max() >= 0 else 0
    (source, start, _), (end_source, end_start) = paths.moves, paths.ends
    forbidden_move = (start == left + 1) & (source >= 0) & single_root
    forbidden_end = (end_start == left + 1) & (end_source < 0)
    scores = np.where(np.concatenate([forbidden_move, forbidden_end]), -np.inf, paths.scores)
    scores[len(source) :][end_start == left] = 0.0
    return replace(paths, scores=scores)


def nearest_tree(parts, y, single_root):
    """Find the tree that has most of a fractional solution."""
    arc = np.full((parts.n + 1, parts.n + 1), -np.inf)
    arc[tuple(parts.arc.T)] = y
    return Trees(False, single_root).argmax(Scores(arc=arc)).heads


def sibling_paths(scores):
    """One automaton for each head: Example 1."""
    parts, number = scores.parts, scores.parts.arcs.number
    h, s, m = parts.sibling.T
    moves = np.where(s != h, number[h, s], -1), 2 * h + (m > h), parts.arc_of_sibling
    h, s, side = parts.last.T
    ends = np.where(s != h, number[h, s], -1), 2 * h + side
    values = np.concatenate([scores.higher["sibling"], scores.higher["last"]])
    return Paths(np.arange(len(parts.arc)), moves, ends, values, np.full(2 * parts.n + 2, -1))


def grand_paths(scores):
    """One automaton for each arc above a head, the root's own coming last: Example 3."""
    parts, x, higher = scores.parts, scores.parts.arcs, scores.higher
    g, h, s, m = parts.grand_sibling.T
    own = len(parts.arc)
    copy = np.where(h > 0, x.number[g, h], own)
    moves = parts.inner_of_grand, 2 * copy + (m > h), parts.outer_of_grand
    inside = {"sibling": parts.sibling_of_grand, "grandchild": parts.outer_of_grand, "grand_sibling": slice(None)}
    move_scores = sum(higher[name][index] for name, index in inside.items() if name in higher)
    move_scores = np.where((h > 0) & ((g == s) | (g == m)), -np.inf, move_scores)
    first, count = x.list_start[2 * x.modifiers], np.diff(x.slot_start)
    copy = np.repeat(np.arange(own + 1), count)
    row = first[copy] + np.arange(len(copy)) - x.slot_start[copy]
    h, s, side = parts.last[row].T
    below = x.grandchild_start[copy] + x.number[h, s] - x.first[2 * h]
    ends = np.where(s != h, below, -1), 2 * copy + side
    supply = np.repeat(np.append(np.arange(own), -1), 2)
    return Paths(parts.arc_of_grandchild, moves, ends, np.concatenate([move_scores, higher["last"][row]]), supply)


def constraints(n, heads, modifiers, paths, single_root, many):
    """Give all rows, over arcs, moves and ends, and flows, with their bounds."""
    arcs, size = len(heads), len(paths.scores)
    incidence = entries(modifiers - 1, np.arange(arcs), n, arcs)
    below = np.flatnonzero(heads)
    balance = incidence - entries(heads[below] - 1, below, n, arcs)
    flows = sparse.kron(sparse.eye_array(n), balance) if many else balance
    wanted = np.eye(n).ravel() if many else np.ones(n)
    capacity = sparse.kron(np.ones((n, 1)), sparse.eye_array(arcs)) if many else n * sparse.eye_array(arcs)
    through, into, supply, total = automata_rows(paths, arcs)
    rows = [
        ([incidence, None, None], np.ones(n), np.ones(n)),
        ([None, through, None], np.zeros(through.shape[0]), np.zeros(through.shape[0])),
        ([-sparse.eye_array(arcs), into, None], np.zeros(arcs), np.zeros(arcs)),
        ([-supply, total[0], None], total[1], total[1]),
        ([None, None, flows], wanted, wanted),
        ([-capacity, None, sparse.eye_array(flows.shape[1])], np.full(capacity.shape[0], -np.inf), np.zeros(1)),
    ]
    if single_root:
        root = sparse.csr_array((heads == 0)[None, :].astype(float))
        rows.append(([root, None, sparse.csr_array((1, flows.shape[1]))], np.ones(1), np.ones(1)))
    matrix = sparse.block_array([blocks for blocks, _, _ in rows], format="csr")
    assert matrix.shape[1] == arcs + size + flows.shape[1]
    high = [np.broadcast_to(high, low.shape) for _, low, high in rows]
    return matrix, np.concatenate([low for _, low, _ in rows]), np.concatenate(high)


def automata_rows(paths, arcs):
    """Give what balances each node, what enters the nodes of each arc, and what leaves each start."""
    (source, start, target), (end_source, end_start) = paths.moves, paths.ends
    nodes, moves, size = len(paths.node_arc), len(source), len(paths.scores)
    sources, starts = np.concatenate([source, end_source]), np.concatenate([start, end_start])
    enter = entries(target, np.arange(moves), nodes, size)
    inner = np.flatnonzero(sources >= 0)
    leave = entries(sources[inner], inner, nodes, size)
    outer = np.flatnonzero(sources < 0)
    total = entries(starts[outer], outer, len(paths.supply), size)
    sent = np.flatnonzero(paths.supply >= 0)
    supply = entries(sent, paths.supply[sent], len(paths.supply), arcs)
    of_arc = entries(paths.node_arc, np.arange(nodes), arcs, nodes)
    return enter - leave, of_arc @ enter, supply, (total, (paths.supply < 0).astype(float))


def entries(rows, columns, height, width):
    """Make a matrix of ones."""
    return sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(height, width))
