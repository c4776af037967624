"""Text as kernels see it: the code of every character, that of its lower case, and its kind."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.tokenization.characters import CLOSERS, HAN, HIRAGANA, JOINERS, KATAKANA, SPACE

__all__ = ["KINDS", "MARK", "SPACES", "Letters", "letters_of"]

#: Kinds of characters that no general category tells, with what tells them.
_BY_SCRIPT = (
    ("space", SPACE),
    ("mark", JOINERS),
    ("stop", ".…؟۔।॥։።。｡．!?！？"),
    ("apostrophe", "'’`"),
    ("quote", '"“”„«»‹›‘‚＂'),
    ("close", re.sub("[\"'’”»›\\\\]", "", CLOSERS) + "\\]"),
    ("han", HAN),
    ("hiragana", HIRAGANA),
    ("katakana", KATAKANA),
    ("hangul", "\uac00-\ud7a3\u1100-\u11ff\u3130-\u318f"),
    ("picture", "\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"),
)

#: General categories of the other characters, by their beginning → kind; the first that fits counts.
_BY_CATEGORY = (
    ("Lu", "upper"), ("Lt", "upper"), ("Ll", "lower"), ("L", "letter"), ("N", "digit"), ("M", "mark"),
    ("Ps", "open"), ("Pi", "quote"), ("Pf", "quote"), ("Pe", "close"), ("Pd", "dash"), ("P", "point"), ("S", "symbol"),
)  # fmt: skip

#: The kinds; 0 stands for characters that were not seen yet, the last one for all that is nothing else.
KINDS = (
    "", "space", "mark", "lower", "upper", "letter", "han", "hiragana", "katakana", "hangul", "digit",
    "stop", "point", "close", "open", "quote", "apostrophe", "dash", "symbol", "picture", "other",
)  # fmt: skip

SPACES, MARK = KINDS.index("space"), KINDS.index("mark")

_PATTERNS = [(re.compile(f"[{characters}]"), KINDS.index(name)) for name, characters in _BY_SCRIPT]


class Letters(NamedTuple):
    """The characters of a text."""

    codes: npt.NDArray[np.uint32]
    lower: npt.NDArray[np.uint32]  # of the same character without its case; all white space is one character
    kinds: npt.NDArray[np.uint8]  # indices into `KINDS`


#: Kind and lower case of every character, which are looked up when the character is first seen.
_KIND = np.zeros(0x110000, np.uint8)
_LOWER = np.zeros(0x110000, np.uint32)


def letters_of(text: str) -> Letters:
    """Look up the characters of a text.

    Examples
    --------
    >>> letters = letters_of("Aß 1")
    >>> "".join(map(chr, letters.lower)), [KINDS[kind] for kind in letters.kinds]
    ('aß 1', ['upper', 'lower', 'space', 'digit'])
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = _KIND[codes]
    if not kinds.all():
        for code in set(codes[kinds == 0].tolist()):
            character = chr(code)
            lower = character.lower()
            _LOWER[code] = ord(lower[0]) if not _is_space(character) else ord(" ")
            _KIND[code] = _kind(character)  # last: another thread may look it up meanwhile
        kinds = _KIND[codes]
    return Letters(codes, _LOWER[codes], kinds)


def _is_space(character: str) -> bool:
    return _PATTERNS[0][0].match(character) is not None


def _kind(character: str) -> int:
    for pattern, kind in _PATTERNS:
        if pattern.match(character):
            return kind
    category = unicodedata.category(character)
    return KINDS.index(next((name for start, name in _BY_CATEGORY if category.startswith(start)), "other"))
