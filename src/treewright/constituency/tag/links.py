"""What is searched: the senses of words, and the links between them; and what is found, the joins of a derivation.

A *sense* is a word with one of the spines it may have (Eisner 2000, section 4.2).  A *link* is a dependency
⟨h, m, (GRM(l), A)⟩: a head, a modifier, the grammatical relation and the kind of adjunction.  A link may lead to
several states of several senses of h, its *targets*, and come from several senses of m.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.arrays import Heads, Ints

__all__ = ["LEFT", "RIGHT", "Joins", "Links", "Senses", "find_links", "find_runs", "sort_links"]

LEFT, RIGHT = 0, 1


class Senses(NamedTuple):
    """The spines that words may have: those of word w are ``spines[starts[w]:starts[w + 1]]``, sorted by top.

    Word 0 has one sense, the spine of the root.
    """

    starts: Ints
    spines: Ints


class Links(NamedTuple):
    """Links, column by column (see `sort_links`)."""

    heads: Ints
    modifiers: Ints
    places: Ints
    tops: Ints
    adjunctions: Ints


class Joins(NamedTuple):
    """How each word but the root is joined: the link, the state of the head that it leads to, and the word's sense."""

    links: Ints
    targets: Ints
    senses: Ints


def find_runs(*columns: Ints | Heads) -> Ints:
    """Find where runs of equal rows begin: the rows that differ from the one before."""
    if not len(columns[0]):
        return np.zeros(0, np.int64)
    return np.flatnonzero(np.append(True, np.any([column[1:] != column[:-1] for column in columns], axis=0)))


def sort_links(links: Links) -> Links:
    """Sort links by head, side, distance, place, adjunction and top, and keep each once."""
    heads, modifiers, places, tops, adjunctions = links
    distance = modifiers - heads
    order = np.lexsort((tops, adjunctions, places, abs(distance), distance > 0, heads))
    rows = Links(*(column[order] for column in links))
    return Links(*(column[find_runs(*rows)] for column in rows))


def find_links(links: Links, wanted: Links) -> Ints:
    """Find the number of each wanted link; all of them must be there."""
    sizes = [int(max(ours.max(), theirs.max())) + 1 for ours, theirs in zip(links, wanted, strict=True)]
    keys, sought = np.ravel_multi_index(links, sizes), np.ravel_multi_index(wanted, sizes)
    order = np.argsort(keys)
    numbers: Ints = order[np.searchsorted(keys, sought, sorter=order)]
    return numbers
