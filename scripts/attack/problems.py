"""Random problems of every kind, size and form, with exact answers by enumeration."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from tests.inference.instances import KINDS, never
from tests.inference.parts import PARTS, Oracle, can_exist, model, shape_of

from treewright.arrays import Array, Floats, Mask
from treewright.inference import Scores, Trees

__all__ = ["FORMS", "SCALES", "Exact", "Problem", "draw_problem"]

EPS = float(np.finfo(np.float64).eps)

#: Whole numbers in units of the smallest float, so that sums of floats are exact.
UNIT = 1074

#: What is drawn from; tests draw from less.
FACTORIZATIONS = list(PARTS)

Draw = Callable[[np.random.Generator, tuple[int, ...], float], Floats]


def _one_size(rng: np.random.Generator, shape: tuple[int, ...], rate: float) -> Floats:
    return rng.normal(size=shape) * 10.0 ** rng.integers(-300, 300)


def _mixed(rng: np.random.Generator, shape: tuple[int, ...], rate: float) -> Floats:
    most = rng.choice([4, 10, 18, 40, 299])
    return rng.normal(size=shape) * 10.0 ** rng.uniform(-most, most, shape)


def _two_sizes(rng: np.random.Generator, shape: tuple[int, ...], rate: float) -> Floats:
    size = 10.0 ** rng.integers(3, 14)
    return rng.choice([-size, 0.0, size], shape) + rng.normal(size=shape)


def _subnormal(rng: np.random.Generator, shape: tuple[int, ...], rate: float) -> Floats:
    return rng.integers(-9, 10, shape) * 5e-324


def _nearly_tied(rng: np.random.Generator, shape: tuple[int, ...], rate: float) -> Floats:
    size = 2.0 ** rng.integers(-60, 60)
    return size * (1.0 + EPS * rng.integers(-2, 3, shape))


def _too_large(rng: np.random.Generator, shape: tuple[int, ...], rate: float) -> Floats:
    return rng.uniform(-1.0, 1.0, shape) * rng.choice([1e299, 1e301, 1e308])


#: Scores of every size: those that the law suite draws, and less likely ones.
SCALES: dict[str, Draw] = {
    **KINDS,
    "one size": _one_size,
    "mixed": _mixed,
    "two sizes": _two_sizes,
    "subnormal": _subnormal,
    "nearly tied": _nearly_tied,
    "too large": _too_large,
}


def _strided(array: Array) -> Array:
    return np.repeat(array, 2, axis=-1)[..., ::2]


def _reversed(array: Array) -> Array:
    return array[::-1].copy()[::-1]


def _read_only(array: Array) -> Array:
    array.flags.writeable = False
    return array


def _as_type(array: Array, dtype: str) -> Array:
    with np.errstate(all="ignore"):
        return array.astype(dtype)


def _integers(array: Array) -> Array:
    return np.clip(np.nan_to_num(array), -(2.0**62), 2.0**62).astype(np.int64)


#: The forms that an array of scores may come in.
FORMS: dict[str, Callable[[Array], Array]] = {
    "float64": lambda array: array,
    "float32": functools.partial(_as_type, dtype="f4"),
    "float16": functools.partial(_as_type, dtype="f2"),
    "big-endian": functools.partial(_as_type, dtype=">f8"),
    "integers": _integers,
    "strided": _strided,
    "reversed": _reversed,
    "Fortran": np.asfortranarray,
    "read-only": _read_only,
}


@dataclass
class Problem:
    """A set of trees, arrays in some form, and what is needed to list all answers."""

    trees: Trees
    factorization: str  # as the oracle calls it
    arrays: dict[str, Array]
    name: str

    @property
    def n(self) -> int:
        """The number of words."""
        return len(self.arrays["arc"]) - 1

    def exists(self, name: str) -> Mask:
        """Return which entries of an array are in some tree."""
        return can_exist("arc" if name == "label" else name, self.n, self.trees.projective, self.trees.single_root)

    def scores(self) -> Scores:
        """Make `Scores` of the arrays, as a user would."""
        return Scores(**self.arrays)

    def truth(self) -> Exact:
        """List all trees."""
        return Exact(self)


def draw_problem(rng: np.random.Generator) -> Problem:
    """Draw a problem of any kind."""
    factorization, scale, form = (str(rng.choice(list(table))) for table in (FACTORIZATIONS, SCALES, FORMS))
    is_simple = model(factorization) in ("arc", "sibling", "grand-sibling")
    projective = not (is_simple and rng.random() < 0.5)
    n = int(rng.integers(1, 6 if factorization == "arc" else 5))
    names = [*PARTS[factorization], *(["label"] if rng.random() < 0.3 else [])]
    arrays = {}
    for name in names:
        shape = (n + 1, n + 1, int(rng.integers(1, 4))) if name == "label" else shape_of(name, n)
        rate = 1.0 if name == "label" or factorization == "arc" else 0.5 if name == "arc" else 0.2
        drawn = np.asarray(SCALES[scale](rng, shape, rate), np.float64)
        if form != "integers":
            drawn[never(name, n)] = rng.choice([np.nan, np.inf, -np.inf, 1e30])
        arrays[name] = FORMS[form](drawn)
    constraints = _draw_constraints(rng, n)
    trees = Trees(projective, bool(rng.random() < 0.5), model(factorization))
    shape = "projective" if projective else "nonprojective"
    words = f"{n} words, {factorization}, {shape}, {scale}, {form}, {', '.join([*names, *constraints])}"
    return Problem(trees, factorization, {**arrays, **constraints}, words)


def _draw_constraints(rng: np.random.Generator, n: int) -> dict[str, Array]:
    constraints: dict[str, Array] = {}
    if rng.random() < 0.2:
        constraints["allowed"] = rng.random((n + 1, n + 1)) < 0.8
    if rng.random() < 0.2:
        heads = rng.integers(0, n + 1, n + 1)
        free = (rng.random(n + 1) < 0.7) | (heads == np.arange(n + 1))
        constraints["fixed_heads"] = np.where(free, -1, heads)
    return constraints


class Exact(Oracle):
    """Every answer, by listing all trees; sums of scores are exact, so that their differences are right at any size.

    ``rounding`` is what the total of a tree that competes with the best can be off by in float64.
    """

    def __init__(self, problem: Problem) -> None:
        arrays = {name: np.asarray(array) for name, array in problem.arrays.items()}
        plain = dict.fromkeys(("label", *PARTS["tri-sibling"], "last", "allowed", "fixed_heads")) | arrays
        self.problem = problem
        self._exact: list[list[int | None]] = []
        super().__init__(
            SimpleNamespace(n=problem.n, **plain),
            problem.trees.projective,
            problem.trees.single_root,
            problem.factorization,
        )
        _, mass = self._exact
        scored = {name: array for name, array in arrays.items() if name not in ("allowed", "fixed_heads")}
        values = [array.astype(np.float64)[problem.exists(name)] for name, array in scored.items()]
        finite = [value[np.isfinite(value)] for value in values]
        self.top = max((float(value.max(initial=0.0)) for value in finite), default=0.0)
        self.spread = 2 * sum(float(np.abs(value).max(initial=0.0)) for value in finite)
        self.parts = 2 * len(values) * problem.n
        known = [total for total in mass if total is not None]
        if not known:
            return
        most = max(known)
        self.rounding = 16 * EPS * (self.parts * self.top + abs(_to_float(most)))
        gaps = [-math.inf if total is None else _to_float(total - most) for total in mass]
        self.weights = np.exp(gaps)
        self.exact_log_partition = _to_float(most) + math.log(math.fsum(self.weights))

    def _totals(self, has: dict[str, tuple[Array, Array]], arc: Array, count: int) -> Floats:
        """Add up the scores of each tree exactly."""
        totals: list[int | None] = [0] * count
        for name, (rows, parts) in has.items():
            array = arc if name == "arc" else getattr(self.scores, name, None)
            if array is None:
                continue
            values = array.astype(np.float64).ravel()
            units = {part: _units(values[part]) for part in set(parts.tolist())}
            for row, part in zip(rows.tolist(), parts.tolist(), strict=True):
                total, unit = totals[row], units[part]
                totals[row] = None if total is None or unit is None else total + unit
        self._exact.append(totals)
        return np.array([-math.inf if total is None else _to_float(total) for total in totals])

    @functools.cached_property
    def probabilities(self) -> Floats:
        """The probability of each tree, from exact differences."""
        return self.weights / math.fsum(self.weights)

    @property
    def has_masks(self) -> bool:
        """Whether even the best tree has a score that is there to forbid: beside it, others do not count in floats."""
        return self.best < -1e30


def _units(value: float) -> int | None:
    """Return a float as a whole number of the smallest float; None for minus infinity."""
    if value == -math.inf:
        return None
    numerator, denominator = float(value).as_integer_ratio()
    return (numerator << UNIT) // denominator


def _to_float(units: int) -> float:
    """Return the float nearest to a number of units; infinity where that is too large."""
    try:
        return units / (1 << UNIT)
    except OverflowError:
        return math.copysign(math.inf, units)
