"""The truth about parts: which ones a tree has, straight from the definitions, and every answer by enumeration.

Nothing here is shared with the library: no dynamic program, no matrix, only lists of trees and sums over them.
An index that does not exist repeats h: no inner sibling, s = h; nothing inside s, t = h; nothing above the root, g = 0.
"""

import functools
import math
from types import SimpleNamespace

import numpy as np

from tests.inference.enumeration import all_trees

#: The part arrays that each factorization scores, in the order of the fields of Scores.  Where last modifiers are an
#: option, it is listed twice.
PARTS = {
    "arc": ("arc",),
    "sibling": ("arc", "sibling"),
    "sibling+last": ("arc", "sibling", "last"),
    "grandchild": ("arc", "grandchild"),
    "carreras": ("arc", "sibling", "grandchild"),
    "grand-sibling": ("arc", "sibling", "grandchild", "grand_sibling"),
    "grand-sibling+last": ("arc", "sibling", "last", "grandchild", "grand_sibling"),
    "tri-sibling": ("arc", "sibling", "grandchild", "grand_sibling", "tri_sibling"),
}
RANKS = {"arc": 2, "sibling": 3, "last": 3, "grandchild": 3, "grand_sibling": 4, "tri_sibling": 4}


def model(factorization: str) -> str:
    """What the library calls a factorization."""
    return factorization.removesuffix("+last")


#: The factorizations as the library calls them.
MODELS = [name for name in PARTS if name == model(name)]


def shape_of(name: str, n: int) -> tuple[int, ...]:
    return (n + 1, n + 1, 2) if name == "last" else (n + 1,) * RANKS[name]


def parts_of(heads, factorization: str) -> dict[str, list[tuple[int, ...]]]:
    """The parts of one tree, sorted, by the name of their array."""
    heads = [int(h) for h in heads]
    parts = {name: set() for name in PARTS[factorization]}
    for h in range(len(heads)):
        g = heads[h] if h else 0
        modifiers = [m for m in range(1, len(heads)) if heads[m] == h]
        sides = sorted((m for m in modifiers if m < h), reverse=True), sorted(m for m in modifiers if m > h)
        for which, side in enumerate(sides):
            if "last" in parts and (h, which) != (0, 0):
                parts["last"].add((h, side[-1] if side else h, which))
            found = [_parts_of_arc(model(factorization), g, h, side, k) for k in range(len(side))]
            for name, index in (part for parts_of_arc in found for part in parts_of_arc):
                parts[name].add(index)
    return {name: sorted(indices) for name, indices in parts.items()}


def _parts_of_arc(factorization, g, h, side, k):
    """The parts that the k-th modifier on a side of h closes; side runs from the innermost outwards."""
    m, outermost = side[k], k == len(side) - 1
    s = side[k - 1] if k >= 1 else h
    t = side[k - 2] if k >= 2 else h
    yield "arc", (h, m)
    if factorization in ("sibling", "carreras", "grand-sibling", "tri-sibling"):
        yield "sibling", (h, s, m)
    if factorization in ("grandchild", "grand-sibling") or (factorization == "carreras" and outermost):
        yield "grandchild", (g, h, m)
    if factorization == "grand-sibling":
        yield "grand_sibling", (g, h, s, m)
    if factorization == "tri-sibling":
        yield "tri_sibling", (h, t, s, m)
        if outermost:
            yield "grand_sibling", (g, h, s, m)
            yield "grandchild", (g, h, m)
            if s != h:
                yield "grandchild", (g, h, s)


@functools.cache
def can_exist(name: str, n: int, projective: bool, single_root: bool) -> np.ndarray:
    """Which entries of a part array can be in some tree of a kind, as a boolean array."""
    if name == "last":
        h, s = np.ogrid[: n + 1, : n + 1]
        return np.stack([(h > 0) & (s > 0) & (s <= h), np.where(h == 0, s > 0, s >= h)], axis=2)
    axes = np.ogrid[(slice(n + 1),) * RANKS[name]]
    letters = {"arc": "hm", "sibling": "hsm", "grandchild": "ghm", "grand_sibling": "ghsm", "tri_sibling": "htsm"}
    at = dict(zip(letters[name], axes, strict=True))
    h, m = at["h"], at["m"]
    exists = np.broadcast_to((h != m) & (m > 0), (n + 1,) * RANKS[name]).copy()
    if "s" in at:
        s = at["s"]
        exists &= (s == h) | _between(h, s, m)
        if single_root:
            exists &= (h > 0) | (s == h)
    if "t" in at:
        t = at["t"]
        exists &= (t == h) | ((s != h) & _between(h, t, s))
    if "g" in at:
        g = at["g"]
        exists &= np.where(h == 0, g == 0, (g != h) & (g != m))
        if "s" in at:
            exists &= (g != s) | (h == 0)
        if projective:
            exists &= ~_between(h, g, m)
    return exists


