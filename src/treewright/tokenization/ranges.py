"""Where tokens are in the text that was given: in MISC, as ``TokenRange``, and in bytes."""

from __future__ import annotations

import numpy as np

from treewright.arrays import Ints
from treewright.treebank.sentence import Sentence

__all__ = ["byte_ranges", "with_ranges"]


def byte_ranges(text: str, ranges: Ints) -> Ints:
    """Turn ranges of characters into ranges of bytes of the same text in UTF-8.

    Lone surrogates count as three bytes, as with the error handler ``surrogatepass``.

    Examples
    --------
    >>> from treewright.tokenization import tokenize
    >>> text = "Ça va?"
    >>> [sentence] = tokenize(text, "fr")
    >>> sentence.ranges.tolist(), byte_ranges(text, sentence.ranges).tolist()
    ([[0, 2], [3, 5], [5, 6]], [[0, 3], [4, 6], [6, 7]])
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    before = np.zeros(len(codes) + 1, np.int64)
    np.cumsum(1 + (codes >= 0x80) + (codes >= 0x800) + (codes >= 0x10000), out=before[1:])
    return before[ranges]


def with_ranges(sentence: Sentence) -> Sentence:
    """Note in MISC where each token of a sentence is in the text: ``TokenRange=0:5``, as UDPipe writes it.

    A multiword token has the range, and not its words.  A sentence that was not found in text stays as it is.

    Examples
    --------
    >>> from treewright.tokenization import tokenize
    >>> [sentence] = tokenize("Don't go.")
    >>> with_ranges(sentence).misc
    ['_', '_', 'SpaceAfter=No|TokenRange=6:8', 'TokenRange=8:9']
    >>> with_ranges(sentence).asides[0][1].split()[-1]
    'TokenRange=0:5'
    """
    if sentence.ranges is None:
        return sentence
    texts = [f"TokenRange={start}:{end}" for start, end in sentence.ranges.tolist()]
    misc, asides = list(map(_joined, sentence.misc, texts)), list[tuple[int, str]]()
    for position, line in sentence.asides:
        *columns, last = line.split("\t")
        first, dash, end = columns[0].partition("-")
        if dash:
            line = "\t".join((*columns, _joined(last, texts[position])))
            misc[position : int(end)] = sentence.misc[int(first) - 1 : int(end)]
        asides.append((position, line))
    return sentence.replace(misc=misc, asides=asides)


def _joined(misc: str, text: str) -> str:
    return text if misc == "_" else f"{misc}|{text}"
