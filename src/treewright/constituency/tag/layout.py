"""Where the items and the parts of a sentence stand: everything of one kind follows the kind before it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.arrays import Ints
from treewright.constituency.tag.graph import LinkGraph
from treewright.constituency.tag.links import Links

__all__ = ["ChartLayout", "lay_out"]


class ChartLayout(NamedTuple):
    """Where in a chart everything begins, for the kernels of `treewright.constituency.tag.program`.

    C, S, W and close are arrays over senses with sides, shape (2 senses,), and the other arrays of items and parts over
    links.
    """

    C: Ints  # where the items of each sense on each side begin, as do S and W
    S: Ints
    K: int  # K begins at S + K
    width: Ints  # (n + 1, 2): how many slots S, K and W have, for each word on each side: one in the first-order model
    W: Ints
    D: Ints  # where the items of each link begin, as do I, near and far
    I: Ints
    near: Ints
    far: Ints
    sibling: Ints  # where the parts of each link begin, as do near_grand and far_grand
    near_grand: Ints
    far_grand: Ints
    close: Ints  # where the parts of each sense on each side begin
    begins_of_grand: int  # where the parts of siblings end
    zeros: int  # where parts that are always zero begin
    parts: int  # the number of parts
    one: int  # the item that is always one
    goal: int  # the item of all derivations
    size: int  # the number of items


def lay_out(x: LinkGraph, links: Links) -> ChartLayout:
    """Lay out the chart of a sentence, and the scores of its parts."""
    items, item_bounds = _follow(*_item_sizes(x, links))
    parts, part_bounds = _follow(*_part_sizes(x, links))
    C, S, _, W, D, I, near, far = items
    sibling, near_grand, far_grand, close = parts
    one, zeros = item_bounds[-1], part_bounds[-1]
    return ChartLayout(
        C=C,
        S=C if x.second else S,
        K=item_bounds[2] - item_bounds[0 if x.second else 1],
        width=x.slots if x.second else np.ones_like(x.slots),
        W=W,
        D=D,
        I=I,
        near=near,
        far=far,
        sibling=sibling,
        near_grand=near_grand,
        far_grand=far_grand,
        close=close,
        begins_of_grand=part_bounds[1],
        zeros=zeros,
        parts=zeros + int(x.slots.max()) + 1,
        one=one,
        goal=one + 1,
        size=one + 2,
    )


def _item_sizes(x: LinkGraph, links: Links) -> list[Ints]:
    """Count the items C, S, K and W of each sense on each side, and D, I, near and far of each link."""
    rows = (x.ends * x.slots)[x.words].ravel()
    narrow = rows if x.second else x.ends[x.words].ravel()
    targets = np.diff(x.target_starts)[x.menus]
    length, right = abs(links.modifiers - links.heads), (links.modifiers > links.heads).astype(np.int64)
    return [
        x.active * rows,
        x.active * narrow * (not x.second),
        x.active * narrow,
        narrow,
        targets * length,
        targets * x.senses,
        x.senses * length * x.second,
        x.senses * x.ends[links.modifiers, right] * x.second,
    ]


def _part_sizes(x: LinkGraph, links: Links) -> list[Ints]:
    """Count the siblings and the grandchildren on the near and on the far side of each link, and the ends of senses."""
    right = (links.modifiers > links.heads).astype(np.int64)
    return [
        x.reach[links.heads, links.modifiers] if x.second else np.ones(len(right), np.int64),
        x.slots[links.modifiers, 1 - right] * x.second,
        x.slots[links.modifiers, right] * x.second,
        x.ends[x.words].ravel(),
    ]


def _follow(*sizes: Ints) -> tuple[list[Ints], list[int]]:
    """Place lists of things of some sizes end to end: where each thing begins, and the bounds of the lists."""
    bounds = np.cumsum([0, *(int(size.sum()) for size in sizes)]).tolist()
    return [begin + np.cumsum(size) - size for size, begin in zip(sizes, bounds, strict=False)], bounds
