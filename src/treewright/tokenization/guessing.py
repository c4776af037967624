"""Which language words are in: a guess from the most frequent ones, from the script, or from the letters in them.

The language with the most words of a text in its list wins, if they are enough, and clearly more than those of others.
Where that is not so, naive Bayes decides, if it is very sure.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping

from treewright.tokenization.codes import main_code, name_of_language
from treewright.tokenization.function_words import LISTS, SCRIPTS
from treewright.tokenization.identification import identify_language

__all__ = ["differs", "guess_language"]

#: How many words must be known as function words of a language, and what share of the text.
ENOUGH, SHARE = 12, 0.08

#: How much more of them than the language that is second may have.
CLEARLY = 1.15

#: How sure naive Bayes must be, and of how many different words.
VERY_SURE, DIFFERENT = 0.99, 12

#: The vowels that Arabic may be written with.
_VOWELS = re.compile("[\u064b-\u0652]")


def guess_language(words: Iterable[str] | Mapping[str, int]) -> str:
    """Guess the language of words, which may come with their counts.

    Returns
    -------
    str
        An ISO 639 code; empty if there is no clear answer, as for a few words, or a language that is not known here.

    Examples
    --------
    >>> text = "das ist ein Satz und er ist nicht sehr lang aber die Wörter sind auf jeden Fall von der Art die zählt"
    >>> guess_language(text.split()), guess_language("das ist ein Satz".split())
    ('de', '')
    """
    counts = Counter[str]()
    for word, count in Counter(words).items():
        counts[_VOWELS.sub("", word.lower().replace("\u2019", "'"))] += count
    total = sum(count for word, count in counts.items() if any(map(str.isalpha, word)))
    known_words = Counter({code: sum(counts[word] for word in known) for code, known in LISTS.items()})
    known_words.update(_by_script(counts))
    (best, most), (_, second) = known_words.most_common(2)
    if most >= max(ENOUGH, SHARE * total) and most >= CLEARLY * second:
        return str(best)
    different = [word for word in counts if any(map(str.isalpha, word))]
    found = identify_language(" ".join(different))
    return found.language if len(different) >= DIFFERENT and found.probability >= VERY_SURE else ""


def _by_script(counts: Mapping[str, int]) -> Counter[str]:
    """Count the words whose script says what language they are in; Japanese has Chinese letters too."""
    found = Counter[str]()
    for word, count in counts.items():
        scripts = {unicodedata.name(letter, "").split()[0] for letter in word if letter > "\u0300" and letter.isalpha()}
        for code in {SCRIPTS[script] for script in scripts if script in SCRIPTS}:
            found[code] += count
    return found


def differs(words: Iterable[str] | Mapping[str, int], language: str) -> str:
    """Return the name of the language that words look like, if they clearly are not in this one; else nothing.

    Nothing is said of languages that are not known here, such as Norwegian, for which Danish would be taken.
    """
    known = main_code(language)
    guess = guess_language(words)
    return name_of_language(guess) if guess and known in {*LISTS, *SCRIPTS.values()} and guess != known else ""
