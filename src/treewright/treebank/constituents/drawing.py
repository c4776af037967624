"""Draw a constituent tree in the terminal: a row for each word.

A constituent is in the row of its first word, to the left of its children, and a line leads from it down to the rows
of its other children.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from treewright.treebank.constituents.tree import ConstituentTree
from treewright.treebank.terminal import display_width, make_printable

__all__ = ["draw_tree"]


class _Pen(NamedTuple):
    """The lines of a picture, and the replacement for characters that must not be printed."""

    only: str
    first: str
    between: str
    last: str
    down: str
    replacement: str


_BOX = _Pen("─", "─┬─", "├─", "└─", "│", "\ufffd")
_ASCII = _Pen("-", "-+-", "|-", "`-", "|", "?")


def draw_tree(tree: ConstituentTree, *, ascii_only: bool = False) -> str:
    """Draw a tree for the terminal: constituents, tags and, to the right, the words.

    Parameters
    ----------
    tree : ConstituentTree
    ascii_only : bool
        Draw the lines in ASCII; labels and words stay as they are.

    Returns
    -------
    str
        The rows, with line ends between them.  Control characters are replaced, so that the picture is safe to print.

    Examples
    --------
    >>> print(draw_tree(ConstituentTree.from_string("(S (NP (DT The) (NN dog)) (VP (VBD saw) (NP (PRP us))))")))
    S─┬─NP─┬─DT       The
      │    └─NN       dog
      └─VP─┬─VBD      saw
           └─NP─PRP   us
    """
    pen = _ASCII if ascii_only else _BOX
    labels = [make_printable(label, pen.replacement) or "·" for label in tree.labels]
    if ascii_only:
        labels[0] = labels[0].replace("·", ".")
    rows = _lay_out(tree, labels, pen)
    widths = [sum(map(display_width, row)) for row in rows]
    widest = max(widths)
    return "\n".join(
        "".join(row) + " " * (widest - width + 3) + make_printable(word, pen.replacement)
        for row, width, word in zip(rows, widths, tree.words, strict=True)
    )


@dataclass(slots=True)
class _Fork:
    """A node above the one being drawn: the column of the line to its children, the last child, and the current one."""

    node: int
    column: int
    last: int
    current: int = -1


def _lay_out(tree: ConstituentTree, labels: list[str], pen: _Pen) -> list[list[str]]:
    """Make the row of each word, in pieces: the lines that pass it, then the constituents that start with it."""
    children, parents = tree.children(), tree.parents.tolist()
    path: list[_Fork] = []
    rows: list[list[str]] = [[]]
    column = 0
    for node, label in enumerate(labels):
        while path and path[-1].node != parents[node]:
            path.pop()
        if path:
            fork = path[-1]
            if fork.current >= 0:
                fork.current = node
                rows.append(_margin(path, pen))
                column = fork.column + 2
            else:
                fork.current = node
                rows[-1].append(pen.first if node != fork.last else pen.only)
                column += len(rows[-1][-1])
        rows[-1].append(label)
        column += display_width(label)
        if children[node]:
            path.append(_Fork(node, column + 1, children[node][-1]))
    return rows


def _margin(path: list[_Fork], pen: _Pen) -> list[str]:
    """Draw what is to the left of a child other than the first: the lines down to it and past it."""
    pieces = []
    column = 0
    for fork in path[:-1]:
        if fork.current != fork.last:
            pieces += [" " * (fork.column - column), pen.down]
            column = fork.column + 1
    fork = path[-1]
    return [*pieces, " " * (fork.column - column), pen.last if fork.current == fork.last else pen.between]
