"""A PCFG as a parser of sentences, beside `treewright.constituency.tag.parser`, and opening whichever a file holds."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy.typing as npt

from treewright.constituency.pcfg import Pcfg
from treewright.constituency.pcfg.model_file import KIND as PCFG
from treewright.constituency.pcfg.model_file import restore_pcfg
from treewright.constituency.tag.model_file import KIND as SPINES
from treewright.constituency.tag.parser import MAX_WORDS, ConstituentParser, RankedTree
from treewright.errors import UsageError
from treewright.model.container import open_model
from treewright.treebank import Sentence

__all__ = ["PcfgParser", "open_constituent_parser"]


class PcfgParser:
    """Finds the most probable trees of sentences under a grammar.

    Parameters
    ----------
    grammar : Pcfg
    """

    def __init__(self, grammar: Pcfg) -> None:
        self.grammar = grammar
        self.info: Mapping[str, Any] = {}

    def k_best(self, sentence: Sentence, k: int, *, keep_tags: bool = False) -> list[RankedTree]:
        """Find the k most probable trees of a sentence, with their probabilities given its words.

        Parameters
        ----------
        sentence : Sentence
        k : int
        keep_tags : bool
            Whether to use the tags (XPOS) that the sentence has.

        Raises
        ------
        UsageError
            If the sentence is too long, or has no words.
        """
        words, tags = _checked(sentence), sentence.xpos if keep_tags else None
        found = self.grammar.k_best(words, k, tags, given_words=True)
        return [RankedTree(tree, rank, min(1.0, math.exp(log))) for rank, (tree, log) in enumerate(found, 1)]

    def trees_of(self, sentence: Sentence, k: int | None = None, *, keep_tags: bool = False) -> list[RankedTree]:
        """Give the best tree of a sentence, or the k best; none of one without words."""
        if not len(sentence):
            return []
        if k is None:
            return [RankedTree(self.grammar.parse(_checked(sentence), sentence.xpos if keep_tags else None))]
        return self.k_best(sentence, k, keep_tags=keep_tags)

    def describe(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Take the grammar apart into a manifest and arrays."""
        return self.grammar.describe()


def _checked(sentence: Sentence) -> tuple[str, ...]:
    if len(sentence) > MAX_WORDS:
        raise UsageError(f"a sentence of {len(sentence):,} words is too long to parse (the limit is {MAX_WORDS:,})")
    return tuple(sentence.forms)


def open_constituent_parser(path: str | os.PathLike[str]) -> ConstituentParser | PcfgParser:
    """Open the model file of a constituent parser, by spines or by a PCFG.

    Raises
    ------
    ModelError
        If it is not a sound model file of either kind.
    """
    builders: dict[str, Callable[..., ConstituentParser | PcfgParser]] = {
        PCFG: lambda manifest, arrays: PcfgParser(restore_pcfg(manifest, arrays)),
        SPINES: ConstituentParser.restore,
    }
    return open_model(path, builders)
