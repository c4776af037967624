"""Building `Candidates` from named features, one sentence at a time.

Features are numbered in the order of their first occurrence.  Features of few sentences are dropped at the end: the
article keeps those "seen on at least one parse for at least five different sentences" (Collins and Koo 2005, section
5.2).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from treewright.arrays import Ints, Mask, Places, Singles
from treewright.kernels import kernel
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.candidates.offsets import offsets_of
from treewright.reranking.candidates.origin import Origin
from treewright.reranking.candidates.strings import Strings

__all__ = ["CandidatesBuilder", "count_sentences"]

#: The features of a candidate: names, or names and values.
Named = Iterable[str] | Mapping[str, float]


class CandidatesBuilder:
    """Collects candidates into columns.

    Parameters
    ----------
    vocabulary : sequence of str, optional
        The names of the features to keep, such as those of the training data for dev and test data; others are
        ignored.  By default every new name becomes a feature.
    origin : Origin, optional
        How the candidates were listed.

    Examples
    --------
    >>> builder = CandidatesBuilder()
    >>> builder.add([-1.2, -0.8], [1.0, 0.5], [["NP -> DT NN", "S"], ["S"]])
    >>> builder.add([-3.0], [1.0], [{"S": 2.0, "VP": 1.0}], ids=["(S (VP go))"])
    Traceback (most recent call last):
        ...
    ValueError: either all sentences have ids, or none
    >>> train = builder.build(cutoff=1)
    >>> train, list(train.names)
    (<Candidates: 1 sentences, 2 candidates, 2 features>, ['NP -> DT NN', 'S'])
    >>> CandidatesBuilder(train.names).build()
    <Candidates: 0 sentences, 0 candidates, 2 features>
    """

    def __init__(self, vocabulary: Sequence[str] | None = None, origin: Origin | None = None) -> None:
        self.origin = origin
        self._frozen = vocabulary is not None
        self._numbers: dict[str, int] = {name: number for number, name in enumerate(vocabulary or ())}
        if vocabulary is not None and len(self._numbers) != len(vocabulary):
            raise ValueError("a feature is named twice in the vocabulary")
        self._offsets, self._feature_offsets = array("q", [0]), array("q", [0])
        self._log_probability, self._gold, self._size = array("d"), array("d"), array("d")
        self._features, self._values = array("i"), array("f")
        self._has_values = self._has_sizes = self._has_ids = False
        self._id_offsets, self._id_data = array("q", [0]), bytearray()

    def __len__(self) -> int:
        """Return the number of sentences so far."""
        return len(self._offsets) - 1

    def add(
        self,
        log_probability: Sequence[float],
        gold: Sequence[float],
        features: Sequence[Named],
        size: Sequence[float] | None = None,
        ids: Sequence[str] | None = None,
    ) -> None:
        """Add the candidates of one sentence.

        Parameters
        ----------
        log_probability, gold, size, ids
            One entry per candidate; see `Candidates`.
        features : sequence of iterables of str or of mappings from str to float
            The features of each candidate: names (repeated names count once), or names and values.
        """
        count = len(log_probability)
        if not count:
            raise ValueError("a sentence needs at least one candidate")
        columns = [("gold", gold), ("features", features), ("size", size), ("ids", ids)]
        for name, column in columns:
            if column is not None and len(column) != count:
                raise ValueError(f"{count} candidates need {count} entries of {name}, not {len(column)}")
        for name, given, had in (("sizes", size, self._has_sizes), ("ids", ids, self._has_ids)):
            if len(self) and (given is not None) != had:
                raise ValueError(f"either all sentences have {name}, or none")
        self._has_sizes, self._has_ids = size is not None, ids is not None
        self._log_probability.extend(log_probability)
        self._gold.extend(gold)
        self._size.extend(size or ())
        for text in ids or ():
            self._id_data += text.encode("utf-8", "surrogatepass")
            self._id_offsets.append(len(self._id_data))
        for named in features:
            self._add_features(named)
        self._offsets.append(len(self._gold))

    def _add_features(self, named: Named) -> None:
        """Add the features of the next candidate."""
        if isinstance(named, Mapping):
            numbered = {self._number(name): float(value) for name, value in named.items() if value}
            numbered.pop(-1, None)
            if not self._has_values and any(value != 1.0 for value in numbered.values()):
                self._values = array("f", [1.0]) * len(self._features)
                self._has_values = True
            numbers = sorted(numbered)
            if self._has_values:
                self._values.extend(map(numbered.__getitem__, numbers))
        else:
            numbers = sorted({self._number(name) for name in named} - {-1})
            if self._has_values:
                self._values.extend([1.0] * len(numbers))
        self._features.extend(numbers)
        self._feature_offsets.append(len(self._features))

    def _number(self, name: str) -> int:
        if self._frozen:
            return self._numbers.get(name, -1)
        return self._numbers.setdefault(name, len(self._numbers))

    def build(self, cutoff: int = 1) -> Candidates:
        """Return the candidates collected so far.

        Parameters
        ----------
        cutoff : int
            The number of sentences a feature must occur in to be kept.  A given vocabulary is kept whole.
        """
        offsets, feature_offsets = np.array(self._offsets, np.int64), np.array(self._feature_offsets, np.int64)
        features, names = np.frombuffer(self._features or b"", np.int32), list(self._numbers)
        values = np.array(self._values, np.float32) if self._has_values else None
        if not self._frozen and cutoff > 1:
            counts = count_sentences(offsets, feature_offsets, features, len(names))
            kept = counts >= cutoff
            names = [names[k] for k in np.flatnonzero(kept)]
            feature_offsets, features, values = _keep(feature_offsets, features, values, kept)
        return Candidates(
            offsets,
            np.array(self._log_probability),
            np.array(self._gold),
            feature_offsets,
            np.array(features),
            values,
            np.array(self._size) if self._has_sizes else None,
            Strings.of(names),
            Strings(np.array(self._id_offsets, np.int64), np.array(self._id_data, np.uint8)) if self._has_ids else None,
            origin=self.origin,
        )


def _keep(
    feature_offsets: Ints, features: Places, values: Singles | None, kept: Mask
) -> tuple[Ints, Places, Singles | None]:
    """Drop features, and renumber the others in the same order."""
    stays = kept[features]
    renumbered = (np.cumsum(kept) - 1).astype(np.int32)
    return offsets_of(stays)[feature_offsets], renumbered[features[stays]], None if values is None else values[stays]


@kernel
def count_sentences(offsets: Ints, feature_offsets: Ints, features: Places, feature_count: int) -> Ints:
    """Count, for each feature, the sentences with a candidate that has it."""
    counts = np.zeros(feature_count, np.int64)
    last = np.full(feature_count, -1, np.int64)
    for i in range(len(offsets) - 1):
        for place in range(feature_offsets[offsets[i]], feature_offsets[offsets[i + 1]]):
            k = features[place]
            if last[k] != i:
                last[k] = i
                counts[k] += 1
    return counts
