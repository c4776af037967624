"""Lemmas as edit scripts: what to do to a form so that its lemma comes out, the same for many words.

A script says how to change the case of the form, how many characters to cut off at its start and at its end, and what
to put there.  Where form and lemma have nothing in common, the script is the lemma.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

__all__ = ["apply_script", "edit_script"]

#: How a script changes the case of a form; of those that leave least to edit, the first is chosen.
CASES: Mapping[str, Callable[[str], str]] = {"=": str, "l": str.lower, "t": str.title}

#: The mark of a script that is the lemma itself.
WHOLE = "!"

#: Where the fields of a script meet: no field of CoNLL-U holds one.
TAB = "\t"


@lru_cache(maxsize=1 << 16)
def edit_script(form: str, lemma: str) -> str:
    r"""Return the script that turns a form into a lemma.

    Examples
    --------
    >>> edit_script("Trees", "tree"), edit_script("is", "be")
    ('l\t0\t1\t\t', '!\tbe')
    """
    best: tuple[int, str] | None = None
    for case, change in CASES.items():
        changed = change(form)
        start, at, length = _longest_common(changed, lemma)
        if length:
            end = len(changed) - start - length
            before, after = lemma[:at], lemma[at + length :]
            cost = start + end + len(before) + len(after)
            if best is None or cost < best[0]:
                best = cost, TAB.join([case, str(start), str(end), before, after])
    return best[1] if best is not None else f"{WHOLE}{TAB}{lemma}"


def apply_script(script: str, form: str) -> str:
    r"""Return the lemma of a form; of a form too short for what is to be cut off, the form in the case of its lemma.

    Examples
    --------
    >>> apply_script("l\t0\t1\t\t", "Forests"), apply_script("!\tbe", "is")
    ('forest', 'be')
    """
    case, *fields = script.split(TAB)
    if case == WHOLE:
        return fields[0]
    start, end, before, after = fields
    changed = CASES[case](form)
    middle = changed[int(start) : len(changed) - int(end)]
    return before + middle + after if middle else changed


def _longest_common(form: str, lemma: str) -> tuple[int, int, int]:
    """Find the longest text that both share, the first of equals: its place in each, and its length."""
    best, row = (0, 0, 0), [0] * (len(lemma) + 1)
    for i, character in enumerate(form, 1):
        above, row = row, [0] * (len(lemma) + 1)
        for j, other in enumerate(lemma, 1):
            if character == other:
                row[j] = above[j - 1] + 1
                if row[j] > best[2]:
                    best = i - row[j], j - row[j], row[j]
    return best
