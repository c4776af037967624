r"""Spines, the elementary trees of Carreras, Collins and Koo (2008), section 2.1.

A spine is what a word projects: the labels of the constituents that it heads, from the lowest to the highest.  The
spine of a verb may be VP with S above it; that of an article is empty.  The tag of the word is not part of the spine,
so that words with different tags share spines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from treewright.errors import UsageError

__all__ = ["Spine", "SpineTable"]

#: The text of an empty spine.  Parentheses in labels are escaped, so no other spine has this text.
_EMPTY = "()"

_SPECIAL = re.compile(r"[\\/()]")
_PIECE = re.compile(r"((?:[^\\/()]|\\.)*)(/|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Spine:
    r"""The labels of the constituents that a word heads, the lowest first.

    In text, the highest comes first, and slashes separate the labels: ``S/VP``; an empty spine is ``()``.  A slash, a
    backslash or a parenthesis in a label is escaped by a backslash.

    Parameters
    ----------
    labels : tuple of str
        ``labels[i]`` is the node at position *i*.

    Examples
    --------
    >>> spine = Spine(("VP", "S"))
    >>> str(spine), len(spine), spine.labels[0]
    ('S/VP', 2, 'VP')
    >>> Spine.from_string("S/VP") == spine
    True
    >>> str(Spine(()))
    '()'
    """

    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.labels)

    def __str__(self) -> str:
        if not self.labels:
            return _EMPTY
        return "/".join(_SPECIAL.sub(r"\\\g<0>", label) for label in reversed(self.labels))

    @classmethod
    def from_string(cls, text: str) -> Spine:
        """Read the text of a spine.

        Raises
        ------
        UsageError
            When it is not the text of a spine.
        """
        if text == _EMPTY:
            return cls(())
        labels, place = [], 0
        while match := _PIECE.match(text, place):
            labels.append(re.sub(r"\\(.)", r"\1", match[1], flags=re.DOTALL))
            place = match.end()
            if not match[2]:
                return cls(tuple(reversed(labels)))
        raise UsageError(
            rf"{text!r} is not a spine; write labels with / between, and \ before /, \ and parentheses in them"
        )


class SpineTable:
    """Spines by number, in the order in which they were first seen; numbers never change.

    Examples
    --------
    >>> table = SpineTable([Spine(()), Spine(("VP", "S"))])
    >>> table.add(("NP",)), table.add(("VP", "S")), len(table)
    (2, 1, 3)
    >>> str(table[1])
    'S/VP'
    """

    def __init__(self, spines: Iterable[Spine] = ()) -> None:
        self._spines: list[Spine] = []
        self._numbers: dict[tuple[str, ...], int] = {}
        for spine in spines:
            self.add(spine.labels)

    def add(self, labels: tuple[str, ...]) -> int:
        """Return the number of the spine with these labels, the lowest first; a new one gets the next number."""
        number = self._numbers.setdefault(labels, len(self._spines))
        if number == len(self._spines):
            self._spines.append(Spine(labels))
        return number

    def find(self, spine: Spine) -> int | None:
        """Return the number of a spine, or None if it is not in the table."""
        return self._numbers.get(spine.labels)

    def __len__(self) -> int:
        return len(self._spines)

    def __iter__(self) -> Iterator[Spine]:
        return iter(self._spines)

    def __getitem__(self, number: int) -> Spine:
        return self._spines[number]

    def __repr__(self) -> str:
        return f"<SpineTable: {len(self):,} spines>"
