"""The search space of a sentence: its senses and links, numbered, and where in a chart everything stands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.arrays import Ints
from treewright.constituency.spines.derivation import Derivation
from treewright.constituency.tag.automata import Tables
from treewright.constituency.tag.graph import LinkGraph, link_senses
from treewright.constituency.tag.layout import ChartLayout, lay_out
from treewright.constituency.tag.links import Joins, Links, Senses
from treewright.constituency.tag.parts import PartRows, list_parts, parts_of_derivation
from treewright.treebank import Sentence

__all__ = ["Space"]


@dataclass(frozen=True, slots=True)
class Space:
    """The derivations of a sentence that are searched."""

    senses: Senses
    links: Links  # in the order of `sort_links`
    graph: LinkGraph  # both, numbered
    layout: ChartLayout  # where items and parts stand
    rows: PartRows  # what is scored

    @classmethod
    def of(cls, tables: Tables, senses: Senses, links: Links, *, second: bool) -> Space:
        """Lay out what is searched; links are sorted, and each has a target and a sense."""
        graph = link_senses(tables, senses, links, second=second)
        layout = lay_out(graph, links)
        return cls(senses, links, graph, layout, list_parts(graph, layout))

    def heads_of(self, joins: Joins) -> Ints:
        """Find the heads of a derivation; entry 0 is that of the root."""
        return np.append(0, self.links.heads[joins.links])

    def parts_of(self, joins: Joins) -> Ints:
        """Find the parts of a derivation."""
        return parts_of_derivation(self.graph, self.layout, joins, self.heads_of(joins))

    def derivation(self, sentence: Sentence, joins: Joins) -> Derivation:
        """Make the derivation of a sentence whose words are joined in this way."""
        x, links = self.graph, self.links
        columns = (
            self.senses.spines[joins.senses],
            links.heads[joins.links],
            (joins.targets - x.states[x.sense_of[joins.targets]]) // 2,
            links.adjunctions[joins.links],
        )
        return Derivation(tuple(sentence.forms), tuple(sentence.xpos), *(column.astype(np.int32) for column in columns))
