"""A sentence in memory: columns, not an object for each token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from treewright.arrays import Heads

__all__ = ["Format", "Layout", "Sentence"]


Format = Literal["conllu", "conllx"]


class Layout(NamedTuple):
    r"""How the lines of a sentence stood in its file, where that is not the usual way.

    Usually every line ends in a line feed and one blank line follows; then a sentence has no layout.

    Attributes
    ----------
    before, after : str
        What stood before the first line and after the end of the last: blank lines, a byte-order mark,
        comments that belong to no sentence.
    ends : tuple of str
        The end of each line: ``"\n"``, ``"\r\n"``, or ``""`` at the end of a file.
    """

    before: str
    ends: tuple[str, ...]
    after: str


@dataclass(slots=True, eq=False)
class Sentence:
    """The words of a sentence, column by column.

    Word *i* of the sentence (counted from 1, as in the file) is entry ``i - 1`` of every column.

    Attributes
    ----------
    forms, lemmas, upos, xpos, feats, deprels, deps, misc : sequence of str
        The columns of CoNLL-U; ``"_"`` where nothing is given.  In CoNLL-X, ``upos`` is CPOSTAG, ``xpos``
        POSTAG, ``deps`` PHEAD and ``misc`` PDEPREL.
    heads : int32 array, shape (n,)
        The head of each word: 0 is the root, -1 means that no head is given.
    comments : sequence of str
        The comment lines, ``#`` included.
    asides : sequence of (int, str)
        The lines that are not words, which are multiword tokens and empty nodes, each with the number of
        words before it.
    layout : Layout or None
        How the lines stood in the file, where that is not the usual way; writing restores it.
    format : {"conllu", "conllx"}
        The format whose columns these are.
    """

    forms: Sequence[str]
    lemmas: Sequence[str]
    upos: Sequence[str]
    xpos: Sequence[str]
    feats: Sequence[str]
    heads: Heads
    deprels: Sequence[str]
    deps: Sequence[str]
    misc: Sequence[str]
    comments: Sequence[str] = field(default=())
    asides: Sequence[tuple[int, str]] = field(default=())
    layout: Layout | None = None
    format: Format = "conllu"

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

    def __post_init__(self) -> None:
        self.heads = np.asarray(self.heads, np.int32)

    def __len__(self) -> int:
        return len(self.forms)

    @property
    def text(self) -> str | None:
        """The text of the sentence, as its ``# text =`` comment gives it; None where there is none.

        Examples
        --------
        >>> Sentence.from_forms(["Trees", "grow"], comments=["# text = Trees grow"]).text
        'Trees grow'
        """
        for comment in self.comments:
            key, equals, value = comment[1:].partition("=")
            if equals and key.strip() == "text":
                return value.strip()
        return None

    def rooted_heads(self) -> Heads:
        """Give the heads with the root in front, as `treewright.inference` numbers them.

        Returns
        -------
        int32 array, shape (n + 1,)
            Entry *m* is the head of word *m*; entry 0, the root's, is -1.

        Examples
        --------
        >>> Sentence.from_forms(["Trees", "grow"], heads=[2, 0]).rooted_heads().tolist()
        [-1, 2, 0]
        """
        return np.concatenate([np.array([-1], np.int32), self.heads])

    def replace(self, **columns: Any) -> Sentence:
        """Copy the sentence with some columns replaced; the others are shared.

        Examples
        --------
        >>> Sentence.from_forms(["Trees", "grow"]).replace(heads=[2, 0]).rooted_heads().tolist()
        [-1, 2, 0]
        """
        return replace(self, **columns)
