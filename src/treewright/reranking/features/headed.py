"""Trees whose constituents know their heads: what features are extracted from, whichever kind the tree was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["CLOSED_TAGS", "TOP", "HeadedTree", "Preposition"]

#: The label above the top of a tree.
TOP = "TOP"

_PENN = ("CC", "DT", "EX", "IN", "MD", "PDT", "POS", "PRP", "PRP$", "RP", "TO", "WDT", "WP", "WP$", "WRB")
_UNIVERSAL = ("ADP", "AUX", "CCONJ", "CONJ", "DET", "PART", "PRON", "SCONJ")

#: Tags of closed-class words, in the Penn Treebank and in Universal Dependencies.
CLOSED_TAGS = frozenset([*_PENN, *_UNIVERSAL])

#: Labels of the modified constituent and the phrase; then three words: the modified one, the preposition, its object.
Preposition = tuple[str, int, int, int]


@dataclass(frozen=True, slots=True)
class HeadedTree:
    """A tree in lists, one entry per node; words are counted from 0."""

    labels: Sequence[str]  # the label of a leaf is the tag of its word
    parents: Sequence[int]  # -1 for the top
    children: Sequence[Sequence[int]]  # from left to right
    head_children: Sequence[int]  # -1 for leaves
    head_words: Sequence[int]
    modifiers: Sequence[str]  # the label of each node as a modifier
    words: Sequence[str]  # one entry per word
    tags: Sequence[str]  # one entry per word
    prepositions: Sequence[Preposition]  # the prepositional phrases that modify something

    def augmented(self, closed_tags: frozenset[str]) -> Sequence[str]:
        """Return the labels, each with its head word if that is of a closed class: ``PP[of]``."""
        marks = [f"[{word}]" if tag in closed_tags else "" for word, tag in zip(self.words, self.tags, strict=True)]
        return [label + marks[word] for label, word in zip(self.labels, self.head_words, strict=True)]