def _between(a, b, c):
    return ((a < b) & (b < c)) | ((c < b) & (b < a))


@functools.cache
def incidence(n: int, projective: bool, single_root: bool, factorization: str) -> dict[str, tuple]:
    """Which tree has which part: for each array, rows of trees and, beside them, flat indices of parts."""
    return _incidence(all_trees(n, projective, single_root), factorization)


def _incidence(trees, factorization):
    rows = {name: [] for name in PARTS[factorization]}
    for row, heads in enumerate(trees):
        for name, indices in parts_of(heads, factorization).items():
            rows[name] += [(row, *index) for index in indices]
    found = {}
    for name, values in rows.items():
        table = np.array(values, np.int64).reshape(-1, RANKS[name] + 1)
        shape = shape_of(name, trees.shape[1] - 1)
        found[name] = table[:, 0], np.ravel_multi_index(tuple(table[:, 1:].T), shape)
    return found


def log_sum(values: np.ndarray, axis: int = -1) -> np.ndarray:
    """log Σ exp, where everything may be minus infinity."""
    with np.errstate(all="ignore"):
        top = values.max(axis=axis, keepdims=True)
        total = np.log(np.exp(values - np.where(np.isfinite(top), top, 0.0)).sum(axis=axis, keepdims=True))
        return np.squeeze(total + np.where(np.isfinite(top), top, 0.0), axis=axis)


def constrained_arcs(scores) -> np.ndarray:
    """The arc scores in float64 with minus infinity wherever allowed or fixed_heads forbid."""
    arc = scores.arc.astype(np.float64)
    allowed, fixed = getattr(scores, "allowed", None), getattr(scores, "fixed_heads", None)
    if allowed is not None:
        arc[~np.asarray(allowed, bool)] = -np.inf
    if fixed is not None:
        for m in range(1, len(arc)):
            if fixed[m] >= 0:
                arc[np.arange(len(arc)) != fixed[m], m] = -np.inf
    return arc


