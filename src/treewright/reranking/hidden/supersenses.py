"""WordNet supersenses: the lexicographer files of the senses of a word (Ciaramita and Johnson 2003).

A table of supersenses is a text file, plain or compressed.  Each line has three fields separated by tabs: a lemma in
lower case, a part of speech (n, v, a, r), and the supersenses separated by commas, the most frequent first.  Words in
trees are inflected, so endings are detached by WordNet's own rules until a lemma is found.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from treewright.errors import ModelError, UsageError
from treewright.files import PathLike, open_input

__all__ = ["Supersenses", "part_of_speech"]

#: Endings to detach, and their replacements (WordNet, morphy(7WN)).
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
    "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}

_TAGS = {"NOUN": "n", "PROPN": "n", "VERB": "v", "AUX": "v", "ADJ": "a", "ADV": "r"}
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
            try:
                return cls(_parse(file.read().decode(), str(path)))
            except UnicodeDecodeError:
                raise UsageError(f"{path} is not UTF-8, so not a table of supersenses; convert it to UTF-8") from None

    def find(self, form: str, tag: str, lemma: str = "_") -> tuple[str, ...]:
        """Return the supersenses of a word, of which there may be none."""
        part = part_of_speech(tag)
        if not part:
            return ()
        for base in _lemmas(form.lower().replace(" ", "_"), part, lemma.lower()):
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


def _lemmas(form: str, part: str, lemma: str) -> Iterator[str]:
    """Yield the possible lemmas of a word, the most likely first."""
    if lemma != "_":
        yield lemma
    yield form
    for ending, other in ENDINGS[part]:
        if form.endswith(ending) and len(form) > len(ending) + 1:
            yield form[: -len(ending)] + other
