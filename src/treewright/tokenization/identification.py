"""Which language a text is in: naive Bayes over n-grams of characters (Cavnar and Trenkle 1994; Lui and Baldwin 2012).

A text is the n-grams of up to four letters in it, spaces included.  A table, counted in treebanks by
``scripts/learn_languages.py``, says of each how much more often it occurs in a language than in others (the logarithm,
less the mean of all languages); n-grams share 16,384 rows by hashing.  N-grams of one text are far from independent:
the sum over all *n* is divided by √n before it becomes a probability, which then is about right.

Languages that no treebank here may teach, such as French, are told by their function words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.tokenization.function_words import LISTS, SCRIPTS

__all__ = ["BITS", "SURE", "TABLE", "LanguageGuess", "hash_ngrams", "identify_language", "learned_languages"]

#: The logarithm of the number of rows of the table, to the base 2.
BITS: Final = 14

#: A language is told for sure from this probability on.
SURE: Final = 0.8

#: The file of the table.
TABLE: Final = Path(__file__).parent / "languages.npz"

#: More of a text than these first characters is not looked at.
_SAMPLE: Final = 4_000

_LONGEST: Final = 4
_NOT_LETTERS: Final = re.compile(r"[\W\d_]+")

#: How many function words a text must have of a language that is not in the table, and how many times as many as of
#: the likeliest one that is.
_ENOUGH, _CLEARLY = 3, 1.5

_KANA: Final = re.compile("[\u3040-\u30ff]")
_ENOUGH_WITHOUT_KANA: Final = 6

_Hashes = npt.NDArray[np.uint32]


class LanguageGuess(NamedTuple):
    """A language (an ISO 639 code, empty if nothing can be said), and the probability that it is the right one."""

    language: str
    probability: float

    @property
    def is_sure(self) -> bool:
        """Whether the probability is at least `SURE`."""
        return self.probability >= SURE

    def in_doubt(self) -> LanguageGuess:
        """Return the same language, but not for sure."""
        return LanguageGuess(self.language, min(self.probability, SURE - 0.1))


class _Table(NamedTuple):
    languages: list[str]
    scores: npt.NDArray[np.float32]  # a row for each hash, a column for each language; whole numbers
    step: float  # what one is worth


def identify_language(text: str) -> LanguageGuess:
    """Guess the language of a text, such as a paragraph or a sentence.

    Returns
    -------
    LanguageGuess
        The likeliest language of those that are known here, and its probability among them.

    Examples
    --------
    >>> identify_language("Das ist ein Satz, und zwar ein kurzer.").language
    'de'
    >>> identify_language("Les chats et les chiens sont dans la maison.").language
    'fr'
    >>> identify_language("1234!")
    LanguageGuess(language='', probability=0.0)
    """
    letters = _letters(text)
    if len(letters) <= 2:
        return LanguageGuess("", 0.0)
    if not (letters.isascii() or _is_known_script(_codes(letters))):
        return _by_script(letters)
    table, hashes = _table(), hash_ngrams(letters)
    counts = np.ones(len(hashes), np.float32) @ np.take(table.scores, hashes.view(np.int32), axis=0)  # exact
    sums = counts.astype(np.float64) * (table.step / np.sqrt(len(hashes)))
    best = int(sums.argmax())
    found = LanguageGuess(table.languages[best], float(1 / np.exp(sums - sums[best]).sum()))
    return _by_kana(letters, found) if found.language in ("ja", "zh") else _by_function_words(letters, found)


def learned_languages() -> list[str]:
    """List the languages of the table."""
    return _table().languages


def hash_ngrams(letters: str) -> _Hashes:
    """Find the rows of all n-grams of a text, and of the scripts of its letters."""
    codes = _codes(letters)
    hashes = np.zeros(len(codes), np.uint32)
    rows: list[_Hashes] = [(codes >> np.uint32(7)) * np.uint32(0x9E3779B1) + np.uint32(0x85EBCA6B)]
    for n in range(1, min(_LONGEST, len(codes)) + 1):
        hashes = (hashes[: len(codes) - n + 1] + codes[n - 1 :]) * np.uint32(0x9E3779B1)
        hashes ^= hashes >> np.uint32(15)
        rows.append(hashes * np.uint32(0xC2B2AE35))
    return np.concatenate(rows) >> np.uint32(32 - BITS)


def _letters(text: str) -> str:
    """Keep the letters of the beginning of a text, in lower case, with a space between words.

    Examples
    --------
    >>> _letters("Don't, in 2024!")
    ' don t in '
    """
    return f" {_NOT_LETTERS.sub(' ', text[:_SAMPLE].lower()).strip()} "


def _codes(letters: str) -> _Hashes:
    return np.frombuffer(letters.encode("utf-32-le", "surrogatepass"), np.uint32)


def _is_known_script(codes: _Hashes) -> bool:
    """Check whether most letters are of scripts that the table knows: Latin, Cyrillic, those of East Asia."""
    latin = (codes < 0x300) | ((codes >= 0x1E00) & (codes < 0x1F00))
    known = latin | ((codes >= 0x400) & (codes < 0x530)) | ((codes >= 0x3000) & (codes < 0xD7B0)) | (codes >= 0x20000)
    return bool(known.mean() >= 0.5)


def _by_script(letters: str) -> LanguageGuess:
    """Guess the language of a script that the table does not know."""
    scripts = Counter(unicodedata.name(letter, "").split(" ")[0] for letter in letters if letter > "\u0300")
    script, count = scripts.most_common(1)[0]
    share = count / sum(scripts.values())
    if script == "ARABIC":
        words = letters.split()
        return LanguageGuess("ar", share) if sum(word in LISTS["ar"] for word in words) >= 2 else LanguageGuess("", 0)
    return LanguageGuess(SCRIPTS[script], share) if script in SCRIPTS else LanguageGuess("", 0.0)


def _by_kana(letters: str, found: LanguageGuess) -> LanguageGuess:
    """Take Chinese letters without any kana for Chinese: the table has seen few of them, and no simplified ones.

    Of 200 Japanese sentences with six or more Chinese letters, one has no kana.
    """
    if _KANA.search(letters):
        return found
    is_long = sum(letter > "\u3000" for letter in letters) >= _ENOUGH_WITHOUT_KANA
    return LanguageGuess("zh", max(0.95, found.probability * (found.language == "zh"))) if is_long else found.in_doubt()


def _by_function_words(letters: str, found: LanguageGuess) -> LanguageGuess:
    """Prefer a language that is not in the table, if there are clearly more of its function words."""
    words = letters.split()
    own = sum(map(_function_words(found.language).__contains__, words))
    most, code = max((sum(map(_function_words(code).__contains__, words)), code) for code in _untaught())
    if most < _ENOUGH or most < _CLEARLY * own:
        return found
    return LanguageGuess(code, 1 - 0.5 ** (most - own))


@cache
def _function_words(language: str) -> frozenset[str]:
    """Normalize a list like texts: there is no apostrophe in a word."""
    return frozenset(_letters(" ".join(LISTS.get(language, ()))).split())


@cache
def _untaught() -> list[str]:
    """List the languages that have a list and nothing better, and a script that the table knows."""
    return sorted(set(LISTS) - {*learned_languages(), "ar"})


@cache
def _table() -> _Table:
    with np.load(TABLE, allow_pickle=False) as arrays:
        return _Table(arrays["languages"].tolist(), arrays["scores"].astype(np.float32), float(arrays["step"]))
