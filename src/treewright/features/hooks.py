"""Custom features: the factors that hooks propose for a sentence, and the features of them that are learned.

A hook (`treewright.inference.bounds.non_local.Proposer`) yields pairs of arcs and a score.  In place of the score it
may name a feature, or several; the score is then the sum of their weights, which are learned with all others.  Names
are hashed into the table of the larger parts, salted with the name of the hook.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.arrays import Ints
from treewright.errors import UsageError
from treewright.features.weights import Weights
from treewright.inference import Factors, Parts
from treewright.inference.bounds.non_local import Proposer, propose

__all__ = ["Proposal", "check_hooks", "name_of", "proposal"]


class Proposal(NamedTuple):
    """The factors that hooks propose for a sentence.

    Attributes
    ----------
    factors : Factors
        With the scores that hooks set, and zero where the score is learned.
    owners : int64 array
        The factor that each learned feature belongs to.
    hashes : int64 array
        The hash of each learned feature.
    """

    factors: Factors
    owners: Ints
    hashes: Ints

    def scored(self, weights: Weights, offset: int, mask: int) -> Factors:
        """Return the factors with their scores; weights are in the table that begins at ``offset``."""
        if not len(self.owners):
            return self.factors
        values = weights.values[offset + (self.hashes & mask)].astype(np.float64)
        if weights.values.dtype == np.int8:
            values *= np.abs(values)
        learned = np.bincount(self.owners, values * weights.scale, len(self.factors))
        return self.factors.scored(self.factors.scores + learned)

    def features(self, rows: Ints, coefficients: npt.NDArray[np.float32]) -> tuple[Ints, npt.NDArray[np.float32]]:
        """List the hashes of the features of some factors, each with the coefficient of its factor."""
        weight = np.zeros(len(self.factors), np.float32)
        weight[rows[:, 0]] = coefficients
        used = np.flatnonzero(weight[self.owners])
        return self.hashes[used], weight[self.owners[used]]


def name_of(hook: Proposer) -> str:
    """Return the name by which a model knows a hook: that of the function, or of the class of an object."""
    return str(getattr(hook, "__name__", type(hook).__name__))


def check_hooks(hooks: Iterable[Proposer], trained: Collection[str]) -> None:
    """Check that all hooks that a model was trained with are there, and that no two have the same name."""
    names = Counter(map(name_of, hooks))
    for name, count in names.items():
        if count > 1:
            raise UsageError(f"there are {count} hooks named {name!r}: give each function a different name")
    missing = [name for name in trained if name not in names]
    if missing:
        listed = ", ".join(missing)
        raise UsageError(f"this model was trained with hooks: parse in Python, after parser.hooks += [{listed}]")


def proposal(hooks: Sequence[Proposer], sentence: Any, parts: Parts, trained: Collection[str]) -> Proposal:
    """Collect the factors that hooks propose for a sentence (see `propose`); ``trained`` names those with weights."""
    asked = [_Asked(hook, name_of(hook) in trained) for hook in hooks]
    factors = propose(asked, sentence, parts)
    firsts = np.cumsum([0, *(each.count for each in asked)])
    owners = [first + owner for first, each in zip(firsts[:-1], asked, strict=True) for owner in each.owners]
    hashes = [code for each in asked for code in each.hashes]
    return Proposal(factors, np.array(owners, np.int64), np.array(hashes, np.int64))


class _Asked:
    """A hook whose answer is recorded: scores are passed on, names of features are kept here."""

    def __init__(self, hook: Proposer, is_trained: bool) -> None:
        self.__name__ = name_of(hook)
        self._hook, self._is_trained, self._salt = hook, is_trained, zlib.crc32(self.__name__.encode())
        self.count, self.owners, self.hashes = 0, list[int](), list[int]()

    def __call__(self, sentence: Any, parts: Parts, /) -> Factors | Iterator[tuple[Any, float]]:
        answer = self._hook(sentence, parts)
        if isinstance(answer, Factors):
            self.count = len(answer)
            return answer
        return self._scored(answer)

    def _scored(self, pairs: Iterable[tuple[Iterable[Sequence[int]], Any]]) -> Iterator[tuple[Any, float]]:
        for owner, (arcs, said) in enumerate(pairs):
            self.count = owner + 1
            if isinstance(said, (int, float, np.number)):
                yield arcs, float(said)
                continue
            names = [said] if isinstance(said, str) else list(said)
            if names and not self._is_trained:
                raise ValueError(f"it proposes the feature {names[0]!r}, but the model was not trained with this hook")
            for name in names:
                text = name if isinstance(name, str) else f"#{int(name)}"
                self.owners.append(owner)
                self.hashes.append(zlib.crc32(text.encode(), self._salt))
            yield arcs, 0.0
