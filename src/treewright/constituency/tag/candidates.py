"""The spines that words may have: those seen with their tags (Carreras, Collins and Koo 2008, section 4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treewright.arrays import Ints
from treewright.constituency.tag.automata import Automata
from treewright.constituency.tag.links import Senses

__all__ = ["Choices", "SpineDictionary", "WordChoices"]


class WordChoices(NamedTuple):
    """The places and the tops of the spines of each word; word 0 is the root."""

    place_starts: Ints
    places: Ints
    top_starts: Ints
    tops: Ints


class Choices(NamedTuple):
    """The senses of the words of a sentence, and the places and tops of these senses."""

    senses: Senses
    words: WordChoices


class _Own(NamedTuple):
    """The spines of one word, with their places and tops."""

    spines: Ints
    places: Ints
    tops: Ints


class SpineDictionary:
    """Lists the spines that words may have."""

    def __init__(self, automata: Automata) -> None:
        self.automata = automata
        self._kept: dict[tuple[str, int], _Own] = {}
        self._root = self._own([automata.root])
        totals = np.bincount(automata.grammar.candidates, automata.grammar.counts, len(automata.grammar.spines))
        self._spare = int(np.argmax(totals * (automata.grammar.lengths > 0)))

    def _own(self, spines: Sequence[int]) -> _Own:
        tables, wanted = self.automata.tables, np.unique(np.asarray(spines, np.int64))
        wanted = wanted[np.argsort(tables.tops[wanted], kind="stable")]
        places = [tables.places[tables.starts[spine] : tables.starts[spine + 1]] for spine in wanted]
        found = np.unique(np.concatenate(places)).astype(np.int64)
        return _Own(wanted, found[found >= 0], np.unique(tables.tops[wanted]).astype(np.int64))

    def _of(self, tag: str, extra: int) -> _Own:
        key = tag, extra
        if key not in self._kept:
            spines = self.automata.grammar.candidates_of(tag).tolist()
            self._kept[key] = self._own(spines if extra < 0 else [*spines, extra])
        return self._kept[key]

    def choices(self, tags: Sequence[str], extra: Sequence[int] | None = None) -> Choices:
        """List the choices of words with these tags; ``extra`` has another spine of each word, such as the gold one."""
        more = [-1] * len(tags) if extra is None else extra
        return _joined([self._root, *(self._of(tag, spine) for tag, spine in zip(tags, more, strict=True))])

    def choices_of(self, spines: Sequence[Sequence[int]]) -> Choices:
        """List the choices of words that have these spines."""
        return _joined([self._root, *map(self._own, spines)])

    def spare(self, count: int) -> list[int]:
        """List a spare spine for each word: the most frequent one that other words can be joined to."""
        return [self._spare] * count


def _joined(own: Sequence[_Own]) -> Choices:
    """Join what words may have, one after another."""
    spines, places, tops = zip(*own, strict=True)
    return Choices(
        Senses(_starts(spines), np.concatenate(spines)),
        WordChoices(_starts(places), np.concatenate(places), _starts(tops), np.concatenate(tops)),
    )


def _starts(lists: Sequence[Ints]) -> Ints:
    return np.concatenate([[0], np.cumsum([len(own) for own in lists])]).astype(np.int64)
