"""What features are read from: trees whose constituents know their head, of whichever kind they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["CLOSED_TAGS", "TOP", "HeadedTree", "Preposition"]

#: The name of what is above the top of a tree.
TOP = "TOP"

_PENN = ("CC", "DT", "EX", "IN", "MD", "PDT", "POS", "PRP", "PRP$", "RP", "TO", "WDT", "WP", "WP$", "WRB")
_UNIVERSAL = ("ADP", "AUX", "CCONJ", "CONJ", "DET", "PART", "PRON", "SCONJ")

#: Tags of closed-class words, in the Penn Treebank and in Universal Dependencies.
CLOSED_TAGS = frozenset([*_PENN, *_UNIVERSAL])

#: What is modified and by what phrase, in labels; then three words: what is modified, the preposition, its object.
Preposition = tuple[str, int, int, int]


@dataclass(frozen=True, slots=True)
class HeadedTree:
    """A tree in lists, one entry for each node; words are counted from 0.

    Attributes
    ----------
    labels : sequence of str
        The label of each node; that of a leaf is the tag of a word.
    parents : sequence of int
        The node above each node, and -1 above the top.
    children : sequence of sequences of int
        The nodes below each node, from left to right; none below a leaf.
    head_children : sequence of int
        The child that is the head of each node; -1 for leaves.
    head_words : sequence of int
        The word that heads each node.
    modifiers : sequence of str
        What each node is called where it modifies a head.
    words, tags : sequence of str
    prepositions : sequence of (str, int, int, int)
        The prepositional phrases that modify something.
    """

    labels: Sequence[str]
    parents: Sequence[int]
    children: Sequence[Sequence[int]]
    head_children: Sequence[int]
    head_words: Sequence[int]
    modifiers: Sequence[str]
    words: Sequence[str]
    tags: Sequence[str]
    prepositions: Sequence[Preposition]

    def augmented(self, closed_tags: frozenset[str]) -> Sequence[str]:
        """Give the labels, each with its head word where that is of a closed class: ``PP[of]``."""
        marks = [f"[{word}]" if tag in closed_tags else "" for word, tag in zip(self.words, self.tags, strict=True)]
        return [label + marks[word] for label, word in zip(self.labels, self.head_words, strict=True)]
