"""The senses and links of a sentence, numbered so that what is summed over lies side by side.

Senses are sorted by word and top, links by arc, place, adjunction and top.  The modifiers of a word on one side, the
nearest first, are its *slots*, after slot 0, which stands for none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.arrays import Ints, Mask
from treewright.constituency.tag.automata import Tables
from treewright.constituency.tag.links import Links, Senses, find_runs

__all__ = ["LinkGraph", "link_senses"]


class LinkGraph(NamedTuple):
    """Senses, their states, arcs and links, for the kernels of `treewright.constituency.tag.program`.

    A *run* is the links of an arc that have the same place.  A *menu* is a list of targets: those of menu k are
    ``targets[target_starts[k]:target_starts[k + 1]]``.
    """

    n: int  # the number of words
    second: bool  # whether slots tell modifiers apart, as they do in the second-order model
    sense_starts: Ints  # where the senses of each word begin
    states: Ints  # where the states of each sense begin; even, so that the last bit of a state is L
    sense_of: Ints  # the sense of each state
    active: Ints  # (2 senses,): how many states of a sense links lead to, on each side; others need no items
    number: Ints  # (states, 2): which of the active states of its sense a state is, on each side
    arc: Ints  # (n + 1, n + 1): the number of each arc that has links, -1 for the others
    ends: Ints  # (n + 1, 2): how many ends the spans of each word have on each side, 1 … w and w … n
    slots: Ints  # (n + 1, 2): how many slots each word has on each side
    reach: Ints  # [h, e]: the number of modifiers that h has on the side of e, and no farther away than e
    first_arc: Ints  # (2 n + 2,): the first arc of each head on each side, which the others follow by distance
    modifiers: Ints  # the modifier of each arc
    runs: Ints  # where the runs of each arc begin
    run_starts: Ints  # where the links of each run begin
    run_menus: Ints  # the menu of all states that the links of each run may lead to
    adjunctions: Ints  # A of each link
    first_sense: Ints  # the first of the senses of m that each link may come from
    senses: Ints  # how many these are
    menus: Ints  # the menu of each link
    target_starts: Ints
    targets: Ints
    rank: Ints  # (states, 2): which target a state is in the menu for s-adjunction, and in that for r-adjunction

    @property
    def words(self) -> Ints:
        """The word of each sense."""
        return np.repeat(np.arange(self.n + 1), np.diff(self.sense_starts))

    @property
    def arc_starts(self) -> Ints:
        """Where the links of each arc begin, and where those of the last end."""
        return self.run_starts[self.runs]


def link_senses(tables: Tables, senses: Senses, links: Links, *, second: bool) -> LinkGraph:
    """Assign numbers to the senses of a sentence and the links between them.

    Links are in the order of `sort_links`, and each has a target and a sense.
    """
    n = len(senses.starts) - 2
    words = np.repeat(np.arange(n + 1), np.diff(senses.starts))
    states = np.cumsum(np.append(0, np.diff(tables.starts)[senses.spines]))
    targets = _Targets(tables, words, senses.spines, states)
    menus = targets.menu(links.heads, links.places, links.adjunctions)
    side = (links.modifiers > links.heads).astype(np.int64)
    active, number = targets.active(menus, side)
    first_sense, last_sense = _find_senses(tables, words, senses.spines, links)
    arcs, runs = find_runs(links.heads, links.modifiers), find_runs(links.heads, links.modifiers, links.places)
    arc = np.full((n + 1, n + 1), -1, np.int64)
    arc[links.heads[arcs], links.modifiers[arcs]] = np.arange(len(arcs))
    first_arc = np.searchsorted(2 * links.heads[arcs] + side[arcs], np.arange(2 * n + 2))
    return LinkGraph(
        n=n,
        second=second,
        sense_starts=senses.starts,
        states=states,
        sense_of=targets.sense,
        active=active,
        number=number,
        arc=arc,
        ends=np.stack([np.arange(n + 1), np.arange(n + 1, 0, -1)], axis=1),
        slots=1 + np.diff(np.append(first_arc, len(arcs))).reshape(-1, 2),
        reach=_count_within(arc >= 0),
        first_arc=first_arc,
        modifiers=links.modifiers[arcs],
        runs=np.append(np.searchsorted(runs, arcs), len(runs)),
        run_starts=np.append(runs, len(links.heads)),
        run_menus=targets.menu(links.heads[runs], links.places[runs], 0),
        adjunctions=links.adjunctions,
        first_sense=first_sense,
        senses=last_sense - first_sense,
        menus=menus,
        target_starts=targets.starts,
        targets=targets.states,
        rank=targets.rank,
    )


class _Targets:
    """The targets of links: the states of a word that have their place, and for r-adjunction also L.

    There is a menu for each word, place and adjunction.  ``starts`` says where the ``states`` of each menu begin, and
    ``rank`` which target of its menus each state is.
    """

    def __init__(self, tables: Tables, words: Ints, spines: Ints, states: Ints) -> None:
        count = int(states[-1])
        self.sense = sense = np.repeat(np.arange(len(words)), np.diff(states))
        number = np.arange(count)
        place = tables.places[tables.starts[spines[sense]] + number - states[sense]]
        self._places = len(tables.first)
        key = 2 * (words[sense] * self._places + place)
        open_to_s, open_to_r = np.flatnonzero(place >= 0), np.flatnonzero((place >= 0) & (number % 2 == 1))
        found, keys = np.append(open_to_s, open_to_r), np.append(key[open_to_s], key[open_to_r] + 1)
        order = np.argsort(keys, kind="stable")
        self.states, keys = found[order], keys[order]
        first = find_runs(keys)
        self._keys, self.starts = keys[first], np.append(first, len(keys)).astype(np.int64)
        self.rank = np.full((count, 2), -1, np.int64)
        self.rank[self.states, keys % 2] = np.arange(len(keys)) - np.repeat(first, np.diff(self.starts))

    def menu(self, heads: Ints, places: Ints, adjunctions: Ints | int) -> Ints:
        """Find the menu of a place at a word, by adjunction."""
        menus: Ints = np.searchsorted(self._keys, 2 * (heads * self._places + places) + adjunctions)
        return menus

    def active(self, menus: Ints, right: Ints) -> tuple[Ints, Ints]:
        """Count the states of each sense that links with these menus lead to, on each side, and number them."""
        found = np.zeros((len(self.sense), 2), np.int64)
        for menu, side in np.unique(np.stack([menus, right], axis=1), axis=0).tolist():
            found[self.states[self.starts[menu] : self.starts[menu + 1]], side] = 1
        before = np.cumsum(found, axis=0) - found
        first = find_runs(self.sense)  # the first state of each sense
        number: Ints = before - before[first][self.sense]
        return np.add.reduceat(found, first, axis=0).ravel(), number


def _find_senses(tables: Tables, words: Ints, spines: Ints, links: Links) -> tuple[Ints, Ints]:
    """Find the senses of m that have the top of each link: where they begin and end."""
    tops = int(tables.tops.max()) + 1
    keys, wanted = words * tops + tables.tops[spines], links.modifiers * tops + links.tops
    return np.searchsorted(keys, wanted), np.searchsorted(keys, wanted, "right")


def _count_within(arcs: Mask) -> Ints:
    """Count the modifiers of each word on the side of another word, and no farther away."""
    right, left = np.triu(arcs, 1), np.tril(arcs, -1)
    to_the_right: Ints = np.cumsum(right, axis=1, dtype=np.int64) * np.triu(np.ones(arcs.shape, np.int64), 1)
    return to_the_right + np.cumsum(left[:, ::-1], axis=1, dtype=np.int64)[:, ::-1]
