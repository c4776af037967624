"""A dynamic program written down as a table of whole numbers, which kernels on a GPU can follow.

A table lists the *rows* of a program (see `treewright.inference.charts.walks`): row r adds to item t, which is also
kept at ``copy``, the sum over k < length of value[a + k] · value[b + k] · part[p + k].  Rows are put into *levels*:

- what a row reads was finished in an earlier level;
- rows of a level that read the same items or parts read the same stretch of them.  These make up a *group*, which
  passes probabilities back to what it shares as one sum: nothing is ever written by two groups of a level, so that
  there is no need for atomic operations, and results do not depend on any order.

Rows of a level that are alike in what they have and share make up a *segment*.

`treewright.torch.gpu.hypergraphs` makes tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from treewright.arrays import Ints, Places

__all__ = ["FIELDS", "HAS_B", "HAS_P", "ONCE", "SHARES_A", "SHARES_B", "SHARES_P", "Packed", "Table", "pack"]

#: What the rows of a segment have, and what those of its groups share; ONCE: no other row has its parts.
HAS_B, HAS_P, SHARES_A, SHARES_B, SHARES_P, ONCE = 1, 2, 4, 8, 16, 32


@dataclass(frozen=True, eq=False)
class Table:
    """The program for sentences of one shape.

    Attributes
    ----------
    n, items, parts, goal : int
        The number of words, items and parts, and the item that is the whole tree.
    arrays : dict of int32 arrays
        ``segments``, one a row: its rows, its groups, the longest row, the most rows of a group, its flags, and
        whether it is the first (1) or last (2) of a level, or both (3).  ``t``, ``copy``, ``a``, ``b``, ``p`` and
        ``length`` of rows; ``groups``: the first row of each, and last the number of rows; ``ones``: the items that are
        empty; ``rows_of``: the one or two rows of each item, or -1; ``head`` and ``modifier`` of each part that stands
        for an arc, otherwise -1 and 0; ``by_word``: the parts by modifier, and ``words``: where those of each word
        begin, those of modifier 0 first.
    folds : dict of int32 arrays
        For each kind of part that is scored: the places of the scores that a part of the program adds up, one or two
        columns; -1 if there is none, and -2 if the part is forbidden.
    """

    n: int
    items: int
    parts: int
    goal: int
    arrays: dict[str, Places]
    folds: dict[str, Places]


#: The numbers about a sentence that kernels are given, by place: sizes, and where in the packed table things begin.
_SIZES = ("n", "items", "parts", "goal", "segment_count", "one_count")
_ROWS = ("segments", "t", "copy", "a", "b", "p", "length", "groups")
_ARRAYS = (*_ROWS, "ones", "rows_of", "head", "modifier", "by_word", "words")
_KINDS = ("arc", "sibling", "last", "grandchild", "grand_sibling", "tri_sibling")
_NAMES = (*_SIZES, *_ARRAYS, *(f"{what}_{kind}" for kind in _KINDS for what in ("fold", "second", "starts", "users")))
FIELDS = {name: place for place, name in enumerate(_NAMES)}


@dataclass(frozen=True, eq=False)
class Packed:
    """The tables of a batch in one tensor, and for each sentence the numbers of `FIELDS`."""

    numbers: torch.Tensor  # int32
    fields: torch.Tensor  # int64, (batch, len(FIELDS))
    most: dict[str, int]  # for each kind, how many parts have the same score, at most
    tables: tuple[Table, ...]  # the different ones
    owner: object = None  # what the tables are known by, which must not be freed before them

    @property
    def words(self) -> int:
        """The length of the longest sentence, with the root."""
        return max(table.n for table in self.tables) + 1

    @property
    def items(self) -> int:
        """The most items of a sentence."""
        return max(table.items for table in self.tables)

    @property
    def parts(self) -> int:
        """The most parts of a sentence."""
        return max(table.parts for table in self.tables)

    @property
    def longest(self) -> int:
        """The length of the longest row."""
        return max(int(table.arrays["segments"][:, 4].max(initial=1)) for table in self.tables)

    @property
    def most_rows(self) -> int:
        """The rows of the largest group."""
        return max(int(table.arrays["segments"][:, 5].max(initial=1)) for table in self.tables)


def pack(tables: Sequence[Table], scores: dict[str, torch.Tensor], owner: object = None) -> Packed:
    """Put the tables of a batch with these scores into one tensor; one that several sentences have is stored once."""
    device, most = scores["arc"].device, dict.fromkeys(scores, 1)
    pieces: list[torch.Tensor] = []
    rows: dict[int, Ints] = {}
    distinct: list[Table] = []
    size = 0

    def place(piece: torch.Tensor) -> int:
        nonlocal size
        pieces.append(piece)
        size += len(piece)
        return size - len(piece)

    for table in tables:
        if id(table) in rows:
            continue
        distinct.append(table)
        row = np.full(len(FIELDS), -1, np.int64)
        counts = len(table.arrays["segments"]), len(table.arrays["ones"])
        row[: len(_SIZES)] = table.n, table.items, table.parts, table.goal, *counts
        for name in _ARRAYS:
            row[FIELDS[name]] = place(torch.from_numpy(table.arrays[name].reshape(-1)).to(device))
        for kind, tensor in scores.items():
            columns = torch.from_numpy(table.folds[kind].T.copy()).to(device)
            for name, column in zip(("fold", "second"), columns, strict=False):
                row[FIELDS[f"{name}_{kind}"]] = place(column)
            starts, users = _by_score(columns, tensor[0].numel())
            most[kind] = max(most[kind], int(starts.diff().max()))
            row[FIELDS[f"starts_{kind}"]], row[FIELDS[f"users_{kind}"]] = place(starts), place(users)
        rows[id(table)] = row
    fields = torch.from_numpy(np.stack([rows[id(table)] for table in tables])).to(device)
    return Packed(torch.cat(pieces), fields, most, tuple(distinct), owner)


def _by_score(fold: torch.Tensor, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """List for each score the parts that have it: where those of each begin, and all of them."""
    part = torch.arange(fold.shape[1], dtype=torch.int32, device=fold.device).expand_as(fold)[fold >= 0]
    ordered, order = torch.sort(fold[fold >= 0], stable=True)
    starts = torch.searchsorted(ordered, torch.arange(count + 1, dtype=torch.int32, device=fold.device))
    return starts.to(torch.int32), part[order]
