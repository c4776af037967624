"""What head automata choose by themselves: the best element of Z, the relaxed set (Koo et al. 2010, Equation 3).

Every word takes the modifiers that suit it best, and, with grandparents, the head that suits it best, whatever the
others do; so a word may have several heads, or none, or one that does not take it.  Perceptrons are trained on it
(section 6), because it takes one decoding of each automaton and no tree.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.arrays import Floats, Ints, Mask
from treewright.inference.arcs import Arcs
from treewright.inference.dual.automata import Automata, Wishes, no_choices
from treewright.inference.heads import parts_of_arcs
from treewright.kernels import kernel

__all__ = ["choice", "parts_of_choice"]


@functools.cache
def choice(automata: Automata) -> Callable[..., tuple[Mask, Ints]]:
    """Make the kernel ``(x, arc, data, single_root)``, which returns the arcs taken and the arc above each word."""
    make_scratch, decode = automata.scratch, automata.decode

    def run(x: Arcs, arc: Floats, data: Any, single_root: bool) -> tuple[Mask, Ints]:
        choices = no_choices(x.n, len(arc))
        above_gain = np.zeros(len(arc) + 1)
        above_gain[:-1] = np.where(arc > -np.inf, 0.0, -np.inf)
        wishes = Wishes(arc, above_gain, np.zeros(len(arc), np.bool_), single_root)
        decode(x, data, wishes, choices, make_scratch(x, data))
        return choices.taken, choices.above

    return kernel(run)


def parts_of_choice(x: Arcs, taken: Mask, above: Ints) -> dict[str, Ints]:
    """List the parts that a choice has, by kind, as `treewright.inference.heads.parts_of_tree` does for trees.

    Without grandparents ``above`` is -1 throughout, and there are no parts with a g.
    """
    h, m = x.heads[:-1][taken], x.modifiers[:-1][taken]
    factorization = "sibling" if above[0] < 0 else "grand-sibling"
    parts = parts_of_arcs(h, m, np.where(above < 0, 0, x.heads[above]), factorization)
    return {"arc": np.stack([h, m], axis=1), **parts}
