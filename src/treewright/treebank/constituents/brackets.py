"""From bracketed text to trees, checked on the way.

A tree is its opening brackets in order.  Each is followed by a label, by a word where it is a leaf, and by as
many closing brackets as end there; so one regular expression cuts a text into nodes, and the number of closing
brackets gives the parent of the next.  What is wrong with a text that is refused is said by
`treewright.treebank.constituents.diagnosis`.
"""

from __future__ import annotations

import re
from typing import Literal

from treewright.treebank.constituents.tree import ConstituentTree

__all__ = ["BLANKS", "Spaces", "parse_trees"]

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


def parse_trees(text: str, spaces: Spaces = "refuse") -> list[ConstituentTree] | None:
    """Read the trees in a text; None where something is wrong with it.

    Parameters
    ----------
    text : str
        Whole trees, one after the other, with nothing before the first.
    spaces : {"refuse", "keep"}
        Whether a leaf with several words is wrong, or one word with spaces in it.
    """
    pieces = _NODE[spaces].split(text)
    if any(pieces[::4]):  # what stands between the nodes
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
                trees.append(ConstituentTree.trusted(own, parents, filter(None, words[first : node + 1])))
                first, parents = node + 1, []
    if path:
        return None
    return trees
