"""The neural tagger: UPOS, XPOS, FEATS and lemmas, each word and column by itself, from the vectors of a network.

The probability of a tagging is the product of those of its tags; lemmas are no tags.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from treewright.arrays import Array, Floats, Ints, Singles
from treewright.neural.columns import COLUMNS, TAGS, column_numbers
from treewright.neural.network import Network
from treewright.tagging.given import Given
from treewright.tagging.lemmas.scripts import apply_script
from treewright.tagging.tagger import SentenceTagger, Tagging
from treewright.treebank import Sentence

__all__ = ["NeuralTagger"]


@dataclass(frozen=True, eq=False)
class NeuralTagger(SentenceTagger):
    """Tags sentences by a network.

    Attributes
    ----------
    network : Network
    temperatures : mapping
        What logits are divided by to be log-probabilities, by the name of the column; 1 unless given.
    """

    network: Network
    temperatures: Mapping[str, float] = field(default_factory=dict)

    @property
    def names(self) -> Sequence[str]:
        """The columns of a sentence that are tagged."""
        return [COLUMNS[name] for name in self.network.settings.columns]

    def values(self, name: str) -> Sequence[str]:
        """List the tags of a column; nothing if there is no such column."""
        return self.network.settings.columns.get(name, ()) if name in TAGS else ()

    def calibrated(self, temperatures: Mapping[str, float]) -> NeuralTagger:
        """Return the same tagger with other temperatures, by the names of the columns."""
        return replace(self, temperatures={**self.temperatures, **temperatures})

    def tag(self, sentence: Sentence, given: Given | None = None) -> Sentence:
        """Fill in the columns that the network was trained for; given tags stay, and so do the other columns."""
        if not len(sentence):
            return sentence
        logits = self.network.encode(sentence.forms).columns
        return self._filled(sentence, {name: one.argmax(axis=1) for name, one in logits.items()}, given)

    def k_best(self, sentence: Sentence, k: int, given: Given | None = None) -> list[Tagging]:
        """Find the k most probable taggings, best first; fewer if there are not that many.  They differ in tags.

        They are built up word by word and column by column: the k best of the beginnings, each with the k best tags.
        """
        if not len(sentence):
            return [Tagging(sentence, 0.0)]
        best: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
        logits = self.network.encode(sentence.forms).columns
        logs = self._log_probabilities(logits)
        others = {name: one.argmax(axis=1) for name, one in logits.items() if name not in logs}
        for name, table in logs.items():
            for word, row in enumerate(table):
                fixed = given is not None and given[COLUMNS[name]][word]
                tags = [(0.0, 0)] if fixed else [(float(row[tag]), int(tag)) for tag in np.argsort(-row)[:k]]
                longer = ((log + more, (*so_far, tag)) for log, so_far in best for more, tag in tags)
                best = heapq.nlargest(k, longer, key=lambda pair: pair[0])
        found = []
        for log, chosen in best:
            numbers = np.array(chosen, np.int64).reshape(len(logs), len(sentence))
            filled = others | dict(zip(logs, numbers, strict=True))
            found.append(Tagging(self._filled(sentence, filled, given), log))
        return found

    def confidence(self, sentence: Sentence, given: Given | None = None) -> dict[str, Floats]:
        """Compute the probability of each tag of a tagged sentence: 1 if it is given, 0 if it is unknown."""
        if not len(sentence):
            return {}
        found = {}
        columns = self.network.settings.columns
        numbers = column_numbers(sentence, {name: columns[name] for name in TAGS if name in columns})
        for name, logs in self._log_probabilities(self.network.encode(sentence.forms).columns).items():
            own = numbers[name]
            shares = np.where(own >= 0, np.exp(logs[np.arange(len(own)), own]), 0.0)
            column = COLUMNS[name]
            found[column] = shares if given is None else np.where(given[column], 1.0, shares)
        return found

    def describe(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Describe the tagger; its network is that of the scorer."""
        return {"kind": "neural", "temperatures": dict(self.temperatures)}, {}

    @classmethod
    def restore(cls, manifest: Mapping[str, Any], network: Network) -> NeuralTagger:
        """Build a tagger from its description and the network of the scorer."""
        return cls(network, {name: float(value) for name, value in manifest["temperatures"].items()})

    def _log_probabilities(self, columns: Mapping[str, Singles]) -> dict[str, Floats]:
        """Compute the logarithms of the probabilities of tags."""
        found = {}
        for name, logits in columns.items():
            if name not in TAGS:
                continue
            scaled = logits.astype(np.float64) / self.temperatures.get(COLUMNS[name], 1.0)
            found[name] = scaled - np.logaddexp.reduce(scaled, axis=1, keepdims=True)
        return found

    def _filled(self, sentence: Sentence, numbers: Mapping[str, Ints], given: Given | None) -> Sentence:
        """Write the values of these numbers into the columns, but where tags are given."""
        filled = {}
        for name, chosen in numbers.items():
            values, column = self.network.settings.columns[name], COLUMNS[name]
            texts = [values[number] for number in chosen.tolist()]
            if name == "lemma":
                texts = list(map(apply_script, texts, sentence.forms))
            if given is not None and given[column].any():
                own = zip(given[column].tolist(), getattr(sentence, column), texts, strict=True)
                texts = [old if is_given else new for is_given, old, new in own]
            filled[column] = texts
        return sentence.replace(**filled)
