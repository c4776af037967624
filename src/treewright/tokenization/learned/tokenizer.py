"""The learned tokenizer: where sentences end, then where tokens end, then which words they are."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

import numpy as np

from treewright.arrays import Array, Arrays, Mask
from treewright.features.weights import Weights
from treewright.tokenization.characters import SPACE
from treewright.tokenization.languages import language_of
from treewright.tokenization.learned.alphabet import SPACES, Letters, letters_of
from treewright.tokenization.learned.cuts import Chunks, scan_cuts, suffixes
from treewright.tokenization.learned.ends import scan_ends
from treewright.tokenization.learned.splits import Splits
from treewright.tokenization.learned.words import words_of
from treewright.tokenization.sentences import sentence_spans
from treewright.tokenization.token import Token
from treewright.tokenization.words import chunk_marker

__all__ = ["TRUST", "Tokenizer", "chunks_of", "rule_ends", "shift_of"]

#: Changes whenever features do, so that weights of others are refused.
_FEATURES = 1

#: What the rules say counts as much as a feature of this weight.
TRUST = 1.0

#: Text is read in blocks of at least so many characters that end with a paragraph, and of at most so many.
_BLOCK, _LONGEST_BLOCK = 1 << 15, 1 << 18

_PARAGRAPH_END = re.compile(rf"\n(?:(?!\n)[{SPACE}])*+\n | \u2029", re.VERBOSE)
_LAST_SPACE = re.compile(rf"(?s).*[{SPACE}]")

#: The quickest way to make a token of what is in it.
_TOKEN: Callable[[tuple[int, int, tuple[str, ...]]], Token] = partial(tuple.__new__, Token)

_NO_ANSWERS, _NO_PLACES, _NO_VALUES = np.empty(0, np.bool_), np.empty(0, np.int32), np.empty(0, np.float32)


@dataclass(frozen=True)
class Tokenizer:
    """Cuts text into sentences and words as a treebank has them: a `treewright.tokenization.Splitter`.

    Made by `treewright.tokenization.train_tokenizer`.

    Attributes
    ----------
    language : str
        An ISO 639 code: whose rules are the prior.
    ends, cuts : Weights
        What decides where sentences end, and where tokens do.
    splits : Splits
        Which words a token is.
    protected : int
        A bit for each of `treewright.tokenization.words.RULE_KINDS`: tokens of that kind are as the rules have them.
    threshold : float
        Sentences end where the score is above this.

    Examples
    --------
    >>> from treewright.tokenization import tokenize, train_tokenizer
    >>> from treewright.treebank import read
    >>> tokenizer = train_tokenizer(read("tests/data/ewt.conllu"), language="en")
    >>> [sentence.forms for sentence in tokenize("They didn't go. Why?", tokenizer)]
    [['They', 'did', "n't", 'go', '.'], ['Why', '?']]
    """

    language: str
    ends: Weights
    cuts: Weights
    splits: Splits = field(default_factory=Splits)
    protected: int = 0
    threshold: float = 0.0

    def split(self, text: str) -> Iterator[list[Token]]:
        """Yield the tokens of each sentence of a text; blank lines end paragraphs, and with them sentences."""
        for start, end in _blocks(text):
            block = text[start:end]
            letters = letters_of(block)
            yield from self._tokens(block, letters, self.find_ends(block, letters), start)

    def tokens(self, text: str) -> list[Token]:
        """Find the tokens of one sentence."""
        letters = letters_of(text)
        ends = np.zeros(len(text), np.bool_)
        ends[np.flatnonzero(letters.kinds != SPACES)[-1:]] = True
        return next(self._tokens(text, letters, ends, 0), [])

    def find_ends(self, text: str, letters: Letters) -> Mask:
        """Mark the last character of each sentence."""
        words, table = words_of(text, letters, self.language), self.ends.table
        ends = np.zeros(len(text), np.bool_)
        scan_ends(
            words, letters.lower, rule_ends(text, self.language), 0, len(words.last), table, shift_of(len(table)),
            TRUST / self.ends.scale, self.threshold / self.ends.scale, _NO_ANSWERS, 0.0, ends, _NO_PLACES, _NO_VALUES,
        )  # fmt: skip
        return ends

    def find_cuts(self, text: str, letters: Letters, ends: Mask) -> Mask:
        """Mark the last character of each token, where it is known where sentences end."""
        chunks, table = chunks_of(text, letters, ends, self.language), self.cuts.table
        cuts = np.zeros(len(text), np.bool_)
        scan_cuts(
            chunks, 0, len(text), table, shift_of(len(table)), TRUST / self.cuts.scale, self.protected,
            _NO_ANSWERS, 0.0, cuts, _NO_PLACES, _NO_VALUES,
        )  # fmt: skip
        return cuts

    def _tokens(self, text: str, letters: Letters, ends: Mask, offset: int) -> Iterator[list[Token]]:
        """Yield the tokens of each sentence of a block that begins at ``offset``."""
        cuts, filled = self.find_cuts(text, letters, ends), letters.kinds != SPACES
        places = np.flatnonzero(cuts)
        starts = np.flatnonzero(filled & np.append(True, (cuts | ~filled)[:-1])).tolist()
        stops, last = (places + 1).tolist(), (np.flatnonzero(ends[places]) + 1).tolist()
        forms = [text[start:stop] for start, stop in zip(starts, stops, strict=True)]
        if offset:
            starts, stops = [start + offset for start in starts], [stop + offset for stop in stops]
        for first, end in itertools.pairwise([0, *last]):
            words = self.splits.words(forms[first:end])
            yield list(map(_TOKEN, zip(starts[first:end], stops[first:end], words, strict=True)))

    def describe(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Describe the tokenizer as a manifest and arrays."""
        ends, of_ends = self.ends.describe("ends")
        cuts, of_cuts = self.cuts.describe("cuts")
        splits, of_splits = self.splits.describe()
        manifest = {
            "features": _FEATURES,
            "language": self.language,
            "ends": ends,
            "cuts": cuts,
            "splits": splits,
            "protected": self.protected,
            "threshold": self.threshold,
        }
        return manifest, {**of_ends, **of_cuts, **of_splits}

    @classmethod
    def restore(cls, manifest: Mapping[str, Any], arrays: Arrays) -> Self:
        """Build a tokenizer from its description.

        Raises
        ------
        KeyError, TypeError, ValueError
            If the description is not that of a tokenizer.
        """
        if manifest["features"] != _FEATURES:
            raise ValueError("its tokenizer has the features of another version")
        protected, threshold = int(manifest["protected"]), float(manifest["threshold"])
        if not (0 <= protected < 1 << 31 and -np.inf < threshold < np.inf):
            raise ValueError("the settings of its tokenizer are no such numbers")
        ends, cuts = (_restored(manifest[name], arrays, name) for name in ("ends", "cuts"))
        splits = Splits.restore(manifest["splits"], arrays)
        return cls(str(manifest["language"]), ends, cuts, splits, protected, threshold)