class Oracle:
    """Every answer, by listing all trees."""

    def __init__(self, scores, projective: bool, single_root: bool, factorization: str) -> None:
        self.scores, self.factorization = scores, factorization
        self.kind = scores.n, projective, single_root
        self.trees = all_trees(*self.kind)
        self.has = incidence(*self.kind, factorization)
        self.arc = constrained_arcs(scores)
        with np.errstate(all="ignore"):
            best, mass = self.arc, self.arc
            if scores.label is not None:
                label = scores.label.astype(np.float64)
                best, mass = best + label.max(axis=2), mass + log_sum(label)
        self.totals = self._totals(self.has, best, len(self.trees))
        self.masses = self._totals(self.has, mass, len(self.trees))

    def _totals(self, has, arc, count):
        totals = np.zeros(count)
        for name, (rows, parts) in has.items():
            array = arc if name == "arc" else getattr(self.scores, name, None)
            if array is not None:
                totals += np.bincount(rows, array.astype(np.float64).ravel()[parts], count)
        return totals

    @property
    def possible(self) -> bool:
        return self.best > -np.inf

    @property
    def exact(self) -> bool:
        """Whether the best tree has no part at the lowest float, beside which nothing else can be told apart."""
        return self.best > -1e30

    @property
    def best(self) -> float:
        """The score of the best tree, with its best labels."""
        return float(self.totals.max())

    @functools.cached_property
    def ranking(self) -> np.ndarray:
        """The scores of all trees that are possible, best first."""
        return np.sort(self.totals[self.totals > -np.inf])[::-1]

    @functools.cached_property
    def log_partition(self) -> float:
        return float(log_sum(self.masses))

    @functools.cached_property
    def probabilities(self) -> np.ndarray:
        """The probability of each tree of self.trees, its labels summed out."""
        weights = np.exp(self.masses - self.masses.max())
        return weights / weights.sum()

    @functools.cached_property
    def marginals(self) -> SimpleNamespace:
        """The probability of each part, in arrays named as those of Scores; label as well."""
        size = self.scores.n + 1
        found = dict.fromkeys((*RANKS, "label"))
        for name, (rows, parts) in self.has.items():
            shape = shape_of(name, size - 1)
            weights = np.bincount(parts, self.probabilities[rows], math.prod(shape))
            found[name] = weights.reshape(shape)
        if self.scores.label is not None:
            found["label"] = found["arc"][:, :, None] * self.label_given_arc
        return SimpleNamespace(**found)

    def tangents(self, direction) -> SimpleNamespace:
        """The covariance of each part and the direction of the tree, its labels among them."""
        arc, found = direction.arc, dict.fromkeys((*RANKS, "label"))
        if self.scores.label is not None:
            label = np.where(self.label_given_arc > 0, direction.label, 0.0)
            inner = (label * self.label_given_arc).sum(axis=2)
            arc = arc + inner
        moves = np.zeros(len(self.trees))
        for name, (rows, parts) in self.has.items():
            array = arc if name == "arc" else getattr(direction, name)
            happens = self.probabilities[rows] > 0
            moves += np.bincount(rows[happens], array.ravel()[parts[happens]], len(moves))
        weights = self.probabilities * (moves - (self.probabilities * moves).sum())
        for name, (rows, parts) in self.has.items():
            shape = shape_of(name, self.scores.n)
            found[name] = np.bincount(parts, weights[rows], math.prod(shape)).reshape(shape)
        if self.scores.label is not None:
            within = self.label_given_arc * (label - inner[:, :, None])
            found["label"] = found["arc"][:, :, None] * self.label_given_arc + self.marginals.arc[:, :, None] * within
        return SimpleNamespace(**found)

    @functools.cached_property
    def label_given_arc(self) -> np.ndarray:
        """P(label | arc), zero where there is no arc."""
        label = self.scores.label.astype(np.float64)
        with np.errstate(all="ignore"):
            chance = np.exp(label - log_sum(label)[:, :, None])
        chance[~can_exist("arc", *self.kind)] = 0.0
        return np.nan_to_num(chance)

    @functools.cached_property
    def entropy(self) -> float:
        """The entropy of trees, and of labels given trees."""
        total = _entropy(self.probabilities)
        if self.scores.label is not None:
            total += (self.marginals.arc * _entropy(self.label_given_arc)).sum()
        return float(total)

    @functools.cached_property
    def mbr(self) -> float:
        """The highest expected number of correct arcs of a tree none of whose arcs is forbidden."""
        return float(self.expected_arcs(self.trees)[self.allowed(self.trees)].max())

    def expected_arcs(self, trees) -> np.ndarray:
        return self.marginals.arc[trees[:, 1:], np.arange(1, trees.shape[1])].sum(axis=1)

    def allowed(self, trees) -> np.ndarray:
        """Which trees have no forbidden arc."""
        arc = self.arc.copy()
        if self.scores.label is not None:
            with np.errstate(all="ignore"):
                arc += self.scores.label.max(axis=2)
        return (arc[trees[:, 1:], np.arange(1, trees.shape[1])] > -np.inf).all(axis=1)

    def row(self, heads) -> int:
        """Where a tree stands in self.trees."""
        return int(np.flatnonzero((self.trees == heads).all(axis=1))[0])

    def score(self, heads, labels=None) -> float:
        return score_of(self.scores, heads, self.factorization, labels)

    def log_prob(self, heads, labels=None) -> float:
        if labels is None:
            return float(self.masses[self.row(heads)] - self.log_partition)
        return self.score(heads, labels) - self.log_partition


def _entropy(chances):
    return -(chances * np.log(np.where(chances > 0, chances, 1.0))).sum(axis=-1)


def score_of(scores, heads, factorization: str, labels=None) -> float:
    """The score of one tree, part by part; with label scores and no labels, with the best label of each arc."""
    arc = constrained_arcs(scores)
    total = []
    for name, indices in parts_of(heads, factorization).items():
        array = arc if name == "arc" else getattr(scores, name, None)
        if array is not None:
            total += [float(array[index]) for index in indices]
    if scores.label is not None:
        for m in range(1, len(heads)):
            row = scores.label[heads[m], m]
            total.append(float(row.max() if labels is None else row[labels[m]]))
    return math.fsum(total)
