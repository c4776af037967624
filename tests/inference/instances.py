"""Random scores of every kind that has broken a searcher."""

from collections.abc import Iterator

import numpy as np

from treewright.inference import Scores


def _random(rng, shape):
    return rng.normal(size=shape)


def _tied(rng, shape):
    return rng.integers(-1, 2, shape).astype(float)


def _extreme(rng, shape):
    return rng.choice([-1e4, 0.0, 1e4], shape) + rng.normal(size=shape)


def _masked(rng, shape):
    return np.where(rng.random(shape) < rng.choice([0.2, 0.4, 0.6]), -np.inf, rng.normal(size=shape))


def _lowest(rng, shape):
    return np.where(rng.random(shape) < 0.3, np.finfo(np.float32).min, rng.integers(-3, 4, shape))


def _positive(rng, shape):
    return rng.uniform(1.0, 10.0, shape)


def _root_heavy(rng, shape):
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


def draw(rng: np.random.Generator, kind: str, n: int, labelled: bool, dtype: type) -> Scores:
    """Scores of a kind, with junk wherever nothing counts."""
    arc = KINDS[kind](rng, (n + 1, n + 1)).astype(dtype)
    label = KINDS[kind](rng, (n + 1, n + 1, 3)).astype(dtype) if labelled else None
    for array in (arc, label):
        if array is not None:
            junk = rng.choice([np.nan, np.inf, -np.inf, 1e30])
            array[:, 0] = junk
            array[np.diag_indices(n + 1)] = junk
    return Scores(arc=arc, label=label)


def many(kind: str, labelled: bool, dtype: type, each: int = 60, longest: int = 5) -> Iterator[Scores]:
    """A stream of instances, the same in every run."""
    rng = np.random.default_rng([sorted(KINDS).index(kind), labelled, dtype is np.float32])
    for n in range(1, longest + 1):
        for _ in range(each):
            yield draw(rng, kind, n, labelled, dtype)