def _restored(about: Mapping[str, Any], arrays: Arrays, name: str) -> Weights:
    size = len(arrays[name])
    if size < 2 or size & (size - 1):
        raise ValueError(f"its table of {name} has {size:,} weights, which is not a power of two")
    return Weights.restore(about, arrays, size, name)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Cut a text where paragraphs end, or at a space, or else anywhere."""
    start = 0
    while start < len(text):
        limit = min(start + _LONGEST_BLOCK, len(text))
        found = _PARAGRAPH_END.search(text, start + _BLOCK, limit)
        if found is None and limit < len(text):
            found = _LAST_SPACE.match(text, start + _BLOCK, limit)
        end = found.end() if found else limit
        yield start, end
        start = end


def shift_of(size: int) -> np.uint64:
    """Return how far to shift a hash of 64 bits, so that it is a place in a table of this size, a power of two."""
    return np.uint64(65 - size.bit_length())


def rule_ends(text: str, language: str) -> Mask:
    """Mark the last character of each sentence that the rules find."""
    marked = np.zeros(len(text), np.bool_)
    marked[[end - 1 for _, end in sentence_spans(text, language)]] = True
    return marked


def chunks_of(text: str, letters: Letters, ends: Mask, language: str) -> Chunks:
    """Note what the rules say about tokens, where it is known where sentences end."""
    mark = chunk_marker(language_of(language))
    filled = letters.kinds != SPACES
    stops = np.flatnonzero(filled & (ends | ~np.append(filled[1:], False)))
    starts = np.flatnonzero(filled & np.append(True, (ends | ~filled)[:-1]))
    marks, quoted = list[bytes](), False
    for start, stop, final in zip(starts.tolist(), (stops + 1).tolist(), ends[stops].tolist(), strict=True):
        chunk = text[start:stop]
        marks.append(mark(chunk, final, quoted))
        quoted = not final and (quoted or chunk[0] in "'‘")
    prior = np.zeros(len(text), np.uint8)
    prior[filled] = np.frombuffer(b"".join(marks), np.uint8)
    return Chunks(letters.lower, letters.kinds, prior, ends, suffixes(letters.lower, letters.kinds, ends))
