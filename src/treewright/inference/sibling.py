"""Projective trees under sibling scores: O(n³) time and O(n²) space, part scores aside.

The algorithm of Eisner (1996) and McDonald & Pereira (2006), drawn as in Figure 3 of Koo & Collins (2010)::

    C(h, e)   h and its descendants as far as e on one side                       (complete span)
    I(h, m)   the arc h → m and all that lies between                             (incomplete span)
    S(s, m)   all that lies between two modifiers of one head                     (sibling span)

    S(s, m) = Σ_r  C(s, r) · C(m, r + 1)                                          (r from s to m - 1)
    I(h, m) = C(m, h + 1) · sibling(h, -, m)  +  Σ_s  I(h, s) · S(s, m) · sibling(h, s, m)
    C(h, e) = Σ_m  I(h, m) · C(m, e)

and mirrored to the left.  For a single root, the root takes no second modifier: its sum over s is left out.

The parts (h, s, m) of each arc lie side by side, by s, with s = h where there is no sibling inside (so that it
comes first to the right and last to the left); those of arc (h, m) begin at ``places[h, m]``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.inference.walks import Chart, Walk, jitable

__all__ = ["program"]


Places = npt.NDArray[np.int64]


def program(walk: Walk) -> Any:
    """Write the rules down for a walk."""
    forward, idle, begin, finish = walk.forward, walk.idle, walk.begin, walk.finish
    pair, triple, weighted = walk.pair, walk.triple, walk.weighted

    def visit(c: Chart, n: int, places: Places, single_root: bool) -> None:
        size = n + 1
        C, R, I, S = 0, size * size, 2 * size * size, 3 * size * size
        for x in range(n):
            i = n - 1 - x if forward else x
            for y in range(n - i):
                j = i + 1 + y if forward else n - y
                ij, ji = i * size + j, j * size + i
                if (
                    idle(c, C + ij, R + ji)
                    and idle(c, C + ji, R + ij)
                    and idle(c, I + ij, I + ji)
                    and idle(c, S + ij, S + ji)
                ):
                    continue  # all five, as is most often so when one tree is walked back
                for z in range(5):
                    rule = z if forward else 4 - z
                    if i == 0 and (rule == 0 or rule == 2 or rule == 4):
                        continue  # nothing is the head of the root
                    if rule == 0:  # S(i, j)
                        t, copy = S + ij, S + ji
                        if idle(c, t, copy):
                            continue
                        state = begin(c, t, copy)
                        state = pair(c, state, C + i * size + i, C + j * size + i + 1, 0, j - i)
                        finish(c, state, t, copy)
                    elif rule < 3:  # I(i, j) and I(j, i); the modifiers inside are i + 1 … j - 1
                        h, m, end, none = (i, j, i + 1, 0) if rule == 1 else (j, i, j - 1, j - i - 1)
                        t, parts = I + h * size + m, places[h, m]
                        if idle(c, t, t):
                            continue
                        state = begin(c, t, t)
                        state = weighted(c, state, C + m * size + end, 0, parts + none, 1)
                        if not (single_root and h == 0):
                            row, others = I + h * size + i + 1, S + m * size + i + 1
                            state = triple(c, state, row, others, parts + (rule == 1), j - i - 1)
                        finish(c, state, t, t)
                    elif rule == 3:  # C(i, j)
                        t, copy = C + ij, R + ji
                        if idle(c, t, copy):
                            continue
                        state = begin(c, t, copy)
                        state = pair(c, state, I + i * size + i + 1, R + j * size + i + 1, 0, j - i)
                        finish(c, state, t, copy)
                    else:  # C(j, i)
                        t, copy = C + ji, R + ij
                        if idle(c, t, copy):
                            continue
                        state = begin(c, t, copy)
                        state = pair(c, state, I + j * size + i, R + i * size + i, 0, j - i)
                        finish(c, state, t, copy)

    return jitable(visit)
