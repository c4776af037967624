"""Draw a dependency tree in the terminal.

Each word is a row and each arc a line in one of the columns to the left of the words.  An arc gets the first
free column, counted from the words, that lies beyond the columns of its modifier's own arcs; short arcs
choose first.  So

- two arcs in one column never share a row, so ``┼`` is always a crossing of two lines that pass by, and every other
  corner belongs to the word of its row;
- in the row of a word with an arrow, the leftmost corner is that of the arc from its head, and the corners to the right
  of it are those of the arcs to its modifiers;
- the lines of a projective tree do not cross.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.treebank.conllu.columns import checked_heads
from treewright.treebank.conllu.confidence import Confidence
from treewright.treebank.conllu.doubts import is_weak, noted, rivals_of
from treewright.treebank.sentence import Sentence
from treewright.treebank.terminal import display_width, make_printable

__all__ = ["draw_text"]

_UP, _DOWN, _LEFT, _RIGHT, _WEAK = 1, 2, 4, 8, 16

_SHAPES = (
    0,
    _UP | _DOWN,
    _DOWN | _RIGHT,
    _UP | _RIGHT,
    _LEFT | _RIGHT,
    _DOWN | _LEFT | _RIGHT,
    _UP | _LEFT | _RIGHT,
    _UP | _DOWN | _LEFT | _RIGHT,
)


class _Pen(NamedTuple):
    """The characters of a picture: two for each shape of a cell, one before a modifier and one before a root.

    Weak lines have others: one across, and one down.
    """

    cells: dict[int, str]
    arrow: str
    root: str
    dots: str

    def draw(self, cell: int) -> str:
        """Return what is in a cell; a weak line that passes by is dotted."""
        return f"{self.dots[1]} " if cell == _WEAK | _UP | _DOWN else self.cells[cell & ~_WEAK]


_BOX = _Pen(dict(zip(_SHAPES, ["  ", "│ ", "┌─", "└─", "──", "┬─", "┴─", "┼─"], strict=True)), "►", "●", "┄┊")
_ASCII = _Pen(dict(zip(_SHAPES, ["  ", "| ", ".-", "'-", "--", ".-", "'-", "+-"], strict=True)), ">", "*", "~:")


def draw_text(sentence: Sentence, *, confidence: bool = True, ascii_only: bool = False, dimmed: bool = False) -> str:
    """Draw the tree of a sentence: a row for each word, with arcs to the left of its form, UPOS and relation.

    An arc ends in an arrow at its modifier and comes from the leftmost corner in the row of the modifier.  The root has
    a dot, and words without a head have neither.  Where a parser has noted probabilities, those of head and relation
    are beside each word, arcs whose heads are less probable than 0.8 are dotted, and rivals are listed below.

    Parameters
    ----------
    sentence : Sentence
        Its tree may be non-projective, have several roots, and lack some heads.
    confidence : bool
        Whether to show the probabilities.
    ascii_only : bool
        Draw the arcs in ASCII; the words stay as they are.
    dimmed : bool
        Dim the rows of words with weak arcs, by the codes of terminals.

    Returns
    -------
    str
        The rows, with line ends between them; empty for a sentence without words.  Control characters are replaced, so
        that the picture is safe to print.

    Raises
    ------
    UsageError
        If the heads do not form a tree.

    Examples
    --------
    >>> sentence = Sentence.from_forms(
    ...     ["The", "dog", "chased", "a", "cat"],
    ...     upos=["DET", "NOUN", "VERB", "DET", "NOUN"],
    ...     heads=[2, 3, 0, 5, 3],
    ...     deprels=["det", "nsubj", "root", "det", "obj"],
    ... )
    >>> print(draw_text(sentence))
        ┌─► The     DET   det
      ┌─┴─► dog     NOUN  nsubj
    ┌─┴───● chased  VERB  root
    │   ┌─► a       DET   det
    └───┴─► cat     NOUN  obj
    """
    heads = checked_heads(sentence)
    pen = _ASCII if ascii_only else _BOX
    doubts = noted(sentence, confidence)
    weak = list(map(is_weak, doubts))
    columns = [
        _aligned(column, "?" if ascii_only else "\ufffd")
        for column in (sentence.forms, sentence.upos, sentence.deprels, *_numbers(doubts))
    ]
    rows = []
    for head, cells, faint, *words in zip(heads, _cells(heads, weak), weak, *columns, strict=True):
        arcs = "".join(map(pen.draw, cells.tolist()))
        arcs = arcs.replace(pen.cells[_LEFT | _RIGHT][0], pen.dots[0]) if faint else arcs
        mark = pen.arrow if head > 0 else pen.root if head == 0 else arcs[-1:] or " "
        row = f"{arcs}{mark} {'  '.join(words)}".rstrip()
        rows.append(f"\x1b[2m{row}\x1b[0m" if dimmed and faint else row)
    return "\n".join([*rows, *_rivals(sentence, doubts)])


def _numbers(doubts: Sequence[Confidence]) -> Iterator[list[str]]:
    """Yield the columns of probabilities that there are: of heads, and of relations."""
    for values in ([one.head for one in doubts], [one.relation for one in doubts]):
        if any(value is not None for value in values):
            yield ["" if value is None else f"{value:.2f}" for value in values]


def _rivals(sentence: Sentence, doubts: Sequence[Confidence]) -> Iterator[str]:
    """Yield a line for each word that has rivals: what else it may be, and how probably."""
    for form, one in zip(sentence.forms, doubts, strict=True):
        if rivals := rivals_of(sentence, one):
            yield make_printable(f"{form}?  or {rivals}")


def _cells(heads: Sequence[int], weak: Sequence[bool]) -> npt.NDArray[np.uint8]:
    """Find the directions in which lines leave each cell, as bits; the outermost column comes first.

    One more bit is for the lines of weak arcs.
    """
    columns = _arc_columns(heads)
    width = max(columns.values(), default=-1) + 1
    cells = np.zeros((len(heads), width), np.uint8)
    outermost = [-1] * len(heads)
    for modifier, column in columns.items():
        head = heads[modifier - 1]
        first, last = min(head, modifier) - 1, max(head, modifier) - 1
        cells[first:last, width - 1 - column] |= _DOWN
        cells[first + 1 : last + 1, width - 1 - column] |= _UP
        if weak[modifier - 1]:
            cells[first : last + 1, width - 1 - column] |= _WEAK
        for row in (first, last):
            outermost[row] = max(outermost[row], column)
    for row, column in enumerate(outermost):
        if column >= 0:
            cells[row, width - 1 - column :] |= _RIGHT
            cells[row, width - column :] |= _LEFT
    return cells


def _arc_columns(heads: Sequence[int]) -> dict[int, int]:
    """Choose the column of the arc to each word that is not a root; columns are counted from the words.

    The rows taken in a column are the bits of one integer.
    """
    waiting = [0] * (len(heads) + 1)  # modifiers whose arcs have no column yet
    for head in heads:
        waiting[max(head, 0)] += 1
    ready = [(abs(head - m), m) for m, head in enumerate(heads, 1) if head > 0 and not waiting[m]]
    heapq.heapify(ready)
    floor = [0] * (len(heads) + 1)
    taken: list[int] = []
    columns: dict[int, int] = {}
    while ready:
        length, m = heapq.heappop(ready)
        h = heads[m - 1]
        rows = ((2 << length) - 1) << min(h, m)
        column = floor[m]
        while column < len(taken) and taken[column] & rows:
            column += 1
        if column == len(taken):
            taken.append(0)
        taken[column] |= rows
        columns[m] = column
        floor[h] = max(floor[h], column + 1)
        waiting[h] -= 1
        if not waiting[h] and heads[h - 1] > 0:
            heapq.heappush(ready, (abs(heads[h - 1] - h), h))
    return columns


def _aligned(words: Sequence[str], replacement: str) -> list[str]:
    """Make words safe to print, and pad them to the same width."""
    printable = [make_printable(word, replacement) for word in words]
    widths = list(map(display_width, printable))
    widest = max(widths, default=0)
    return [word + " " * (widest - width) for word, width in zip(printable, widths, strict=True)]
