"""The spines that words may have: those seen with their tags (Carreras, Collins and Koo 2008, section 4.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from treewright.arrays import Array, Heads, Mask
from treewright.constituency.spines.derivation import Derivation
from treewright.constituency.spines.spines import Spine, SpineTable
from treewright.errors import UsageError

__all__ = ["Grammar"]


class Grammar:
    """The spines of a treebank, by tag; immutable.

    Node *k* of spine *i* has the label ``labels[nodes[starts[i] + k]]``; the lowest is node 0.  Tag *t* has the spines
    ``candidates[offsets[t]:offsets[t + 1]]``, the most frequent first; ``counts`` says how often each was seen.

    Parameters
    ----------
    spines : iterable of Spine
        In the order of their numbers.
    counts : mapping of str to mapping of int to int
        For each tag, how often it was seen with each spine, by the number of the spine.

    Attributes
    ----------
    spines : tuple of Spine
    labels, tags : tuple of str
        The labels of nodes, in the order in which spines have them, and the tags, sorted.
    starts, nodes, offsets, candidates, counts : int32 array
    lengths : int32 array, shape (spines,)
        The number of nodes of each spine.

    Examples
    --------
    >>> from treewright.constituency.spines import extract_derivation
    >>> from treewright.treebank import read_trees, simplify
    >>> table = SpineTable()
    >>> trees = map(simplify, read_trees("tests/data/trees.mrg"))
    >>> grammar = Grammar.count([extract_derivation(tree, "collins", table) for tree in trees], table)
    >>> grammar
    <Grammar: 5 spines, 5 tags, 7 pairs of tag and spine>
    >>> [str(grammar.spines[number]) for number in grammar.candidates_of("VBD")]
    ['S/VP', 'SBARQ/SQ/VP']
    """

    def __init__(self, spines: Iterable[Spine], counts: Mapping[str, Mapping[int, int]]) -> None:
        self.spines = tuple(spines)
        self.labels = tuple(dict.fromkeys(chain.from_iterable(spine.labels for spine in self.spines)))
        numbers = {label: number for number, label in enumerate(self.labels)}
        self.lengths = _column(len(spine) for spine in self.spines)
        self.starts = _column([0, *np.cumsum(self.lengths).tolist()])
        self.nodes = _column(numbers[label] for spine in self.spines for label in spine.labels)
        self.tags = tuple(sorted(counts))
        pairs = [
            sorted(counts[tag].items(), key=lambda pair: (-pair[1], pair[0])) for tag in self.tags
        ]  # ties are broken by number, so that the order is always the same
        self.offsets = _column([0, *np.cumsum([len(own) for own in pairs], dtype=np.int32).tolist()])
        self.candidates = _column(number for own in pairs for number, _ in own)
        self.counts = _column(count for own in pairs for _, count in own)
        self._tag_numbers = {tag: number for number, tag in enumerate(self.tags)}
        if self.candidates.size and not 0 <= self.candidates.min() <= self.candidates.max() < len(self.spines):
            raise UsageError(f"a tag has a spine that does not exist; there are {len(self.spines)} spines")

    @classmethod
    def count(cls, derivations: Iterable[Derivation], table: SpineTable) -> Grammar:
        """Count the spines that words have with each tag.

        Spines keep their numbers in the table; those added to it later are not in the grammar.
        """
        counts: dict[str, Counter[int]] = {}
        for derivation in derivations:
            for tag, spine in zip(derivation.tags, derivation.spines.tolist(), strict=True):
                counts.setdefault(tag, Counter())[spine] += 1
        return cls(table, counts)

    def __repr__(self) -> str:
        pairs = f"{len(self.candidates):,} pairs of tag and spine"
        return f"<Grammar: {len(self.spines):,} spines, {len(self.tags):,} tags, {pairs}>"

    @cached_property
    def _by_frequency(self) -> Heads:
        totals = np.bincount(self.candidates, self.counts, len(self.spines))
        return _column(np.argsort(-totals, kind="stable"))

    def candidates_of(self, tag: str) -> Heads:
        """Return the spines seen with a tag, the most frequent first; all spines for a tag that was never seen."""
        number = self._tag_numbers.get(tag)
        if number is None:
            return self._by_frequency
        return self.candidates[self.offsets[number] : self.offsets[number + 1]]

    def covers(self, derivation: Derivation) -> Mask:
        """Return for each word whether its spine was seen with its tag, or the tag was never seen."""
        pairs = zip(derivation.tags, derivation.spines.tolist(), strict=True)
        return np.array([spine in self.candidates_of(tag) for tag, spine in pairs], np.bool_)

    def describe(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Describe the grammar as plain strings and numbers."""
        tags = {}
        for tag, start, end in zip(self.tags, self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True):
            tags[tag] = [self.candidates[start:end].tolist(), self.counts[start:end].tolist()]
        return {"spines": [str(spine) for spine in self.spines], "tags": tags}, {}

    @classmethod
    def restore(cls, manifest: Mapping[str, Any]) -> Grammar:
        """Put together what `describe` took apart."""
        counts = {tag: dict(zip(spines, numbers, strict=True)) for tag, (spines, numbers) in manifest["tags"].items()}
        return cls(map(Spine.from_string, manifest["spines"]), counts)


def _column(values: Iterable[int]) -> Heads:
    column = np.array(values if isinstance(values, np.ndarray) else list(values), np.int32)
    column.flags.writeable = False
    return column
