"""A sentence in memory: columns, not an object for each token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Sentence"]

IntArray = npt.NDArray[np.int32]


@dataclass(slots=True, eq=False)
class Sentence:
    """The words of a sentence, column by column.

    Word *i* of the sentence (counted from 1, as in the file) is entry ``i - 1`` of every column.

    Attributes
    ----------
    forms, lemmas, upos, xpos, feats, deprels, deps, misc : sequence of str
        The columns of CoNLL-U; ``"_"`` where nothing is given.
    heads : int32 array, shape (n,)
        The head of each word: 0 is the root, -1 means that no head is given.
    comments : sequence of str
        The comment lines, ``#`` included.
    """

    forms: Sequence[str]
    lemmas: Sequence[str]
    upos: Sequence[str]
    xpos: Sequence[str]
    feats: Sequence[str]
    heads: IntArray
    deprels: Sequence[str]
    deps: Sequence[str]
    misc: Sequence[str]
    comments: Sequence[str] = field(default=())

    @classmethod
    def from_forms(cls, forms: Sequence[str], **columns: Any) -> Sentence:
        """Make a sentence of bare words; every column that is not given is empty.

        Examples
        --------
        >>> Sentence.from_forms(["Trees", "grow"]).heads.tolist()
        [-1, -1]
        """
        blank = ("_",) * len(forms)
        names = ("lemmas", "upos", "xpos", "feats", "deprels", "deps", "misc")
        columns = {name: columns.get(name, blank) for name in names} | columns
        columns.setdefault("heads", np.full(len(forms), -1, np.int32))
        return cls(forms=forms, **columns)

    def __len__(self) -> int:
        return len(self.forms)

    def replace(self, **columns: Any) -> Sentence:
        """Copy the sentence with some columns replaced; the others are shared."""
        return replace(self, **columns)
