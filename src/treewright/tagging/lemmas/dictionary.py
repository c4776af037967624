"""The words of a treebank with their tags, and the edit scripts that they were seen with.

A word that was seen with the same tags has the script that it had most often.  Most words have one script with all tags
that share the coarse tag, so only exceptions are stored with all of their tags.  Words are stored as hashes, in seven
bytes each.
"""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from treewright.arrays import Array, Arrays
from treewright.tagging.lemmas.scripts import apply_script

__all__ = ["LemmaDictionary", "Tags", "Word", "coarse_of", "most_frequent"]

#: The tags of a word, the coarsest first.
Tags = tuple[str, ...]

#: The names of the arrays in a model file.
ARRAYS = ("forms", "tags", "scripts", "exceptions", "others", "lemmas")

#: A word with its tags.
Word = tuple[str, Tags]


class LemmaDictionary:
    r"""The number of the script of each word with its tags, and the lemmas of all words.

    Parameters
    ----------
    coarse : sequence of str
        All coarse tags; ``""`` where there are no tags.
    arrays : mapping
        ``forms`` (uint32), hashed, with the numbers of their coarse tags (``tags``, unsigned integers) and of their
        scripts (``scripts``); ``exceptions`` (uint32), forms with all of their tags, hashed, with the numbers of their
        scripts (``others``); ``lemmas`` (uint32), hashed with the coarse tags of their words.

    Examples
    --------
    >>> seen = {("saw", ("NOUN", "NN")): {0: 1}, ("saw", ("VERB", "VBD")): {1: 4}}
    >>> words = LemmaDictionary.of(seen, ["l\t\t", "!\tsee"])
    >>> words.find(("saw", ("NOUN", "NNP"))), words.find(("saw", ("ADJ", "JJ")))
    (0, None)
    >>> words.has_lemma("see", ("sees", ("VERB", "VBZ")))
    True
    """

    def __init__(self, coarse: Sequence[str], arrays: Arrays) -> None:
        self.coarse, self._arrays = list(coarse), {name: arrays[name] for name in ARRAYS}
        if any(array.ndim != 1 or array.dtype.kind != "u" for array in self._arrays.values()):
            raise ValueError("the words of its lemmas are no numbers")
        forms, tags, scripts, exceptions, others, lemmas = (array.tolist() for array in self._arrays.values())
        self._known: defaultdict[int, dict[str, int]] = defaultdict(dict)
        for form, tag, script in zip(forms, tags, scripts, strict=True):
            self._known[form][self.coarse[tag]] = script
        self._exceptions: dict[int, int] = dict(zip(exceptions, others, strict=True))
        self._lemmas = frozenset(lemmas)

    @classmethod
    def of(cls, seen: Mapping[Word, Mapping[int, int]], scripts: Sequence[str]) -> LemmaDictionary:
        """Gather words with their tags, and how often each was seen with each script, by number."""
        counts: defaultdict[tuple[int, str], Counter[int]] = defaultdict(Counter)
        lemmas: set[int] = set()
        for (form, tags), numbers in seen.items():
            counts[_hash(form), coarse_of(tags)].update(numbers)
            lemmas.update(_hash(apply_script(scripts[number], form), *tags[:1]) for number in numbers)
        known = {key: most_frequent(numbers) for key, numbers in sorted(counts.items())}
        exceptions = {
            _hash(form, *tags): most_frequent(numbers)
            for (form, tags), numbers in seen.items()
            if most_frequent(numbers) != known[_hash(form), coarse_of(tags)]
        }
        coarse = sorted({tag for _, tag in known})
        index = {tag: number for number, tag in enumerate(coarse)}
        of_tags, of_scripts = np.min_scalar_type(len(coarse)), np.min_scalar_type(len(scripts))
        arrays: dict[str, Array] = {
            "forms": np.array([form for form, _ in known], np.uint32),
            "tags": np.array([index[tag] for _, tag in known], of_tags),
            "scripts": np.array(list(known.values()), of_scripts),
            "exceptions": np.array(sorted(exceptions), np.uint32),
            "others": np.array([exceptions[key] for key in sorted(exceptions)], of_scripts),
            "lemmas": np.array(sorted(lemmas), np.uint32),
        }
        return cls(coarse, arrays)

    def find(self, word: Word) -> int | None:
        """Return the script of a word with its tags, or else with its coarse tag; None if it was not seen with it."""
        form, tags = word
        known = self._known.get(_hash(form))
        number = known.get(coarse_of(tags)) if known else None
        return None if number is None else self._exceptions.get(_hash(form, *tags), number)

    def has_lemma(self, lemma: str, word: Word) -> bool:
        """Return whether a lemma is known, with the coarse tag of a word."""
        return _hash(lemma, *word[1][:1]) in self._lemmas

    def others(self, word: Word) -> str:
        """List the coarse tags that a word was seen with, in any case, and its scripts with them, as one text.

        What is known of the very word with its own coarse tag is left out.
        """
        (form, tags), found = word, ""
        for spelling in dict.fromkeys((form, form.lower(), form.title())):
            for tag, number in self._known.get(_hash(spelling), {}).items():
                if tag != coarse_of(tags) or spelling != form:
                    found += f"{tag}{number} "
        return found

    def describe(self) -> tuple[list[str], dict[str, Array]]:
        """Return what a model file holds: coarse tags, and arrays."""
        return self.coarse, dict(self._arrays)

    @classmethod
    def restore(cls, coarse: Sequence[str], arrays: Arrays, scripts: int) -> LemmaDictionary:
        """Rebuild a dictionary; its numbers are to be those of that many scripts."""
        if any(int(arrays[name].max(initial=0)) >= scripts for name in ("scripts", "others")):
            raise ValueError("its words have edit scripts that there are not")
        return cls(coarse, arrays)


def most_frequent(numbers: Mapping[int, int]) -> int:
    """Return the most frequent of some numbers; of equals, the least."""
    return min(numbers, key=lambda number: (-numbers[number], number))


def coarse_of(tags: Tags) -> str:
    """Return the coarse tag of a word."""
    return tags[0] if tags else ""


def _hash(*texts: str) -> int:
    return zlib.crc32("\t".join(texts).encode("utf-8", "surrogatepass"))
