"""Tokens, words and sentences as spans of the characters of a text, spaces left out.

Spaces are the characters of the Unicode category Zs: a tokenizer may keep one inside a word, another may split there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

import numpy as np

from treewright.errors import UsageError
from treewright.evaluation.place import place
from treewright.treebank import Sentence

__all__ = ["Span", "Spans", "spans_of"]

Span = tuple[int, int]

_SPACES: Final = dict.fromkeys([0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000])


@dataclass(frozen=True, slots=True)
class Spans:
    """What one side makes of a text.

    Words of a multiword token have the span of the token: where its characters belong to one of them is not known.
    """

    text: str
    tokens: list[Span]
    sentences: list[Span]  # of those that have words
    words: list[Span]
    in_multiword: list[bool]  # of each word
    forms: list[str]  # of each word, in lower case

    def token_at(self, character: int) -> int:
        """Find the token of a character; the number of tokens for the end of the text."""
        ends = [end for _, end in self.tokens]
        return int(np.searchsorted(ends, character, side="right"))


def spans_of(sentences: Sequence[Sentence], name: str) -> Spans:
    r"""Lay out the tokens and words of sentences over their text.

    Raises
    ------
    UsageError
        If a token has no characters but spaces; the message calls the side ``name``.

    Examples
    --------
    >>> from treewright.treebank import Sentence
    >>> range_line = "1-2\tdon't" + "\t_" * 8
    >>> spans = spans_of([Sentence.from_forms(["do", "n't", "go"], asides=[(0, range_line)])], "system")
    >>> spans.text, spans.tokens, spans.words
    ("don'tgo", [(0, 5), (5, 7)], [(0, 5), (0, 5), (5, 7)])
    """
    surfaces: list[str] = []
    counts: list[int] = []  # of words in each token
    forms: list[str] = []
    multiword: list[bool] = []
    sizes: list[int] = []  # of sentences, in tokens
    for k, sentence in enumerate(sentences):
        before = len(surfaces)
        for surface, words, is_multiword in _tokens(sentence):
            bare = surface.translate(_SPACES)
            if not bare:
                raise UsageError(f"{place(k, sentence)}: a word of the {name} has no characters but spaces")
            surfaces.append(bare)
            counts.append(len(words))
            multiword += [is_multiword] * len(words)
            forms += [word.lower() for word in words] if is_multiword else [bare.lower()]
        if len(surfaces) > before:
            sizes.append(len(surfaces) - before)
    ends = list(accumulate(map(len, surfaces)))
    tokens = list(zip([0, *ends[:-1]], ends, strict=True)) if ends else []
    spans = [token for token, number in zip(tokens, counts, strict=True) for _ in range(number)]
    lasts = list(accumulate(sizes))
    whole = [(tokens[last - size][0], tokens[last - 1][1]) for last, size in zip(lasts, sizes, strict=True)]
    return Spans("".join(surfaces), tokens, whole, spans, multiword, forms)


def _tokens(sentence: Sentence) -> Iterator[tuple[str, Sequence[str], bool]]:
    """Yield each token: how it is written, its words, and whether it is a multiword token."""
    done = 0
    for before, last, surface in multiword_tokens(sentence):
        for form in sentence.forms[done:before]:
            yield form, (form,), False
        yield surface, sentence.forms[before:last], True
        done = last
    for form in sentence.forms[done:]:
        yield form, (form,), False


def multiword_tokens(sentence: Sentence) -> list[tuple[int, int, str]]:
    """List the multiword tokens: the number of words before each, the number of its last word, how it is written."""
    found = []
    for before, line in sentence.asides:
        identifier, surface, *_ = line.split("\t", 2)
        _, dash, last = identifier.partition("-")
        if dash:  # the others are empty nodes
            found.append((before, int(last), surface))
    return found
