"""Which syntactic words a token is: a table of forms, rules about their ends, and, in doubt, the words around.

A *split* is a tuple of words in lower case; a form that is one word has a split of one.  Forms that the treebank does
not show are split by rules about endings that were learned from it (*-se* in Portuguese, *n't* in English), or else as
the rules of the language have it.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias, cast

import numpy as np

from treewright.arrays import Array, Arrays
from treewright.features.weights import Weights
from treewright.tokenization.contractions import like
from treewright.tokenization.languages import language_of
from treewright.tokenization.words import form_splitter

__all__ = ["Ending", "Split", "Splits", "cased", "context_features", "default_split"]

Split: TypeAlias = tuple[str, ...]

#: An ending → what the first word has in its place, and the words that follow.
Ending: TypeAlias = tuple[str, Split]

#: The longest ending that is looked up, and the shortest beginning that is left.
LONGEST_ENDING, SHORTEST_STEM = 8, 1

#: How many forms are remembered, and how long they may be.
_REMEMBERED, _LONGEST_REMEMBERED = 1 << 16, 64


def cased(form: str, split: Split) -> Split:
    """Write the words of a token, which are in lower case, as its form is.

    Examples
    --------
    >>> cased("Don't", ("do", "n't")), cased("Du", ("de", "le")), cased("DÁ-LO", ("dar", "lo"))
    (('Do', "n't"), ('De', 'le'), ('DAR', 'LO'))
    """
    if len(split) == 1:
        return (form,)
    lower = form.lower()
    if "".join(split) == lower and len(lower) == len(form):
        places = np.cumsum([0, *map(len, split)]).tolist()
        return tuple(form[a:b] for a, b in itertools.pairwise(places))
    return like(form, split)


def default_split(form: str, endings: Mapping[str, Ending], fallback: Callable[[str], Split] | None) -> Split:
    """Split a form in lower case that the treebank does not show."""
    for size in range(min(LONGEST_ENDING, len(form) - SHORTEST_STEM), 0, -1):
        ending = endings.get(form[-size:])
        if ending is not None:
            return (form[:-size] + ending[0], *ending[1]) if ending[1] else (form,)
    return tuple(word.lower() for word in fallback(form)) if fallback else (form,)


def context_features(forms: Sequence[str], place: int, mask: int) -> list[int]:
    """Hash what the words around a token say about its split; each split adds its number to the places."""
    around = [forms[i].lower() if 0 <= i < len(forms) else "" for i in range(place - 2, place + 3)]
    before2, before, form, after, after2 = around
    case = "A" if forms[place][:1].isupper() else "a"
    texts = (
        "", case, f"<{before}", f">{after}", f"<<{before2} {before}", f">>{after} {after2}", f"<>{before} {after}",
        f"<-{before[-2:]}", f">-{after[-2:]}", f"<-{before[-3:]}", f">-{after[-3:]}", f">+{after[:2]}",
        f">1{after[-1:]}", f"<1{before[-1:]}", f"{before[-1:]} {after[-1:]}",
    )  # fmt: skip
    return [zlib.crc32(f"{form} {text}".encode("utf-8", "surrogatepass")) & mask for text in texts]


@dataclass(frozen=True)
class Splits:
    """The words of tokens.

    Attributes
    ----------
    language : str
        Whose rules split the forms for which there is nothing else; empty if no token is ever split by them.
    table : dict
        Forms in lower case → their splits, the most frequent first.
    endings : dict
        Endings in lower case → what they stand for (`Ending`).
    weights : Weights, optional
        What decides between several splits of a form.
    """

    language: str = ""
    table: Mapping[str, Sequence[Split]] = field(default_factory=dict)
    endings: Mapping[str, Ending] = field(default_factory=dict)
    weights: Weights | None = None
    _known: dict[str, Split] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def _fallback(self) -> Callable[[str], Split] | None:
        return form_splitter(language_of(self.language)) if self.language else None

    def words(self, forms: Sequence[str]) -> list[Split]:
        """Find the words of the tokens of a sentence."""
        found: list[Split | None] = list(map(self._known.get, forms))
        if None not in found:
            return cast(list[Split], found)
        return [self._look_up(forms, place) if split is None else split for place, split in enumerate(found)]

    def _look_up(self, forms: Sequence[str], place: int) -> Split:
        """Find the words of a token, and remember them unless they depend on the words around."""
        form = forms[place]
        lower = form.lower()
        splits = self.table.get(lower)
        if splits is not None and len(splits) > 1:
            return cased(form, self._best(forms, place))
        found = cased(form, splits[0] if splits else default_split(lower, self.endings, self._fallback))
        if len(form) <= _LONGEST_REMEMBERED:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[form] = found
        return found

    def _best(self, forms: Sequence[str], place: int) -> Split:
        splits = self.table[forms[place].lower()]
        if self.weights is None:
            return splits[0]
        table = self.weights.values
        places = context_features(forms, place, len(table) - 1)
        scores = [sum(_signed_square(int(table[(at + k) % len(table)])) for at in places) for k in range(len(splits))]
        return splits[int(np.argmax(scores))]

    def describe(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Describe the splits as plain data and arrays."""
        about: dict[str, Any] = {
            "language": self.language,
            "table": {form: [list(split) for split in splits] for form, splits in self.table.items()},
            "endings": {ending: [first, list(rest)] for ending, (first, rest) in self.endings.items()},
        }
        if self.weights is None:
            return about, {}
        scale, arrays = self.weights.describe("splits")
        return about | scale, arrays

    @classmethod
    def restore(cls, about: Mapping[str, Any], arrays: Arrays) -> Splits:
        """Rebuild the splits that `describe` described."""
        table = {str(form): [_words(split) for split in splits] for form, splits in about["table"].items()}
        endings = {str(ending): (str(first), _words(rest)) for ending, (first, rest) in about["endings"].items()}
        if not all(splits and all(splits) for splits in table.values()):
            raise ValueError("its table of tokens has one without words")
        weights = None
        if "splits" in arrays:
            size = len(arrays["splits"])
            if size & (size - 1) or not size:
                raise ValueError("its table of weights of tokens has a wrong size")
            weights = Weights.restore(about, arrays, size, "splits")
        return cls(str(about["language"]), table, endings, weights)


def _words(split: Sequence[Any]) -> Split:
    words = tuple(map(str, split))
    if isinstance(split, str) or not all(words):
        raise ValueError("its table of tokens has words without letters")
    return words


def _signed_square(code: int) -> int:
    return code * abs(code)
