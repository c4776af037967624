"""Which words count as punctuation: the rules of the papers and of the shared tasks.

Published attachment scores differ in the words that they leave out.  All rules look only at the gold standard, so that
every system is scored on the same words.

- ``keep``: leaves no word out (Universal Dependencies; CoNLL 2017 and 2018).
- ``ud``: words whose gold UPOS tag is ``PUNCT``.
- ``penn``: words whose gold XPOS tag is one of `````` '' : , .``, the rule for English in Koo, Carreras and
  Collins (2008, footnote 13), after Yamada and Matsumoto (2003).
- ``unicode``: words made only of characters of the Unicode categories P* (the CoNLL-X shared task, 2006).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final, Literal, get_args

import numpy as np

from treewright.arrays import Mask
from treewright.errors import UsageError
from treewright.treebank import Sentence

__all__ = ["PUNCTUATION_RULES", "Punctuation", "is_punctuation", "punctuation_mask"]

Punctuation = Literal["keep", "ud", "penn", "unicode"]

PUNCTUATION_RULES: Final[tuple[Punctuation, ...]] = get_args(Punctuation)

_PENN_TAGS: Final = frozenset(["``", "''", ":", ",", "."])


@lru_cache(maxsize=1 << 16)
def is_punctuation(form: str) -> bool:
    """Check whether every character of a word has a Unicode category P*.

    Symbols such as the dollar sign (Sc), the plus sign (Sm) and the backquote (Sk) are not punctuation.

    Examples
    --------
    >>> [is_punctuation(form) for form in ["...", "«", "$", "``", "o'clock", ""]]
    [True, True, False, False, False, False]
    """
    return bool(form) and all(unicodedata.category(character).startswith("P") for character in form)


def punctuation_mask(sentences: Sequence[Sentence], rule: Punctuation) -> Mask:
    """Mark the words of all sentences that the rule leaves out.

    Examples
    --------
    >>> sentence = Sentence.from_forms(["Trees", "grow", "!"], upos=["NOUN", "VERB", "PUNCT"])
    >>> punctuation_mask([sentence], "ud").tolist()
    [False, False, True]
    """
    if rule not in PUNCTUATION_RULES:
        raise UsageError(f"unknown punctuation rule {rule!r}: choose one of {', '.join(PUNCTUATION_RULES)}")
    words = sum(map(len, sentences))
    if rule == "keep":
        return np.zeros(words, np.bool_)
    if rule == "unicode":
        forms = chain.from_iterable(sentence.forms for sentence in sentences)
        return np.fromiter(map(is_punctuation, forms), np.bool_, words)
    if rule == "ud":
        return _tagged((sentence.upos for sentence in sentences), frozenset(["PUNCT"]), "UPOS", rule)
    return _tagged((sentence.xpos for sentence in sentences), _PENN_TAGS, "XPOS", rule)


def _tagged(columns: Iterable[Sequence[str]], tags: frozenset[str], column: str, rule: Punctuation) -> Mask:
    given = list(chain.from_iterable(columns))
    if all(tag == "_" for tag in given):
        raise UsageError(
            f"the punctuation rule '{rule}' needs gold {column} tags, and the gold standard has none: "
            "choose 'unicode', which looks at the words"
        )
    return np.fromiter((tag in tags for tag in given), np.bool_, len(given))
