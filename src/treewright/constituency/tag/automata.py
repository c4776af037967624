"""Spines as automata: their states, and what joining a word leads to (Carreras, Collins and Koo 2008, section 3.1).

The left and the right automaton of a spine remember the last position adjoined into, and, for the flag L of section
2.1, whether anything was r-adjoined there.  So a *state* is (position, L), and joining a word at position p′ leads from
(p, L) to

- (p′, 0) by s-adjunction, from every state below p′ and from (p′, 0) itself;
- (p′, 1) by r-adjunction, from every state up to p′;
- (p′, 1) by s-adjunction, from (p′, 1) alone.

The state reached determines the first two labels of the grammatical relation GRM(l), its *place*: the label of node p′
and that of its head child, which is the node below it in the spine, or node p′ again where L is set.  The third label,
the *top*, is that of the modifier's spine.  The head child of the lowest node is the tag of the word, and the tag is
also the top of an empty spine; as tags are known, one symbol, `ANCHOR`, stands for all of them.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from treewright.arrays import Heads
from treewright.constituency.spines.grammar import Grammar
from treewright.treebank.constituents.dependencies import ROOT_RELATION

__all__ = ["ANCHOR", "Automata", "Tables"]

#: Stands for the tag of a word.
ANCHOR = "*"


class Tables(NamedTuple):
    """The automata of all spines, for kernels; the last spine is that of the root."""

    starts: Heads  # where the states of each spine begin: (p, L) is starts[spine] + 2 p + L
    places: Heads  # the place of each state, -1 where nothing can be joined
    tops: Heads  # the top of each spine
    first: Heads  # the first label of each place
    second: Heads  # its second label


class Automata:
    """The automata of the spines of a grammar.

    ``labels`` are those of nodes, then `ANCHOR`, then that of the root, each once; ``places`` are the possible places
    of a relation, pairs of labels by number.

    Examples
    --------
    >>> from treewright.constituency.spines import Spine
    >>> automata = Automata(Grammar([Spine(()), Spine(("VP", "S"))], {"VB": {1: 1}}))
    >>> [" ".join(automata.labels[label] for label in place) for place in automata.places]
    ['VP *', 'VP VP', 'S VP', 'S S', 'TOP *']
    """

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.labels = tuple(dict.fromkeys((*grammar.labels, ANCHOR, ROOT_RELATION[0])))  # a node may be called TOP
        self.anchor, self.top_of_root = self.labels.index(ANCHOR), self.labels.index(ROOT_RELATION[0])
        numbers: dict[tuple[int, int], int] = {}
        starts, places, tops = [0], list[int](), list[int]()
        for start, end in zip(grammar.starts[:-1].tolist(), grammar.starts[1:].tolist(), strict=True):
            nodes = grammar.nodes[start:end].tolist()
            for label, below in zip(nodes, [self.anchor, *nodes], strict=False):
                for place in ((label, below), (label, label)):
                    places.append(numbers.setdefault(place, len(numbers)))
            if not nodes:
                places += [-1, -1]
            starts.append(len(places))
            tops.append(nodes[-1] if nodes else self.anchor)
        root = numbers.setdefault((self.top_of_root, self.anchor), len(numbers))
        self.places = list(numbers)
        self.tables = Tables(
            _column([*starts, len(places) + 2]),
            _column([*places, root, -1]),
            _column([*tops, self.top_of_root]),
            *(_column(column) for column in zip(*self.places, strict=True)),
        )

    @property
    def root(self) -> int:
        """The number of the spine of the root, after those of the grammar."""
        return len(self.grammar.spines)

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of each label."""
        return {label: number for number, label in enumerate(self.labels)}


def _column(values: list[int] | tuple[int, ...]) -> Heads:
    column = np.array(values, np.int32)
    column.flags.writeable = False
    return column
