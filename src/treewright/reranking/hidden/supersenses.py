"""WordNet supersenses: the lexicographer files of the senses of a word (Ciaramita and Johnson 2003).

A table of supersenses is a text file, plain or compressed.  Each line has three fields separated by tabs: a lemma in
lower case, a part of speech (n, v, a, r), and the supersenses separated by commas, the most frequent first.  Words in
trees are inflected, so endings are detached by WordNet's own rules until a lemma is found.  WordNet's lists of
exceptions are not part of such a table.  In their place there are rules for *tried* and *stopped*, and a list of
irregular English forms, ``irregular.tsv``, learned from a treebank (``scripts/learn_irregular_forms.py``).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from treewright.errors import ModelError, UsageError
from treewright.files import PathLike, find_bad_byte, open_input

__all__ = ["Supersenses", "detach", "irregular_lemmas", "part_of_speech"]

#: Irregular forms: on each line a form, a part of speech and a lemma, separated by tabs.
IRREGULAR = Path(__file__).with_name("irregular.tsv")

#: Endings to detach, and their replacements (WordNet, morphy(7WN); its lists of exceptions have ied, ier and iest).
ENDINGS = {
    "n": (
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "v": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
        ("ied", "y"),
    ),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e"), ("ier", "y"), ("iest", "y")),
    "r": (),
}

_TAGS = {"NOUN": "n", "PROPN": "n", "VERB": "v", "AUX": "v", "ADJ": "a", "ADV": "r"}
#: Penn tags of words that are usually their own lemmas: *found* in *to found* is no form of *find*.
_UNINFLECTED = frozenset(["NN", "NNP", "VB", "VBP", "JJ", "RB"])
_DOUBLED = re.compile(r"([b-df-hj-np-tv-z])\1(ed|ing|er|est)$")
_PENN = (("NN", "n"), ("VB", "v"), ("JJ", "a"), ("RB", "r"))


def part_of_speech(tag: str) -> str:
    """Return WordNet's part of speech of a Penn or universal tag; empty for words that WordNet does not cover.

    Examples
    --------
    >>> part_of_speech("NNS"), part_of_speech("VERB"), part_of_speech("IN")
    ('n', 'v', '')
    """
    if tag in _TAGS:
        return _TAGS[tag]
    return next((part for prefix, part in _PENN if tag.startswith(prefix)), "")


class Supersenses:
    """Supersenses of words.

    Parameters
    ----------
    table : dict
        The supersenses of each lemma with its part of speech, such as ``"share n"``.

    Examples
    --------
    >>> table = Supersenses({"share n": ("noun.possession", "noun.act"), "share v": ("verb.possession",)})
    >>> table.find("Shares", "NNS"), table.find("shares", "VBZ"), table.find("in", "IN")
    (('noun.possession', 'noun.act'), ('verb.possession',), ())
    >>> Supersenses({"child n": ("noun.person",)}).find("children", "NNS")
    ('noun.person',)
    """

    def __init__(self, table: dict[str, tuple[str, ...]]) -> None:
        self._table = table

    def __len__(self) -> int:
        """Return the number of lemmas."""
        return len(self._table)

    @classmethod
    def load(cls, path: PathLike) -> Supersenses:
        """Read a table.

        Raises
        ------
        UsageError
            If a line is malformed, with its number.
        """
        with open_input(path) as file:
            raw = file.read()
        try:
            return cls(_parse(raw.decode(), str(path)))
        except UnicodeDecodeError:
            line, reason = find_bad_byte(raw)
            raise UsageError(f"{path}:{line}: {reason}") from None

    def find(self, form: str, tag: str, lemma: str = "_") -> tuple[str, ...]:
        """Return the supersenses of a word, of which there may be none."""
        part = part_of_speech(tag)
        if not part:
            return ()
        for base in _lemmas(form.lower().replace(" ", "_"), part, tag, lemma.lower()):
            if found := self._table.get(f"{base} {part}"):
                return found
        return ()

    def describe(self) -> npt.NDArray[np.uint8]:
        """Pack the table into bytes, for a model file."""
        lines = (f"{key.replace(' ', chr(9))}\t{','.join(senses)}" for key, senses in sorted(self._table.items()))
        return np.frombuffer(zlib.compress("\n".join(lines).encode(), 9), np.uint8)

    @classmethod
    def restore(cls, packed: npt.NDArray[np.uint8]) -> Supersenses:
        """Unpack a table packed by `describe`."""
        try:
            return cls(_parse(zlib.decompress(packed.tobytes()).decode(), "the model"))
        except (zlib.error, UnicodeDecodeError, UsageError):
            raise ModelError("the table of supersenses in the model is damaged; train the model again") from None


def _parse(text: str, name: str) -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        fields: Sequence[str] = line.split("\t")
        if len(fields) != 3 or not all(fields) or fields[1] not in ENDINGS:
            expected = "a lemma, a part of speech (n, v, a or r) and supersenses, separated by tabs"
            raise UsageError(f"{name}:{number}: not a line of a table of supersenses; expected {expected}")
        table[f"{fields[0]} {fields[1]}"] = tuple(fields[2].split(","))
    return table


def _lemmas(form: str, part: str, tag: str, lemma: str) -> Iterator[str]:
    """Yield the possible lemmas of a word, the most likely first."""
    if lemma != "_":
        yield lemma
    irregular = irregular_lemmas().get(f"{form} {part}", form)
    if tag not in _UNINFLECTED:
        yield irregular
    yield from detach(form, part)
    yield irregular


def detach(form: str, part: str) -> list[str]:
    """Return a word, and what is left of it when endings are detached.

    Examples
    --------
    >>> detach("cities", "n"), detach("rated", "v"), detach("stopped", "v")
    (['cities', 'citie', 'city'], ['rated', 'rate', 'rat'], ['stopped', 'stoppe', 'stopp', 'stop'])
    """
    endings = [pair for pair in ENDINGS[part] if form.endswith(pair[0]) and len(form) > len(pair[0]) + 1]
    found = [form, *(form[: -len(ending)] + other for ending, other in endings)]
    return [*found, _DOUBLED.sub(r"\1", form)] if part in "va" and _DOUBLED.search(form) else found


@cache
def irregular_lemmas() -> dict[str, str]:
    """Return the lemma of each irregular form with its part of speech, such as ``"said v"``."""
    lines = IRREGULAR.read_text(encoding="utf-8").splitlines()
    fields = [line.split("\t") for line in lines if not line.startswith("#")]
    return {f"{form} {part}": lemma for form, part, lemma in fields}
