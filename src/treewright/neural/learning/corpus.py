"""Raw text as numbers: each word type is listed once, and the text is a stream of their numbers.

A network reads the stream in *windows* of a fixed length that run across sentences.  On disk the numbers of the most
frequent types take two bytes, which xz brings down to about nine bits a word: less than the text itself.
"""

from __future__ import annotations

import lzma
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from treewright.arrays import Array, Heads
from treewright.errors import UsageError
from treewright.files import READ_ERRORS, PathLike, atomic_output, describe_read_error, open_input
from treewright.neural.words import ROOT, WordInputs
from treewright.threads import in_order
from treewright.treebank import RawText, read

__all__ = ["TREEBANK_COUNTS", "WINDOW", "Corpus", "read_corpus"]

#: The number of words in a window.
WINDOW = 128

#: The number that stands before each sentence in the stream; the others number the types.
START = 0

#: The number in the stream of two bytes that stands for the next number of the stream of four bytes.
_RARE = 0xFFFF

#: Numbers of two bytes: contexts of LZMA are aligned with them.
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 24, "lc": 0, "lp": 1, "pb": 1}]

#: How many bytes are compressed by themselves, so that threads share the work.
_PIECE = 1 << 24

#: How often a treebank is in the text that goes with it: few words are as telling.
TREEBANK_COUNTS = 5

_FILES = {"types": "types.txt.xz", "words": "words.u2.xz", "rare": "rare.u4.xz"}


@dataclass(frozen=True)
class Corpus:
    """Sentences of raw text.

    Attributes
    ----------
    types : list of str
        The word types, the most frequent first; type number i is called i + 1 in the stream.
    stream : int32 array
        The numbers of words; `START` stands before each sentence.

    Examples
    --------
    >>> corpus = Corpus.of([["the", "cat"], ["the", "end"]])
    >>> corpus.types, corpus.stream.tolist()
    (['the', 'cat', 'end'], [0, 1, 2, 0, 1, 3])
    """

    types: list[str]
    stream: Heads

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]], on_progress: Callable[[int], None] = lambda words: None) -> Corpus:
        """Turn the words of sentences into numbers; sentences without words are left out."""
        numbers, stream = _Numbers(), array("i")
        for count, forms in enumerate(sentences):
            if forms:
                stream.append(START)
                stream.extend(map(numbers.__getitem__, forms))
            if count % 10_000 == 0:
                on_progress(len(stream))
        found = np.frombuffer(stream, np.int32) if stream else np.zeros(0, np.int32)
        counts = np.bincount(found, minlength=len(numbers) + 1)[1:]
        order = np.argsort(-counts, kind="stable")
        rank = np.zeros(len(numbers) + 1, np.int32)
        rank[order + 1] = np.arange(1, len(numbers) + 1, dtype=np.int32)
        names = list(numbers)
        return cls([names[place] for place in order.tolist()], rank[found])

    def __len__(self) -> int:
        """Count the words."""
        return int(np.count_nonzero(self.stream))

    def counts(self) -> dict[str, int]:
        """Count each type."""
        found = np.bincount(self.stream, minlength=len(self.types) + 1)[1:]
        return dict(zip(self.types, found.tolist(), strict=True))

    def rows(self, inputs: WordInputs) -> Heads:
        """Return what a network sees of the start of a sentence and of each type, shape (types + 1, 7)."""
        return np.concatenate([inputs.special(ROOT)[None], inputs.rows_of_words(self.types)])

    def windows(self, length: int = WINDOW) -> Heads:
        """Cut the stream into windows, shape (windows, length); what is left at the end is dropped."""
        count = len(self.stream) // length
        if not count:
            raise UsageError(f"there is too little raw text: {len(self):,} words do not fill a window of {length}")
        return self.stream[: count * length].reshape(count, length)

    def sentences(self, shortest: int = 1, longest: int = 1_000_000) -> tuple[Array, Array]:
        """Return the place in the stream of the first word and the number of words of each sentence within limits."""
        starts = np.flatnonzero(self.stream == START)
        lengths = np.diff(np.append(starts, len(self.stream))) - 1
        kept = (lengths >= shortest) & (lengths <= longest)
        return starts[kept] + 1, lengths[kept]

    def head(self, words: int) -> Corpus:
        """Return about as many words as are asked for, from the start; types keep their numbers."""
        return Corpus(self.types, self.stream[:words])

    def save(self, folder: PathLike) -> None:
        """Write the corpus into a folder."""
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        rare = self.stream[self.stream >= _RARE]
        with atomic_output(path / _FILES["types"]) as file:
            file.write("\n".join(self.types).encode("utf-8", "surrogatepass"))
        for name, numbers in (("words", np.minimum(self.stream, _RARE).astype("<u2")), ("rare", rare.astype("<u4"))):
            (path / _FILES[name]).write_bytes(_compressed(numbers.tobytes()))

    @classmethod
    def open(cls, folder: PathLike) -> Corpus:
        """Read what `save` wrote."""
        read = {name: _read(Path(folder) / file) for name, file in _FILES.items()}
        stream = np.frombuffer(read["words"], "<u2").astype(np.int32)
        stream[stream == _RARE] = np.frombuffer(read["rare"], "<u4")
        return cls(read["types"].decode("utf-8", "surrogatepass").split("\n"), stream)


class _Numbers(dict[str, int]):
    """Types → their numbers, in the order they come."""

    def __missing__(self, form: str) -> int:
        number = self[form] = len(self) + 1
        return number


def _compressed(content: bytes) -> bytes:
    pieces = [content[start : start + _PIECE] for start in range(0, max(len(content), 1), _PIECE)]
    return b"".join(in_order(lambda piece: lzma.compress(piece, filters=_FILTERS), pieces, batch=1))


def _read(path: Path) -> bytes:
    with open_input(path) as file:
        try:
            return file.read()
        except READ_ERRORS as error:
            raise UsageError(f"{path}: {describe_read_error(error)}") from None


def read_corpus(
    raw: Sequence[PathLike], treebank: PathLike | None = None, report: Callable[[float], None] = lambda share: None
) -> Corpus:
    """Read raw text; the words of a treebank, if there is one, are in it five times."""
    text = RawText(raw)
    own = [sentence.forms for sentence in read(treebank)] if treebank is not None else []
    sentences = chain((sentence.forms for sentence in text), *[own] * TREEBANK_COUNTS)
    return Corpus.of(sentences, lambda words: report(text.share))
