"""Head automata: each word chooses its modifiers by itself, whatever the other words choose.

A *head automaton* (Eisner 2000; Koo et al. 2010, section 3) reads the possible modifiers of a head on one side, the
nearest first, takes some of them and scores what it took: f_h(z|h), where z|h says for each arc from h whether it is
taken.  Nothing makes the choices of all words a tree; dual decomposition (`treewright.inference.dual.subgradient`)
does. All it asks of automata is Assumptions 1 and 2 of the paper: the best choice of a word under changed arc scores.
So a kind of automata is three functions (`Automata`), which kernels close over.

Here are the automata of Example 2, with states.  Those of Examples 1 and 3, whose state is the last modifier taken, are
in `treewright.inference.dual.bigrams`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats, Heads, Ints, Mask
from treewright.inference.arcs import Arcs
from treewright.inference.charts.walks import allocating
from treewright.inference.parts import Parts
from treewright.kernels import copy, kernel

__all__ = ["STATES", "Automata", "Choices", "HeadAutomata", "Wishes", "no_choices"]

Flags = npt.NDArray[np.int8]
Function = Callable[..., Any]


class Wishes(NamedTuple):
    """What the rest of the problem asks of the automata."""

    gain: Floats  # (A,): what taking an arc adds to the score of its head's automaton; minus infinity forbids
    # (A + 1,): what an arc (g, h) adds to the score of the automaton of h that chooses g as its head.
    above_gain: Floats
    required: Mask  # (A,): the arcs that must be taken: those that are all that is left to a word
    single_root: bool  # whether the root takes exactly one modifier, and not just at least one


class Choices(NamedTuple):
    """What the automata choose."""

    changed: Flags  # (n+1,): whether a word has to choose again: 0 no; 1 only ``above_gain`` has changed for it; 2 yes
    taken: Mask  # (A,): whether each arc is taken by its head
    value: Floats  # (n+1,): the score of each word's choice, minus infinity if there is none
    above: Ints  # (n+1,): the arc into each word, if heads are chosen; otherwise -1


@allocating
def no_choices(n: int, arcs: int) -> Choices:
    """Let every word choose."""
    changed, above = np.full(n + 1, 2, np.int8), np.full(n + 1, -1, np.int64)
    return Choices(changed, np.zeros(arcs, np.bool_), np.empty(n + 1), above)


@dataclass(frozen=True)
class Automata:
    """A kind of head automata, as functions that kernels may call (`treewright.inference.charts.walks.allocating`)."""

    # Whether an automaton also chooses the head of its word (Assumption 2), or only its modifiers (Assumption 1).
    choose_heads: bool
    # ``(x, data) -> scratch``: make the arrays that ``decode`` works with; they are kept from call to call.
    scratch: Function
    decode: Function  # ``(x, data, wishes, choices, scratch)``: find the best choice of each word that has to choose
    # ``(x, data, heads, taken) -> score``: score a tree, given by its heads and which arcs it has, without gains.
    score: Function


class States(NamedTuple):
    """Scores of head automata with states, as kernels see them: see `HeadAutomata`."""

    transition: Floats
    start: Floats
    end: Floats


class _Table(NamedTuple):
    """The table of the Viterbi algorithm, and where each entry came from: -1 where the modifier was left out."""

    value: Floats
    back: Ints


@allocating
def _scratch(x: Arcs, data: States) -> _Table:
    length, states = x.degree.max() + 1, data.start.shape[1]
    return _Table(np.empty((length, states)), np.empty((length, states), np.int64))


@allocating
def _decode_side(x: Arcs, data: States, side: int, wishes: Wishes, taken: Mask, table: _Table) -> Any:
    """Viterbi over the modifiers of one side, the nearest first: each is left out, or taken with a transition."""
    first, degree, states = x.first[side], x.degree[side], data.start.shape[1]
    value, back = table.value, table.back
    value[0] = data.start[side]
    for j in range(degree):
        a = first + j
        for t in range(states):
            best, came = -np.inf if wishes.required[a] else value[j, t], -1
            for s in range(states):
                score = value[j, s] + data.transition[a, s, t] + wishes.gain[a]
                if score > best:
                    best, came = score, s
            value[j + 1, t], back[j + 1, t] = best, came
    best, state = -np.inf, 0
    for s in range(states):
        if value[degree, s] + data.end[side, s] > best:
            best, state = value[degree, s] + data.end[side, s], s
    for j in range(degree, 0, -1):
        came = back[j, state]
        taken[first + j - 1] = came >= 0
        if came >= 0:
            state = came
    return best


@allocating
def _decode(x: Arcs, data: States, wishes: Wishes, choices: Choices, table: _Table) -> None:
    for h in range(x.n + 1):
        if choices.changed[h] > 0:
            choices.value[h] = _decode_side(x, data, 2 * h + 1, wishes, choices.taken, table)
            if h > 0:  # the root has no left
                choices.value[h] += _decode_side(x, data, 2 * h, wishes, choices.taken, table)


@allocating
def _score(x: Arcs, data: States, heads: Heads, taken: Mask) -> Any:
    total, states = 0.0, data.start.shape[1]
    value, after = np.empty(states), np.empty(states)
    for side in range(1, 2 * x.n + 2):
        copy(data.start[side], value)
        for a in range(x.first[side], x.first[side + 1]):
            if taken[a]:
                for t in range(states):
                    after[t] = -np.inf
                    for s in range(states):
                        after[t] = max(after[t], value[s] + data.transition[a, s, t])
                copy(after, value)
        best = -np.inf
        for s in range(states):
            best = max(best, value[s] + data.end[side, s])
        total += best
    return total


#: Head automata with states (Example 2); their data are `States`.
STATES = Automata(choose_heads=False, scratch=_scratch, decode=_decode, score=_score)


@kernel
def _best(x: Arcs, data: States, wishes: Wishes, h: int) -> Choices:
    """Let h alone choose."""
    choices: Choices = no_choices(x.n, len(wishes.gain))
    choices.changed[:] = 0
    choices.changed[h] = 2
    _decode(x, data, wishes, choices, _scratch(x, data))
    return choices


class HeadAutomata:
    """Head automata with states for all words of a sentence (Koo et al. 2010, Example 2).

    Each word has one automaton for each side.  It begins in some state; each modifier that it takes, from the nearest
    outwards, moves it from a state to a state; in the end it is in some state.  What the modifiers of a word score is
    the best sum over state sequences.

    Parameters
    ----------
    parts : Parts
        The arcs (`Parts.arc`) that there are.
    transition : array, shape (arcs, S, S)
        ``transition[a, s, t]``: taking the modifier of arc a moves from state s to state t.
    start, end : array, shape (n+1, 2, S)
        ``start[h, side, s]``: the automaton of h begins in s (side 0 left, 1 right), and ``end``: it ends there.

    Examples
    --------
    An automaton with two states that takes one modifier, and no more:

    >>> parts = Parts(np.ones((4, 4), bool))
    >>> transition = np.full((9, 2, 2), -np.inf)
    >>> transition[:, 0, 1] = [1, 2, 3, 1, 2, 1, 1, 2, 1]        # a score for each arc
    >>> bounds = np.zeros((4, 2, 2))
    >>> bounds[:, :, 1] = -np.inf                                # begins in state 0
    >>> automata = HeadAutomata(parts, transition, start=bounds, end=np.zeros((4, 2, 2)))
    >>> automata.best(0)                                         # the root prefers 3
    (3.0, [3])
    """

    def __init__(self, parts: Parts, transition: npt.ArrayLike, start: npt.ArrayLike, end: npt.ArrayLike) -> None:
        self.parts = parts
        moves = np.ascontiguousarray(transition, np.float64)
        states = moves.shape[-1] if moves.ndim == 3 else 0
        bounds = [np.ascontiguousarray(array, np.float64) for array in (start, end)]
        wanted = {"transition": (len(parts.arc), states, states)} | dict.fromkeys(
            ("start", "end"), (parts.n + 1, 2, states)
        )
        for (name, shape), array in zip(wanted.items(), (moves, *bounds), strict=True):
            if array.shape != shape or not states:
                raise ValueError(f"{name} has shape {array.shape}: beside these parts and states it must be {shape}")
            if not (array < np.inf).all():
                index = tuple(int(i) for i in np.argwhere(~(array < np.inf))[0])
                raise ValueError(f"{name}{list(index)} is {array[index]}: a score must be a number, or minus infinity")
        self.data = States(moves, *(array.reshape(-1, states) for array in bounds))

    def best(self, h: int, gain: npt.ArrayLike | None = None) -> tuple[float, list[int]]:
        """Find the best modifiers of h by itself, and their score; ``gain`` is added to the score of each arc."""
        arcs = len(self.parts.arc)
        gains = np.zeros(arcs) if gain is None else np.ascontiguousarray(gain, np.float64)
        wishes = Wishes(gains, np.zeros(arcs + 1), np.zeros(arcs, bool), False)
        choices = _best(self.parts.arcs, self.data, wishes, h)
        return float(choices.value[h]), sorted(self.parts.arcs.modifiers[:-1][choices.taken].tolist())
