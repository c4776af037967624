"""Brackets: from text to the nodes of trees, checked on the way, and back.

A tree is its opening brackets in order.  Each is followed by a label, by a word if it is a leaf, and by as many
closing brackets as end there.  So one regular expression cuts a text into nodes, and the number of closing brackets
determines the parent of the next node.  `treewright.treebank.constituents.diagnosis` finds out what is wrong with a
text that is refused here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from treewright.errors import UsageError
from treewright.treebank.reading import shorten

__all__ = ["BLANKS", "Brackets", "Spaces", "format_brackets", "parse_brackets"]

#: What separates words.  Other white space, such as a no-break space, may be part of one.
BLANKS = " \t\r\n"

Spaces = Literal["refuse", "keep"]

_NAME = rf"[^{BLANKS}()\0]"
_OPEN = rf"\([{BLANKS}]*({_NAME}*)[{BLANKS}]*"
_CLOSE = rf"[{BLANKS}]*([){BLANKS}]*)"
_NODE = {
    "refuse": re.compile(rf"{_OPEN}({_NAME}*){_CLOSE}"),
    "keep": re.compile(rf"{_OPEN}({_NAME}*(?:[{BLANKS}]+{_NAME}+)*){_CLOSE}"),
}

#: What would be read as a bracket or as the end of a label, and what no reader accepts.
_BAD_LABEL = re.compile(rf"[(){BLANKS}\0]")
_BAD_WORD = re.compile(r"[()\t\r\n\0]|^ | $|  ")


class Brackets(NamedTuple):
    """The nodes of a tree in preorder: their labels, the node above each (-1 above the top), and the words."""

    labels: list[str]
    parents: list[int]
    words: list[str]


def parse_brackets(text: str, spaces: Spaces = "refuse") -> list[Brackets] | None:
    """Read the trees in a text, one after the other with nothing before the first; None if it is malformed.

    A leaf with several words is malformed, or with ``spaces="keep"`` has one word with spaces in it.
    """
    pieces = _NODE[spaces].split(text)
    if any(pieces[::4]):  # what is between the nodes
        return None
    labels, words = pieces[1::4], pieces[2::4]
    trees = []
    parents: list[int] = []
    path: list[int] = []  # from the top to the node last opened
    first = 0
    for node, closing in enumerate(pieces[3::4]):
        parents.append(path[-1] if path else -1)
        path.append(node - first)
        if bool(words[node]) is not bool(closing):
            return None  # a word beside brackets, or a bracket with nothing in it
        if closing:
            closed = closing.count(")")
            if closed > len(path):
                return None
            del path[-closed:]
            if not path:
                own = labels[first : node + 1]
                if not all(own[1:]) or not (own[0] or len(own) > 1):
                    return None
                trees.append(Brackets(own, parents, list(filter(None, words[first : node + 1]))))
                first, parents = node + 1, []
    if path:
        return None
    return trees


def format_brackets(labels: Sequence[str], depths: Sequence[int], words: Sequence[str]) -> str:
    """Write a tree as one line of brackets; raise a `UsageError` if it could not be read back.

    It takes the label of each node, in preorder, the number of nodes above it, and a word for each leaf.
    """
    if _BAD_LABEL.search("".join(labels)) or any(map(_BAD_WORD.search, words)):
        raise UsageError(_fault(labels, words))
    pieces = [f"({label}" for label in labels]
    remaining = iter(words)
    for node, (depth, following) in enumerate(zip(depths, [*depths[1:], 0], strict=True)):
        if following <= depth:
            pieces[node] += f" {next(remaining)}{')' * (depth - following + 1)}"
    return " ".join(pieces)


def _fault(labels: Sequence[str], words: Sequence[str]) -> str:
    for label in labels:
        if _BAD_LABEL.search(label):
            return f"label {shorten(label)} has a bracket, space, line end or NUL in it"
    word = next(word for word in words if _BAD_WORD.search(word))
    if "(" in word or ")" in word:
        return f"word {shorten(word)} has a bracket in it; write -LRB- and -RRB- (escape_brackets does)"
    return f"word {shorten(word)} has a line end, tab, NUL or outer or double space in it"
