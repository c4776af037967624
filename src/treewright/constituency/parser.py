"""What the parsers of constituents share."""

from __future__ import annotations

from typing import ClassVar, get_args

from treewright.errors import UsageError
from treewright.options import EmptyElements
from treewright.parsing import TreeParser
from treewright.treebank import ConstituentTree, Sentence
from treewright.treebank.constituents.simplification import escape_word

__all__ = ["ConstituentTreeParser"]


class ConstituentTreeParser(TreeParser[ConstituentTree]):
    """A parser of constituent trees; sentences without words have none."""

    MAX_WORDS: ClassVar[int] = 400

    @property
    def trees_found(self) -> str:
        """What the trees are: ``constituents``."""
        return "constituents"

    @property
    def empty(self) -> EmptyElements:
        """What counted as an empty element when the parser was trained, and is no word of a bracketed tree."""
        options = self.info.get("options")
        noted = options.get("empty") if isinstance(options, dict) else None
        return next((empty for empty in get_args(EmptyElements) if empty == noted), "penn")

    def accepts(self, sentence: Sentence) -> bool:
        """Return whether a sentence has words."""
        return len(sentence) > 0

    def parsable(self, sentence: Sentence, k: int = 1) -> Sentence:
        """Return a sentence with brackets in words as treebanks write them, ``-LRB-`` and ``-RRB-``.

        Raises
        ------
        UsageError, ValueError
            If there are no words, or too many, or k is negative.
        """
        if k < 0:
            raise ValueError(f"k is {k}: it must be at least 0")
        if not len(sentence):
            raise UsageError("there are no words to parse; give at least one")
        self.refuse_too_long(sentence)
        return sentence.replace(forms=tuple(map(escape_word, sentence.forms)))
