"""What is searched: the senses of words, the links between them that survive, and where in a chart everything stands.

A *sense* is a word with one of the spines it may have (Eisner 2000, section 4.2), and a *link* is a dependency
⟨h, m, (GRM(l), A)⟩: a head, a modifier, the grammatical relation and the kind of adjunction.  A link may lead to
several states of several senses of h, its *targets*, and come from several senses of m.

Everything is numbered so that what is summed over lies side by side: the senses of a word by top; the links by arc,
place, adjunction and top; the modifiers of a word on one side, the nearest first, are its *slots*, after slot 0,
which stands for none.  A span of word w ends at 1 … w to its left, and at w … n to its right.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.arrays import Ints
from treewright.constituency.tag.automata import Tables

__all__ = ["LEFT", "RIGHT", "Layout", "Links", "Senses", "lay_out", "sort_links"]


LEFT, RIGHT = 0, 1


class Senses(NamedTuple):
    """The spines that words may have: those of word w are ``spines[starts[w]:starts[w + 1]]``, sorted by top."""

    starts: Ints
    spines: Ints


class Links(NamedTuple):
    """Links, column by column (see `sort_links`)."""

    heads: Ints
    modifiers: Ints
    places: Ints
    tops: Ints
    adjunctions: Ints


class Layout(NamedTuple):
    """Where everything stands, for the kernels of `treewright.constituency.tag.program`.

    Attributes
    ----------
    n : int
    second : bool
        Whether slots tell modifiers apart: in the second-order model.
    sense_starts : int64 array, shape (n + 2,)
        Where the senses of each word begin.
    states : int64 array, shape (senses + 1,)
        Where the states of each sense begin; always even, so that the last bit of a state is L.
    sense_of : int64 array
        The sense of each state.
    active : int64 array, shape (2 senses,)
        How many states of a sense links lead to, on each side; others need no items.
    number : int64 array, shape (states, 2)
        Which of the active states of its sense a state is, on each side.
    reach : int64 array, shape (n + 1, n + 1)
        ``reach[h, e]`` is how many modifiers h has on the side of e, and no further away than e.
    arc : int64 array, shape (n + 1, n + 1)
        The number of each arc that has links, -1 for others.
    first_arc, modifiers : int64 arrays
        The first arc of each head on each side, which the others follow by distance; the modifier of each arc.
    runs : int64 array
        Where the runs of each arc begin: those of its links that have the same place.
    run_starts, run_menus : int64 arrays
        Where the links of each run begin, and all states that they may lead to.
    adjunctions, first_sense, senses : int64 arrays
        Of each link: A, the first of the senses of m that it may come from, and how many these are.
    menus : int64 array
        The *menu* of each link: the list of its targets.
    target_starts, targets : int64 arrays
        The targets of each menu.
    rank : int64 array, shape (states, 2)
        Which target a state is in the menu for s-adjunction and in that for r-adjunction.
    C, S, W, D, I, near, far : int64 arrays
        Where items begin; K begins at S + ``K``.
    sibling, near_grand, far_grand, close : int64 arrays
        Where parts begin.
    begins_of_grand : int
        Where the parts of siblings end.
    zeros, parts : int
        Where parts that are always zero begin, and the number of parts.
    one, goal, size : int
        The item that is always one, that of all derivations, and the number of items.
    """

    n: int
    second: bool
    sense_starts: Ints
    states: Ints
    sense_of: Ints
    active: Ints
    number: Ints
    reach: Ints
    arc: Ints
    first_arc: Ints
    modifiers: Ints
    runs: Ints
    run_starts: Ints
    run_menus: Ints
    adjunctions: Ints
    first_sense: Ints
    senses: Ints
    menus: Ints
    target_starts: Ints
    targets: Ints
    rank: Ints
    C: Ints
    S: Ints
    K: int
    W: Ints
    D: Ints
    I: Ints
    near: Ints
    far: Ints
    sibling: Ints
    near_grand: Ints
    far_grand: Ints
    close: Ints
    begins_of_grand: int
    zeros: int
    parts: int
    one: int
    goal: int
    size: int


def sort_links(links: Links) -> Links:
    """Bring links into their order: by head, side, distance, place, adjunction and top; each once."""
    heads, modifiers, places, tops, adjunctions = links
    distance = modifiers - heads
    order = np.lexsort((tops, adjunctions, places, abs(distance), distance > 0, heads))
    rows = np.stack(links)[:, order]
    new = np.append(True, (rows[:, 1:] != rows[:, :-1]).any(axis=0)) if len(order) else np.zeros(0, bool)
    return Links(*rows[:, new])


def _starts(sizes: npt.ArrayLike, first: int = 0) -> Ints:
    """Say where things of some sizes begin that follow each other, and where the last ends."""
    return np.concatenate([[first], first + np.cumsum(sizes)]).astype(np.int64)


def _follow(*sizes: Ints) -> tuple[list[Ints], Ints]:
    """Let lists of things follow each other: say where each thing begins, and where each list does."""
    begins = _starts([size.sum() for size in sizes])
    return [_starts(size, int(begin))[:-1] for size, begin in zip(sizes, begins, strict=False)], begins


def _first_of_runs(*columns: Ints) -> Ints:
    """Find the rows that differ from the one before."""
    if not len(columns[0]):
        return np.zeros(0, np.int64)
    return np.flatnonzero(np.append(True, np.any([column[1:] != column[:-1] for column in columns], axis=0)))


class _Targets:
    """The targets of links: the states of a word that have their place, for r-adjunction only those with L.

    ``sizes`` and ``starts`` are of menus; ``rank`` says which target of its menus each state is.
    """

    def __init__(self, tables: Tables, words: Ints, spines: Ints, states: Ints) -> None:
        count = int(states[-1])
        self.sense = sense = np.repeat(np.arange(len(words)), np.diff(states))
        number = np.arange(count)
        place = tables.places[tables.starts[spines[sense]] + number - states[sense]]
        self._base = len(tables.first)
        key = 2 * (words[sense] * self._base + place)
        open_to_s, open_to_r = np.flatnonzero(place >= 0), np.flatnonzero((place >= 0) & (number % 2 == 1))
        found, keys = np.append(open_to_s, open_to_r), np.append(key[open_to_s], key[open_to_r] + 1)
        order = np.argsort(keys, kind="stable")
        self.states, keys = found[order], keys[order]
        first = _first_of_runs(keys)
        self._keys, self.starts = keys[first], np.append(first, len(keys)).astype(np.int64)
        self.sizes = np.diff(self.starts)
        self.rank = np.full((count, 2), -1, np.int64)
        self.rank[self.states, keys % 2] = np.arange(len(keys)) - np.repeat(first, self.sizes)

    def menu(self, heads: Ints, places: Ints, adjunctions: Ints | int) -> Ints:
        """Find the menu of a place at a word, by adjunction."""
        menus: Ints = np.searchsorted(self._keys, 2 * (heads * self._base + places) + adjunctions)
        return menus

    def active(self, menus: Ints, right: Ints) -> tuple[Ints, Ints]:
        """Count the states of each sense that links with these menus lead to, on each side, and number them."""
        found = np.zeros((len(self.sense), 2), np.int64)
        for menu, side in np.unique(np.stack([menus, right], axis=1), axis=0).tolist():
            found[self.states[self.starts[menu] : self.starts[menu + 1]], side] = 1
        before = np.cumsum(found, axis=0) - found
        first = np.searchsorted(self.sense, np.arange(self.sense[-1] + 2))  # the first state of each sense
        number: Ints = before - before[first[:-1]][self.sense]
        return np.add.reduceat(found, first[:-1], axis=0).ravel(), number


def _find_senses(tables: Tables, words: Ints, spines: Ints, links: Links) -> tuple[Ints, Ints]:
    """Find the first of the senses of m that have the top of each link, and the end of them."""
    base = int(tables.tops.max()) + 1
    keys, wanted = words * base + tables.tops[spines], links.modifiers * base + links.tops
    return np.searchsorted(keys, wanted), np.searchsorted(keys, wanted, "right")


def _count_within(arcs: npt.NDArray[np.bool_]) -> Ints:
    """Count the modifiers of each word on the side of another word, and no further away."""
    right, left = np.triu(arcs, 1), np.tril(arcs, -1)
    to_the_right: Ints = np.cumsum(right, axis=1, dtype=np.int64) * np.triu(np.ones(arcs.shape, np.int64), 1)
    return to_the_right + np.cumsum(left[:, ::-1], axis=1, dtype=np.int64)[:, ::-1]


def lay_out(tables: Tables, senses: Senses, links: Links, *, second: bool) -> Layout:
    """Give everything a number.

    Parameters
    ----------
    tables : Tables
    senses : Senses
        Word 0 has one: the spine of the root.
    links : Links
        In the order of `sort_links`; each has a target and a sense.
    second : bool
        Whether for the second-order model.
    """
    n, spines = len(senses.starts) - 2, senses.spines
    words = np.repeat(np.arange(n + 1), np.diff(senses.starts))
    count = tables.starts[spines + 1] - tables.starts[spines]
    states = _starts(count)
    targets = _Targets(tables, words, spines, states)
    menus = targets.menu(links.heads, links.places, links.adjunctions)
    first_sense, end_of_senses = _find_senses(tables, words, spines, links)
    own = end_of_senses - first_sense

    arc_starts = _first_of_runs(links.heads, links.modifiers)
    run_starts = _first_of_runs(links.heads, links.modifiers, links.places)
    arc = np.full((n + 1, n + 1), -1, np.int64)
    arc[links.heads[arc_starts], links.modifiers[arc_starts]] = np.arange(len(arc_starts))
    reach = _count_within(arc >= 0)

    every = np.arange(n + 1)
    ends = np.stack([every, n + 1 - every], axis=1)
    slots = 1 + np.stack([reach[every, np.minimum(1, every)], reach[every, n]], axis=1)
    slots[0, LEFT] = slots[n, RIGHT] = 1
    length, side = abs(links.modifiers - links.heads), (links.modifiers > links.heads).astype(np.int64)
    wide, narrow = (ends * slots)[words].ravel(), (ends * (slots if second else 1))[words].ravel()
    active, number = targets.active(menus, side)
    items, begins = _follow(
        active * wide,
        active * narrow * (not second),
        active * narrow,
        narrow,
        targets.sizes[menus] * length,
        targets.sizes[menus] * own,
        own * length * second,
        own * ends[links.modifiers, side] * second,
    )
    parts, part_begins = _follow(
        reach[links.heads, links.modifiers] if second else np.ones_like(length),
        slots[links.modifiers, 1 - side] * second,
        slots[links.modifiers, side] * second,
        ends[words].ravel(),
    )
    C, S, _, W, D, I, near, far = items
    return Layout(
        n=n,
        second=second,
        sense_starts=senses.starts,
        states=states,
        sense_of=targets.sense,
        active=active,
        number=number,
        reach=reach,
        arc=arc,
        first_arc=np.searchsorted(2 * links.heads[arc_starts] + side[arc_starts], np.arange(2 * n + 2)),
        modifiers=links.modifiers[arc_starts],
        runs=np.append(np.searchsorted(run_starts, arc_starts), len(run_starts)),
        run_starts=np.append(run_starts, len(links.heads)),
        run_menus=targets.menu(links.heads[run_starts], links.places[run_starts], 0),
        adjunctions=links.adjunctions,
        first_sense=first_sense,
        senses=own,
        menus=menus,
        target_starts=targets.starts,
        targets=targets.states,
        rank=targets.rank,
        C=C,
        S=C if second else S,
        K=int(begins[2] - begins[0 if second else 1]),
        W=W,
        D=D,
        I=I,
        near=near,
        far=far,
        sibling=parts[0],
        near_grand=parts[1],
        far_grand=parts[2],
        close=parts[3],
        begins_of_grand=int(part_begins[1]),
        zeros=int(part_begins[-1]),
        parts=int(part_begins[-1]) + int(slots.max()) + 1,
        one=int(begins[-1]),
        goal=int(begins[-1]) + 1,
        size=int(begins[-1]) + 2,
    )
