"""Where words and arcs go when a dependency tree is drawn with arcs above the words.

- An arc runs above every shorter arc that it shares some of its way with, so that no two of them, and none of their
  labels, lie on each other.
- The arcs at a word begin and end side by side, the longest in the middle, so that arcs that do not cross in the tree
  do not cross at their feet.
- Words stand far enough from each other for the labels of their arcs.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

__all__ = ["Arc", "Layout", "lay_out", "reads_from_right"]

#: Pixels between the feet of two arcs at a word, and beside a label.
_STEP, _PAD = 7, 9


class Arc(NamedTuple):
    """The arc to a word: where it leaves its head (nowhere, if that is the root), where it ends, and how high it is."""

    modifier: int
    start: float | None
    end: float
    level: int


class Layout(NamedTuple):
    """The middle of each word, the width of all of them, and the arcs, lower ones first."""

    centres: list[float]
    width: float
    arcs: list[Arc]


def lay_out(heads: Sequence[int], words: Sequence[float], labels: Sequence[float], *, mirrored: bool = False) -> Layout:
    """Lay out a tree whose words, and the labels of whose arcs, have these widths.

    Examples
    --------
    >>> layout = lay_out([2, 0, 2], [20, 20, 20], [30, 30, 30])
    >>> [(arc.modifier, arc.level) for arc in layout.arcs]
    [(1, 1), (3, 1), (2, 2)]
    >>> layout.centres[0] < layout.centres[1] < layout.centres[2]
    True
    """
    levels = _levels(heads)
    feet = _feet(heads)
    centres = _centres(heads, words, labels, feet)
    roots = (centres[m] + feet[m + 1, m + 1] + labels[m] / 2 for m, head in enumerate(heads) if head == 0)
    width = max([centre + width / 2 for centre, width in zip(centres, words, strict=True)] + [*roots], default=0.0)
    if mirrored:
        centres = [width - centre for centre in centres]
        feet = {key: -foot for key, foot in feet.items()}
    arcs = []
    for m, level in sorted(levels.items(), key=lambda item: (item[1], item[0])):
        head = heads[m - 1]
        start = centres[head - 1] + feet[head, m] if head else None
        arcs.append(Arc(m, start, centres[m - 1] + feet[m, m], level))
    return Layout(centres, width, arcs)


def reads_from_right(forms: Sequence[str]) -> bool:
    """Return whether most words of a sentence are written from right to left.

    Examples
    --------
    >>> reads_from_right(["שלום", "עולם", "!"]), reads_from_right(["Trees", "grow"])
    (True, False)
    """
    votes = 0
    for form in forms:
        strong = [kind for kind in map(unicodedata.bidirectional, form) if kind in ("L", "R", "AL")]
        votes += 0 if not strong else -1 if strong[0] == "L" else 1
    return votes > 0


def _levels(heads: Sequence[int]) -> dict[int, int]:
    """Choose the level of each arc, from 1, shorter arcs first; that of a root is above all."""
    gaps = np.zeros(len(heads) + 1, np.int64)  # how high the space after each word is taken
    levels: dict[int, int] = {}
    arcs = sorted((abs(head - m), min(head, m), m) for m, head in enumerate(heads, 1) if head > 0)
    for length, left, m in arcs:
        levels[m] = int(gaps[left : left + length].max()) + 1
        gaps[left : left + length] = levels[m]
    top = max(levels.values(), default=0) + 1
    return levels | {m: top for m, head in enumerate(heads, 1) if head == 0}


def _feet(heads: Sequence[int]) -> dict[tuple[int, int], float]:
    """Find where an arc stands at a word, from its middle; arcs are named by their modifiers."""
    ends: list[list[tuple[int, int, int]]] = [[] for _ in range(len(heads) + 1)]
    for m, head in enumerate(heads, 1):
        if head == 0:
            ends[m].append((0, 0, m))
        elif head > 0:
            for here, there in ((m, head), (head, m)):
                side = -1 if there < here else 1
                # Arcs to the left come first, the shortest before the longest; then those to the right, reversed.
                ends[here].append((side, here - there, m))
    feet = {}
    for word, own in enumerate(ends):
        for place, (_, _, m) in enumerate(sorted(own)):
            feet[word, m] = _STEP * (place - (len(own) - 1) / 2)
    return feet


def _centres(
    heads: Sequence[int], words: Sequence[float], labels: Sequence[float], feet: dict[tuple[int, int], float]
) -> list[float]:
    """Place the words from left to right, each as far to the left as the words and the labels before it let it be."""
    n = len(heads)
    shortest: list[list[int]] = [[] for _ in range(n + 1)]  # the arcs that end at a word and come from the left of it
    spread = [0] * (n + 1)
    for m, head in enumerate(heads, 1):
        if head > 0:
            shortest[max(m, head)].append(m)
    for word, _ in feet:
        spread[word] += 1
    strips = [max(width, _STEP * spread[word]) for word, width in enumerate(words, 1)]
    centres: list[float] = []
    for word in range(1, n + 1):
        place = strips[word - 1] / 2 + (centres[-1] + strips[word - 2] / 2 if centres else 0.0)
        if heads[word - 1] == 0:
            place = max(place, labels[word - 1] / 2 - feet[word, word])
        for m in shortest[word]:
            other = heads[m - 1] + m - word
            inner = feet[other, m] - feet[word, m]
            place = max(place, centres[other - 1] + inner + labels[m - 1] + 2 * _PAD)
        centres.append(place)
    return centres
