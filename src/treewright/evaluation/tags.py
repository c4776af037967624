"""Where a system agrees with the gold standard on tags, features and lemmas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from treewright.arrays import Mask
from treewright.evaluation.agreement import count, encode, given
from treewright.evaluation.alignment import Alignment
from treewright.evaluation.score import Score
from treewright.treebank import Sentence

__all__ = ["Column", "TagAgreement", "tag_agreement"]

# The features that the shared tasks of 2017 and 2018 compared, as the official scorer has done since.
# fmt: off
_UNIVERSAL: Final = frozenset(
    [
        "Abbr", "Animacy", "Aspect", "Case", "Definite", "Degree", "Evident", "Foreign", "Gender",
        "Mood", "NumType", "Number", "Person", "Polarity", "Polite", "Poss", "PronType", "Reflex",
        "Tense", "VerbForm", "Voice",
    ]
)
# fmt: on


class Column(NamedTuple):
    """Where a column is right, and which sides have it at all."""

    correct: Mask  # an entry for each word of the gold standard
    sides: tuple[bool, bool]  # the gold standard, the system

    def __and__(self, other: Column) -> Column:
        """Join two columns: both must be right.  A column that neither side has does not matter."""
        gold, system = zip(self.sides, other.sides, strict=True)
        return Column(self.correct & other.correct, (any(gold), any(system) and gold == system))


@dataclass(frozen=True, slots=True)
class TagAgreement:
    """Columns of all words, whatever the punctuation rule."""

    upos: Column
    xpos: Column
    feats: Column
    ufeats: Column  # universal features alone
    lemmas: Column  # right wherever the gold standard has none
    aligned: Mask | None  # as in `Agreement`, but of all words
    system: int  # the number of words of the system

    def score(self, column: Column) -> Score:
        """Count the words on which a column is right."""
        return count(column.correct, self.system, column.sides, self.aligned)


def tag_agreement(pair: Alignment) -> TagAgreement:
    """Compare tags, features and lemmas on all words."""
    lemmas = pair.columns(lambda sentence: sentence.lemmas)
    unknown = np.fromiter((lemma == "_" for lemma in lemmas[0]), np.bool_, len(lemmas[0]))
    right, sides = _column(pair, lambda sentence: sentence.lemmas)
    return TagAgreement(
        upos=_column(pair, lambda sentence: sentence.upos),
        xpos=_column(pair, lambda sentence: sentence.xpos),
        feats=_column(pair, lambda sentence: sentence.feats, _sorted),
        ufeats=_column(pair, lambda sentence: sentence.feats, _universal),
        lemmas=Column(right | (unknown & (pair.counterpart >= 0)), sides),
        aligned=None if pair.is_same else pair.counterpart >= 0,
        system=len(pair.system_sentence),
    )


def _column(
    pair: Alignment, column: Callable[[Sentence], Sequence[str]], normal: Callable[[str], str] | None = None
) -> Column:
    gold, system = pair.columns(column)
    sides = given(gold), given(system)
    if normal is not None:
        gold, system = (list(map(normal, side)) for side in (gold, system))
    numbers, _ = encode(gold, system)
    return Column(pair.agree(*numbers), sides)


@lru_cache(maxsize=1 << 14)
def _sorted(features: str) -> str:
    """Order features: they are compared as sets."""
    return "|".join(sorted(features.split("|")))


@lru_cache(maxsize=1 << 14)
def _universal(features: str) -> str:
    """Keep the universal features.

    Examples
    --------
    >>> _universal("Tense=Past|Number=Sing|Typo=Yes")
    'Number=Sing|Tense=Past'
    """
    return "|".join(sorted(feature for feature in features.split("|") if feature.partition("=")[0] in _UNIVERSAL))
