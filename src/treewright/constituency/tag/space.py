"""What is searched: senses, links between them, and where in a chart everything stands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.arrays import Ints
from treewright.constituency.spines.derivation import Derivation
from treewright.constituency.tag.automata import Tables
from treewright.constituency.tag.layout import Layout, Links, Senses, lay_out
from treewright.constituency.tag.parts import PartRows, list_parts
from treewright.constituency.tag.search import Joins
from treewright.treebank import Sentence

__all__ = ["Space"]


@dataclass(frozen=True, slots=True)
class Space:
    """The derivations of a sentence that are searched.

    Attributes
    ----------
    senses : Senses
    links : Links
        In order.
    layout : Layout
    rows : PartRows
        What is scored.
    """

    senses: Senses
    links: Links
    layout: Layout
    rows: PartRows

    @classmethod
    def of(cls, tables: Tables, senses: Senses, links: Links, *, second: bool) -> Space:
        """Lay out what is searched; links are in the order of `sort_links`, and each has a target and a sense."""
        layout = lay_out(tables, senses, links, second=second)
        return cls(senses, links, layout, list_parts(layout))

    def heads_of(self, joins: Joins) -> Ints:
        """Give the heads of a derivation; entry 0 is that of the root."""
        return np.append(0, self.links.heads[joins.links])

    def derivation(self, sentence: Sentence, joins: Joins) -> Derivation:
        """Spell a derivation out."""
        x, links = self.layout, self.links
        columns = (
            self.senses.spines[joins.senses],
            links.heads[joins.links],
            (joins.targets - x.states[x.sense_of[joins.targets]]) // 2,
            links.adjunctions[joins.links],
        )
        return Derivation(tuple(sentence.forms), tuple(sentence.xpos), *(column.astype(np.int32) for column in columns))
