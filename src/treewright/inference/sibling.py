"""Projective trees under sibling scores: O(n³) time and O(n²) space, part scores aside.

The algorithm of Eisner (1996) and McDonald & Pereira (2006), drawn as in Figure 3 of Koo & Collins (2010)::

    C(h, e)   h and its descendants as far as e on one side                       (complete span)
    I(h, m)   the arc h → m and all that lies between                             (incomplete span)
    S(s, m)   all that lies between two modifiers of one head                     (sibling span)

    S(s, m) = Σ_r  C(s, r) · C(m, r + 1)                                          (r from s to m - 1)
    I(h, m) = C(m, h + 1) · sibling(h, -, m)  +  Σ_s  I(h, s) · S(s, m) · sibling(h, s, m)
    C(h, e) = Σ_m  I(h, m) · C(m, e)

and mirrored to the left.  For a single root, the root takes no second modifier: its sum over s is left out.

Parts are ``part[h, m, s]``, s next to each other, with s = h where there is no sibling inside; the score of the arc is
part of them.
"""

from __future__ import annotations

from typing import Any

from treewright.inference.walks import Chart, Walk
from treewright.kernels import kernel

__all__ = ["chart_size", "goal", "ones", "program"]


def chart_size(n: int) -> int:
    """Count the items: C, its transposed copy R, I and S."""
    return 4 * (n + 1) ** 2


def goal(n: int) -> int:
    """Find C(0, n): everything."""
    return n


def ones(n: int) -> list[int]:
    """Find the empty items: C(h, h), and their copies."""
    diagonal = [h * (n + 2) for h in range(n + 1)]
    return diagonal + [(n + 1) ** 2 + place for place in diagonal]


def program(walk: Walk) -> Any:
    """Write the rules down for a walk."""
    forward, idle, begin, finish = walk.forward, walk.idle, walk.begin, walk.finish
    pair, triple, weighted = walk.pair, walk.triple, walk.weighted

    def visit(c: Chart, n: int, single_root: bool) -> None:
        size = n + 1
        C, R, I, S = 0, size * size, 2 * size * size, 3 * size * size
        for x in range(n):
            i = n - 1 - x if forward else x
            for y in range(n - i):
                j = i + 1 + y if forward else n - y
                for z in range(5):
                    rule = z if forward else 4 - z
                    if i == 0 and (rule == 0 or rule == 2 or rule == 4):
                        continue  # nothing is the head of the root
                    if rule == 0:  # S(i, j)
                        t, copy = S + i * size + j, S + j * size + i
                        if idle(c, t, copy):
                            continue
                        state = begin(c, t, copy)
                        state = pair(c, state, C + i * size + i, C + j * size + i + 1, 0, j - i)
                        finish(c, state, t, copy)
                    elif rule < 3:  # I(i, j) and I(j, i); the modifiers inside are i + 1 … j - 1
                        h, m, end = (i, j, i + 1) if rule == 1 else (j, i, j - 1)
                        t, parts = I + h * size + m, (h * size + m) * size
                        if idle(c, t, t):
                            continue
                        state = begin(c, t, t)
                        state = weighted(c, state, C + m * size + end, 0, parts + h, 1)
                        if not (single_root and h == 0):
                            inside = i + 1
                            state = triple(
                                c, state, I + h * size + inside, S + m * size + inside, parts + inside, j - i - 1
                            )
                        finish(c, state, t, t)
                    elif rule == 3:  # C(i, j)
                        t, copy = C + i * size + j, R + j * size + i
                        if idle(c, t, copy):
                            continue
                        state = begin(c, t, copy)
                        state = pair(c, state, I + i * size + i + 1, R + j * size + i + 1, 0, j - i)
                        finish(c, state, t, copy)
                    else:  # C(j, i)
                        t, copy = C + j * size + i, R + i * size + j
                        if idle(c, t, copy):
                            continue
                        state = begin(c, t, copy)
                        state = pair(c, state, I + j * size + i, R + i * size + i, 0, j - i)
                        finish(c, state, t, copy)

    return kernel(visit)
