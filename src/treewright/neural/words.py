"""What a network sees of a word: seven attributes of its form, each a row of one table of vectors.

The attributes are the form in lower case with digits as 0, its endings of two, three and four characters, its
beginnings of two and four, and its shape.  A table row is kept for each of the most frequent values of an attribute;
others share the row of unknown values.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from treewright.arrays import Array, Arrays, Heads

__all__ = ["ATTRIBUTES", "MASK", "ROOT", "SPECIAL", "UNKNOWN", "WordInputs", "attributes_of"]

#: The attributes, and how many values of each have a row at most.
ATTRIBUTES: Mapping[str, int] = {
    "form": 24_000,
    "suffix2": 1_000,
    "suffix3": 4_000,
    "suffix4": 6_000,
    "prefix2": 1_000,
    "prefix4": 4_500,
    "shape": 500,
}

#: The first rows of each attribute: of unknown values, of the root, and of words that are masked.
UNKNOWN, ROOT, MASK, SPECIAL = range(4)

#: How often a value must be seen to have a row.
MINIMUM = 2

#: The most forms whose rows are remembered; beyond this all are forgotten.
CACHE_LIMIT = 500_000


class WordInputs:
    """Turns forms into rows of a table of vectors.

    Parameters
    ----------
    values : sequence of sequences of str
        The values of each attribute that have a row.

    Attributes
    ----------
    starts : int32 array, shape (8,)
        The first row of each attribute, and the number of all rows.  The first three rows of an attribute are those of
        unknown values (`UNKNOWN`), of the root (`ROOT`) and of masked words (`MASK`).

    Examples
    --------
    >>> from collections import Counter
    >>> inputs = WordInputs.of(Counter({"the": 2, "The": 1, "cat": 1}))
    >>> inputs.size                       # three of each attribute, and of seven attributes one of "the"
    28
    >>> inputs.rows(["The", "dog"])[:, 0].tolist()
    [1, 3, 0]
    """

    def __init__(self, values: Sequence[Sequence[str]]) -> None:
        if len(values) != len(ATTRIBUTES):
            raise ValueError(f"words have {len(ATTRIBUTES)} attributes, and there are values of {len(values)}")
        self.values = [list(some) for some in values]
        self.starts = np.cumsum([0, *(SPECIAL + len(some) for some in self.values)]).astype(np.int32)
        self._rows = _Rows(
            [
                {value: row for row, value in enumerate(some, int(start) + SPECIAL)}
                for some, start in zip(self.values, self.starts[:-1], strict=True)
            ],
            self.special(UNKNOWN),
        )

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> WordInputs:
        """Choose the most frequent values of each attribute (ties by spelling), given how often there is each form."""
        found = [Counter[str]() for _ in ATTRIBUTES]
        for form, count in counts.items():
            for values, value in zip(found, attributes_of(form), strict=True):
                values[value] += count
        return cls([_most_frequent(some, most) for some, most in zip(found, ATTRIBUTES.values(), strict=True)])

    @property
    def size(self) -> int:
        """The number of rows."""
        return int(self.starts[-1])

    @property
    def forms(self) -> slice:
        """The rows of the first attribute, the form: what a masked word can be."""
        return slice(0, int(self.starts[1]))

    def special(self, row: int) -> Heads:
        """Return the rows of a word that is `UNKNOWN` in all attributes, of the `ROOT`, or of a `MASK`."""
        return self.starts[:-1] + np.int32(row)

    def rows(self, forms: Sequence[str]) -> Heads:
        """Return the rows of the root and of the words of a sentence, shape (n + 1, 7)."""
        return np.concatenate([self.special(ROOT)[None], self.rows_of_words(forms)])

    def rows_of_words(self, forms: Sequence[str]) -> Heads:
        """Return the rows of words, shape (n, 7)."""
        if len(self._rows) > CACHE_LIMIT:
            self._rows.clear()
        return np.frombuffer(b"".join(map(self._rows.__getitem__, forms)), np.int32).reshape(-1, len(ATTRIBUTES))

    def __reduce__(self) -> tuple[type[WordInputs], tuple[Any, ...]]:
        return type(self), (self.values,)  # so that workers can have them

    def describe(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what a model file holds: the number of values of each attribute, and all values as bytes of text."""
        text = "\n".join(value for some in self.values for value in some)
        bytes_of_text = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
        return {"values": list(map(len, self.values))}, {"vocabulary": bytes_of_text}

    @classmethod
    def restore(cls, manifest: Mapping[str, Any], arrays: Arrays) -> WordInputs:
        """Rebuild the inputs that `describe` described.

        Raises
        ------
        ValueError
            If there are not as many values as the manifest says.
        """
        text = arrays["vocabulary"].tobytes().decode("utf-8", "surrogatepass")
        ends = np.cumsum([0, *map(int, manifest["values"])]).tolist()
        values = text.split("\n") if ends[-1] else []
        if len(values) != ends[-1]:
            raise ValueError(f"its words have {len(values):,} values, not {ends[-1]:,}")
        return cls([values[start:end] for start, end in pairwise(ends)])


class _Rows(dict[str, bytes]):
    """Forms → the bytes of their rows, computed when first asked for."""

    def __init__(self, numbers: Sequence[Mapping[str, int]], unknown: Heads) -> None:
        super().__init__()
        self._numbers, self._unknown = numbers, unknown.tolist()

    def __missing__(self, form: str) -> bytes:
        found = zip(self._numbers, attributes_of(form), self._unknown, strict=True)
        rows = self[form] = np.array([numbers.get(value, row) for numbers, value, row in found], np.int32).tobytes()
        return rows


def attributes_of(form: str) -> tuple[str, ...]:
    """Return the attributes of a form, in the order of `ATTRIBUTES`.

    Examples
    --------
    >>> attributes_of("McDonald's")
    ("mcdonald's", "'s", "d's", "ld's", 'mc', 'mcdo', "AaAaa'a")
    """
    lower = re.sub(r"\d", "0", form.lower())
    return lower, lower[-2:], lower[-3:], lower[-4:], lower[:2], lower[:4], _shape(form)


def _shape(form: str) -> str:
    """Return the kinds of the characters of a word, at most two of a run and ten in all."""
    kinds = "".join(
        "A" if one.isupper() else "a" if one.isalpha() else "0" if one.isdigit() else one for one in form[:40]
    )
    return re.sub(r"(.)\1\1+", r"\1\1", kinds)[:10]


def _most_frequent(counts: Counter[str], most: int) -> list[str]:
    often = [value for value, count in counts.items() if count >= MINIMUM and "\n" not in value]
    return sorted(often, key=lambda value: (-counts[value], value))[:most]
