"""Counts of words and of adjacent words in a text.

A corpus has one sentence per line and spaces between words.  Words are numbered by their *rank*: the most frequent is
0, and equally frequent words are in the order of their code points.  Words that are too rare are left out, together
with the pairs that they are in: pairs do not reach across a gap, nor across the end of a line.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from scipy.sparse import coo_array, csr_array

from treewright.arrays import Ints
from treewright.errors import ClusterError, UsageError
from treewright.files import READ_ERRORS, PathLike, describe_read_error, find_bad_byte, lines_of, open_input, position

__all__ = ["Bigrams", "CorpusReader", "count_bigrams"]

#: Separates sentences in a sequence of word numbers.
_BREAK = -1

#: How many words to count at a time.
_CHUNK = 1 << 22

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Bigrams:
    """How often words occur, and how often one follows another.

    Attributes
    ----------
    words : list of str
        By rank, the most frequent first.
    frequencies : (V,) array of int64
        How often each word occurs.
    pairs : (V, V) sparse array of int64
        How often the word of a column follows the word of a row.
    """

    words: list[str]
    frequencies: Ints
    pairs: csr_array[np.int64]

    def __len__(self) -> int:
        return len(self.words)

    @property
    def total(self) -> int:
        """The number of pairs of adjacent words."""
        return int(self.pairs.sum())


class _Numbers(dict[bytes, int]):
    """Numbers words in the order in which they first occur, and refuses those that are not UTF-8."""

    def __missing__(self, word: bytes) -> int:
        word.decode("utf-8")
        number = self[word] = len(self)
        return number


class CorpusReader:
    """Reads sentences, and stores them as numbers: four bytes per word.

    Attributes
    ----------
    sentences, words : int
        How many have been read so far.
    """

    def __init__(self) -> None:
        self.sentences = self.words = 0
        self._numbers = _Numbers()
        self._text = array("i")

    def add(self, sentence: bytes | str) -> None:
        """Add a sentence: words separated by white space."""
        raw = sentence.encode("utf-8") if isinstance(sentence, str) else sentence
        before = len(self._text)
        self._text.extend(map(self._numbers.__getitem__, raw.split()))
        self.words += len(self._text) - before
        self.sentences += 1
        self._text.append(_BREAK)

    def read(self, path: PathLike, on_progress: Callable[[int], None] = lambda place: None) -> None:
        """Read a file, plain or compressed; ``-`` is standard input.

        Parameters
        ----------
        path : path
        on_progress : function of int
            Called from time to time with the position in the file on disk.

        Raises
        ------
        ClusterError
            If the file is damaged or not UTF-8.
        UsageError
            If it cannot be read.
        """
        if path == "-":
            self._read(sys.stdin.buffer, "<stdin>", lambda place: None)
            return
        with open_input(path) as file:
            self._read(file, str(path), on_progress)

    def _read(self, file: BinaryIO, name: str, on_progress: Callable[[int], None]) -> None:
        number, line = 1, b""
        try:
            for number, line in enumerate(lines_of(file), 1):
                self.add(line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line)
                if number % 10_000 == 0:
                    on_progress(position(file))
        except UnicodeDecodeError:
            raise ClusterError(find_bad_byte(line)[1], name, number) from None
        except READ_ERRORS as error:
            raise ClusterError(describe_read_error(error), name, number) from None

    def count(self, min_count: int = 1) -> Bigrams:
        """Count what has been read, without words that occur less often than ``min_count``."""
        text = np.frombuffer(self._text, dtype=np.intc) if self._text else np.zeros(0, np.intc)
        frequencies = np.bincount(text[text >= 0], minlength=len(self._numbers)).astype(np.int64)
        spelled = list(self._numbers)  # in UTF-8, which sorts like code points
        kept = np.flatnonzero(frequencies >= min_count).tolist()
        order = np.array(sorted(kept, key=lambda word: (-frequencies[word], spelled[word])), np.int64)
        rank = np.full(len(frequencies) + 1, -1, np.int32)  # the last one is that of _BREAK
        rank[order] = np.arange(len(order))
        pairs: csr_array[np.int64] = csr_array((len(order), len(order)), dtype=np.int64)
        for start in range(0, len(text), _CHUNK):
            piece = rank[text[start : start + _CHUNK + 1]]  # one more, for the pair across the cut
            whole = (piece[:-1] >= 0) & (piece[1:] >= 0)
            ends = piece[:-1][whole], piece[1:][whole]
            pairs = pairs + coo_array((np.ones(len(ends[0]), np.int64), ends), shape=pairs.shape).tocsr()
        pairs.sort_indices()
        return Bigrams([spelled[i].decode("utf-8") for i in order.tolist()], frequencies[order], pairs)


def count_bigrams(sentences: Iterable[str] | Iterable[Sequence[str]], min_count: int = 1) -> Bigrams:
    """Count the words, and the pairs of adjacent words, in sentences.

    Parameters
    ----------
    sentences : iterable of str, or of sequences of str
        Each sentence is a string with spaces between words, or a sequence of words.
    min_count : int
        Words that occur less often are left out.

    Examples
    --------
    >>> bigrams = count_bigrams(["the dog barks", "the cat sleeps", "a dog sleeps"], min_count=2)
    >>> bigrams.words, bigrams.frequencies.tolist()
    (['dog', 'sleeps', 'the'], [2, 2, 2])
    >>> bigrams.pairs.toarray().tolist()
    [[0, 1, 0], [0, 0, 0], [1, 0, 0]]
    """
    if min_count < 1:
        raise UsageError(f"min_count is {min_count}; it must be at least 1")
    reader = CorpusReader()
    for sentence in sentences:
        reader.add(sentence if isinstance(sentence, str) else " ".join(sentence))
    return reader.count(min_count)
