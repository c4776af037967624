"""Random scores of every kind that has broken a searcher."""

from collections.abc import Iterator

import numpy as np

from tests.inference.parts import PARTS, can_exist, shape_of
from treewright.inference import Scores


def _random(rng, shape, rate):
    return rng.normal(size=shape)


def _tied(rng, shape, rate):
    return rng.integers(-1, 2, shape).astype(float)


def _extreme(rng, shape, rate):
    return rng.choice([-1e4, 0.0, 1e4], shape) + rng.normal(size=shape)


def _masked(rng, shape, rate):
    return np.where(rng.random(shape) < rng.choice([0.2, 0.4, 0.6]) * rate, -np.inf, rng.normal(size=shape))


def _lowest(rng, shape, rate):
    return np.where(rng.random(shape) < 0.3 * rate, np.finfo(np.float32).min, rng.integers(-3, 4, shape))


def _positive(rng, shape, rate):
    return rng.uniform(1.0, 10.0, shape)


def _root_heavy(rng, shape, rate):
    scores = rng.normal(size=shape)
    scores[0] += 20.0
    return scores


KINDS = {
    "random": _random,
    "tied": _tied,
    "extreme": _extreme,
    "masked": _masked,
    "lowest": _lowest,
    "positive": _positive,
    "root-heavy": _root_heavy,
}


def draw(
    rng: np.random.Generator,
    kind: str,
    n: int,
    labelled: bool,
    dtype: type,
    factorization: str = "arc",
    projective=True,
) -> Scores:
    """Scores of a kind, with junk wherever nothing counts."""
    return Scores(**draw_arrays(rng, kind, n, labelled, dtype, factorization, projective))


def draw_arrays(rng, kind, n, labelled, dtype, factorization="arc", projective=True) -> dict[str, np.ndarray]:
    """The arrays of scores of a kind, by name; ``projective`` says what may be junk."""
    arrays = {}
    for name in PARTS[factorization]:
        # The more parts a tree has, the fewer of them may be forbidden if there are to be trees.
        rate = 1.0 if factorization == "arc" else 0.5 if name == "arc" else 0.2
        arrays[name] = KINDS[kind](rng, shape_of(name, n), rate).astype(dtype)
    if labelled:
        arrays["label"] = KINDS[kind](rng, (n + 1, n + 1, 3), 1.0).astype(dtype)
    for name, array in arrays.items():
        array[never(name, n)] = rng.choice([np.nan, np.inf, -np.inf, 1e30])
        if projective:
            array[unlikely(name, n)] = rng.choice([1e30, -1e30, -np.inf])
    return arrays


def never(name: str, n: int) -> np.ndarray:
    """Which entries of an array belong to no tree of any kind; they may hold anything, NaN too."""
    return ~can_exist("arc" if name == "label" else name, n, False, False)


def unlikely(name: str, n: int) -> np.ndarray:
    """Which entries belong to no projective tree, though to others; they may hold any score."""
    name = "arc" if name == "label" else name
    return can_exist(name, n, False, False) & ~can_exist(name, n, True, False)


def many(
    kind: str,
    labelled: bool,
    dtype: type,
    each: int = 60,
    longest: int = 5,
    factorization: str = "arc",
    projective=True,
) -> Iterator[Scores]:
    """A stream of instances, the same in every run; the trees of six words are many, so they come less often."""
    rng = np.random.default_rng([sorted(KINDS).index(kind), labelled, dtype is np.float32])
    for n in range(1, longest + 1):
        for _ in range(each if n < 6 else (each + 3) // 4):
            yield draw(rng, kind, n, labelled, dtype, factorization, projective)
