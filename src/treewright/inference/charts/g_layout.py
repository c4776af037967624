"""Where the items of `treewright.inference.charts.g_spans` lie in the chart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.arrays import Ints
from treewright.inference.arcs import Arcs

__all__ = ["GSpans", "Layout", "g_spans", "goal", "ones"]


class Layout(NamedTuple):
    """Where in the chart each kind of item begins; kinds that a model does not have take no space.

    C and its transposed copy R are indexed by arc and end; S, K and Y by pairs; I and B by slots of arcs; L by slots of
    heads.
    """

    # The first item of each kind.
    C: int
    R: int
    S: int
    I: int
    B: int
    L: int
    K: int
    Y: int
    one: int  # the item that is always one, the last of all
    # The length of the rows of C.  Where last modifiers are scored, C(gh, h) is two items, one for each side: then what
    # is to the right of h stands ``last`` = 1 place further along.
    wide: int
    last: int
    arcs: int  # the number of arcs, which is the length of the rows of R
    more: int  # the first of the parts that come after those that stand for arcs


class GSpans(NamedTuple):
    """The shape of a program that is indexed by arcs: the number of words, the arcs, and the layout of the chart."""

    n: int
    arcs: Arcs
    at: Layout


def g_spans(x: Arcs, kinds: str, more: int, last: bool) -> GSpans:
    """Lay out the chart of a model that has these kinds of items; its size is ``at.one + 1``."""
    arcs, pairs, slots = len(x.heads), int(x.pair_start[-1]), int(x.slot_start[-1])
    sizes = {"S": pairs, "I": slots, "B": slots, "L": int(x.list_start[-1]), "K": pairs, "Y": pairs}
    wide, counts = x.n + 1 + last, [size * (kind in kinds) for kind, size in sizes.items()]
    C, R, S, I, B, L, K, Y, one = np.cumsum([0, wide * arcs, (x.n + 1) * arcs, *counts]).tolist()
    return GSpans(x.n, x, Layout(C, R, S, I, B, L, K, Y, one, wide, int(last), arcs, more))


def goal(shape: GSpans) -> int:
    """Find C(-0, n): everything below the root."""
    return shape.at.arcs * shape.at.wide - 1


def ones(shape: GSpans, kinds: str) -> Ints:
    """Find the empty items: C(gh, h) and its copy, I(gh, -), L(h, -), and the item that is always one."""
    _, x, at = shape
    arcs, left = np.arange(at.arcs), x.slot_start[:-1]
    items = [np.array([at.one])]
    if "I" in kinds:
        items += [at.I + left, at.I + left + x.degree[2 * x.modifiers] + 1]
    if "L" in kinds:
        items.append(at.L + x.list_start[:-1])
    if not at.last:
        items += [at.C + arcs * at.wide + x.modifiers, at.R + x.modifiers * at.arcs + arcs]
    return np.concatenate(items).astype(np.int64)
