"""A sentence in memory: columns, not an object for each token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from treewright.arrays import Heads, Ints
from treewright.treebank.drawn import Drawn

__all__ = ["Format", "LineLayout", "Sentence"]


Format = Literal["conllu", "conllx"]


class LineLayout(NamedTuple):
    """How the lines of a sentence were laid out in its file, if not in the usual way.

    Usually every line ends in a line feed and one blank line follows; such a sentence has no layout.
    """

    before: str  # what comes before the first line: blank lines, a byte-order mark, comments that belong to no sentence
    ends: tuple[str, ...]  # of each line: "\n", "\r\n", or "" at the end of a file
    after: str  # what comes after the end of the last line


@dataclass(slots=True, eq=False)
class Sentence(Drawn):
    """The words of a sentence, column by column.

    Word *i* of the sentence (counted from 1, as in the file) is entry ``i - 1`` of every column.

    Attributes
    ----------
    forms, lemmas, upos, xpos, feats, deprels, deps, misc : sequence of str
        The columns of CoNLL-U; ``"_"`` for unspecified values.  In CoNLL-X, ``upos`` is CPOSTAG, ``xpos`` POSTAG,
        ``deps`` PHEAD and ``misc`` PDEPREL.
    heads : int32 array, shape (n,)
        The head of each word: 0 is the root, -1 means that the head is unknown.
    comments : sequence of str
        The comment lines, ``#`` included.
    asides : sequence of (int, str)
        The lines that are not words (multiword tokens and empty nodes), each with the number of words before it.
    layout : LineLayout or None
        How the lines were laid out in the file, if not in the usual way; writing restores it.
    format : {"conllu", "conllx"}
        The format that these columns belong to.
    ranges : int64 array, shape (n, 2), or None
        Of sentences found in raw text: where each word begins and ends there, in characters (code points) from 0.  The
        words of a multiword token have the range of that token.
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
    layout: LineLayout | None = None
    format: Format = "conllu"
    ranges: Ints | None = None

    @classmethod
    def from_forms(cls, forms: Sequence[str], **columns: Any) -> Sentence:
        """Make a sentence from its words; columns that are not given are left blank.

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
        """The text of the sentence from its ``# text =`` comment; None if there is none.

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
        """Return the heads with the root in front, as `treewright.inference` numbers them.

        Returns
        -------
        int32 array, shape (n + 1,)
            Entry *m* is the head of word *m*; entry 0, for the root, is -1.

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
