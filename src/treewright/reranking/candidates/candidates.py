"""Candidates: the lists of parses that a reranker chooses from, with their features, in columns.

Sentence i has the candidates ``offsets[i]`` to ``offsets[i + 1]``, and candidate c has the features
``features[feature_offsets[c]:feature_offsets[c + 1]]``: the nonzero h_k(x) of Collins and Koo (2005, section 4.1).  A
candidate is a number, never an object.

The best candidate of a list, x_{i,1} in the article, has the highest score.  The article assumes that there is one.
Here several often have it; where one must be named, it is the one with the highest log-probability under the base
model (the article's footnote 8), then the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats, Ints, Mask, Places, Singles
from treewright.errors import UsageError
from treewright.kernels import kernel
from treewright.reranking.candidates.offsets import gather
from treewright.reranking.candidates.origin import Origin
from treewright.reranking.candidates.strings import Strings
from treewright.reranking.options import Ties

__all__ = ["Candidates"]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Lists of candidates, one list per sentence.

    Attributes
    ----------
    offsets : (sentences + 1,) int64
        Where the list of each sentence begins; no list is empty.
    log_probability : (candidates,) float64
        L(x), the log-probability under the base model, whose weight is α₀.
    gold : (candidates,) float64
        The accuracy of each candidate, such as its F1 or its share of correct arcs; higher is better.
    feature_offsets : (candidates + 1,) int64
        Where the features of each candidate begin.
    features : int32
        The numbers of the features, increasing within a candidate.
    values : float32, optional
        The values of the features; by default all are 1.
    size : (candidates,) float64, optional
        The factor that turns ``gold`` into the score of section 5.1, such as the number of gold constituents.
    names : Strings, optional
        The name of each feature.
    ids : Strings, optional
        A text for each candidate, such as its tree on one line.
    feature_count : int
        The number of features; by default the number of names, or one more than the highest feature number.
    origin : Origin, optional
        How the candidates were listed.

    Examples
    --------
    Two sentences, with two candidates and one:

    >>> import numpy as np
    >>> candidates = Candidates(
    ...     offsets=np.array([0, 2, 3]), log_probability=np.array([-1.0, -2.0, -1.5]), gold=np.array([0.5, 1.0, 1.0]),
    ...     feature_offsets=np.array([0, 2, 3, 3]), features=np.array([0, 1, 2], np.int32),
    ... )
    >>> candidates
    <Candidates: 2 sentences, 3 candidates, 3 features>
    >>> candidates.oracle().tolist(), candidates.base().tolist()
    ([1, 2], [0, 2])
    """

    offsets: Ints
    log_probability: Floats
    gold: Floats
    feature_offsets: Ints
    features: Places
    values: Singles | None = None
    size: Floats | None = None
    names: Strings | None = None
    ids: Strings | None = None
    feature_count: int = -1
    origin: Origin | None = None

    def __post_init__(self) -> None:
        for name, dtype in _DTYPES.items():
            array = getattr(self, name)
            if array is not None:
                view = np.ascontiguousarray(array, dtype).view()
                view.flags.writeable = False  # like arrays mapped from a file, so that kernels are compiled once
                object.__setattr__(self, name, view)
        if self.names is not None and self.feature_count < 0:
            object.__setattr__(self, "feature_count", len(self.names))
        self._check_shapes()
        highest = int(check_features(self.feature_offsets, self.features))
        if highest < 0:
            raise ValueError("the features of each candidate must be numbers in increasing order")
        if self.feature_count < 0:
            object.__setattr__(self, "feature_count", highest)
        if highest > self.feature_count or (self.names is not None and len(self.names) != self.feature_count):
            raise ValueError("every feature needs a name, and a number below the number of features")

    def _check_shapes(self) -> None:
        """Raise a ValueError if the columns do not fit together."""
        for name, end in (("offsets", len(self.log_probability)), ("feature_offsets", len(self.features))):
            array = getattr(self, name)
            if array.ndim != 1 or not len(array) or array[0] != 0 or array[-1] != end:
                raise ValueError(f"{name} must begin at 0 and end at {end}")
            if (array[1:] < array[:-1] + (name == "offsets")).any():
                raise ValueError(f"{name} must increase" + "; a list may not be empty" * (name == "offsets"))
        lengths = {"log_probability": len(self), "gold": len(self), "feature_offsets": len(self) + 1, "size": len(self)}
        lengths |= {"ids": len(self), "values": len(self.features)}
        for name, length in lengths.items():
            array = getattr(self, name)
            if array is not None and len(array) != length:
                raise ValueError(f"{name} must have {length} entries, not {len(array)}")
        for name in ("log_probability", "gold", "size", "values"):
            array = getattr(self, name)
            if array is not None and not np.isfinite(array).all():
                raise ValueError(f"{name} must be finite")

    def __len__(self) -> int:
        """Return the number of candidates of all sentences."""
        return len(self.log_probability)

    def __repr__(self) -> str:
        return f"<Candidates: {self.sentences:,} sentences, {len(self):,} candidates, {self.feature_count:,} features>"

    @property
    def sentences(self) -> int:
        """The number of sentences."""
        return len(self.offsets) - 1

    @property
    def score(self) -> Floats:
        """The score of each candidate (section 5.1): its accuracy times its size."""
        return self.gold if self.size is None else self.gold * self.size

    def oracle(self) -> Ints:
        """Return the number of the best candidate of each sentence, x_{i,1}."""
        chosen: Ints = choose(self.offsets, self.score, self.log_probability)
        return chosen

    def is_best(self, ties: Ties = "all") -> Mask:
        """Return which candidates are the best of their sentences: all with the highest score, or `oracle` alone.

        Examples
        --------
        >>> import numpy as np
        >>> tied = Candidates([0, 3], [-1.0, -2.0, -1.5], [1.0, 0.5, 1.0], np.zeros(4), [])
        >>> tied.is_best().tolist(), tied.is_best("one").tolist()
        ([True, False, True], [True, False, False])
        """
        best, found = self.oracle(), np.zeros(len(self), np.bool_)
        found[best] = True
        if ties == "all":
            found = self.score == np.repeat(self.score[best], np.diff(self.offsets))
        return found

    def base(self) -> Ints:
        """Return the number of the most probable candidate of each sentence under the base model."""
        chosen: Ints = choose(self.offsets, self.log_probability, np.zeros(len(self)))
        return chosen

    def best(self, scores: Floats) -> Ints:
        """Return the number of the candidate of each sentence with the highest of these scores, the first of ties."""
        if len(scores) != len(self):
            raise ValueError(f"{len(self)} candidates need {len(self)} scores, not {len(scores)}")
        chosen: Ints = choose(self.offsets, np.ascontiguousarray(scores, np.float64), np.zeros(len(self)))
        return chosen

    def undecided(self) -> Ints:
        """Return the sentences from which nothing can be learned: those whose candidates all have the same score."""
        if not self.sentences:
            return np.zeros(0, np.int64)
        highest, lowest = (one.reduceat(self.score, self.offsets[:-1]) for one in (np.maximum, np.minimum))
        return np.flatnonzero(highest == lowest)

    def require_choices(self, ties: Ties = "all") -> None:
        """Raise a UsageError unless some list has a candidate that is not a best one; for ``ties`` see `is_best`."""
        if ties == "one" and len(self) == self.sentences:
            raise UsageError("nothing to learn from: no list has more than one candidate")
        if ties == "all" and len(self.undecided()) == self.sentences:
            raise UsageError(
                "nothing to learn from: in no list is one candidate better than another (is there a gold score?)"
            )

    def take(self, sentences: npt.ArrayLike) -> Candidates:
        """Return the lists of these sentences, in this order, with all features.

        Examples
        --------
        >>> import numpy as np
        >>> many = Candidates(np.array([0, 1, 3]), np.zeros(3), np.arange(3.0), np.arange(4), np.arange(3))
        >>> many.take([1]).gold.tolist()
        [1.0, 2.0]
        """
        sentences = np.asarray(sentences, np.int64)
        offsets, rows = gather(self.offsets, sentences)
        feature_offsets, places = gather(self.feature_offsets, rows)
        return Candidates(
            offsets,
            self.log_probability[rows],
            self.gold[rows],
            feature_offsets,
            self.features[places],
            None if self.values is None else self.values[places],
            None if self.size is None else self.size[rows],
            self.names,
            None if self.ids is None else self.ids.take(rows),
            self.feature_count,
            self.origin,
        )


_DTYPES: dict[str, Any] = {
    "offsets": np.int64,
    "log_probability": np.float64,
    "gold": np.float64,
    "feature_offsets": np.int64,
    "features": np.int32,
    "values": np.float32,
    "size": np.float64,
}


@kernel
def check_features(feature_offsets: Ints, features: Places) -> int:
    """Return one more than the highest feature, or -1 if they are negative or not increasing within a candidate."""
    highest = -1
    for c in range(len(feature_offsets) - 1):
        last = -1
        for place in range(feature_offsets[c], feature_offsets[c + 1]):
            if features[place] <= last:
                return -1
            last = features[place]
        highest = max(highest, last)
    return highest + 1


@kernel
def choose(offsets: Ints, first: Floats, second: Floats) -> Ints:
    """Return the entry of each list with the highest ``first``, then the highest ``second``, then the lowest number."""
    chosen = np.empty(len(offsets) - 1, np.int64)
    for i in range(len(chosen)):
        best = offsets[i]
        for c in range(offsets[i] + 1, offsets[i + 1]):
            if first[c] > first[best] or (first[c] == first[best] and second[c] > second[best]):
                best = c
        chosen[i] = best
    return chosen
