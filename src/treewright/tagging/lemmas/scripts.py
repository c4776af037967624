"""Lemmas as edit scripts: what to do to a form so that its lemma comes out, the same for many words.

A script has three fields, separated by tabs: how to change the case of the form, and how to edit what comes before and
after the longest text that form and lemma share.  An edit has a sign for each character: ``.`` keeps it, ``-`` drops
it, and ``+x`` puts an *x* there.  So ``l``, nothing, and ``---+y`` make *study* of *Studies*.  Where form and lemma
have nothing in common, the script is the lemma; where there is no lemma, it is a refusal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

__all__ = ["REFUSAL", "apply_script", "edit_script", "edited_ending"]

#: How a script changes the case of a form; of those that leave least to edit, the first is chosen.
CASES: Mapping[str, Callable[[str], str]] = {"l": str.lower, "=": str, "t": str.title, "u": str.upper}

#: The mark of a script that is the lemma itself, and the script of a word without a lemma.
WHOLE, REFUSAL = "!", "_"

#: The signs of an edit, or the text that takes the place of all that is edited.
Edit = list[str] | str

#: Where the fields of a script meet: no field of CoNLL-U holds one.
TAB = "\t"


@lru_cache(maxsize=1 << 16)
def edit_script(form: str, lemma: str) -> str:
    r"""Return the script that turns a form into a lemma.

    Examples
    --------
    >>> edit_script("Trees", "tree"), edit_script("is", "be"), edit_script("gegangen", "gehen")
    ('l\t\t-', '!\tbe', 'l\t\t------+h+e+n')
    """
    if lemma == REFUSAL != form:
        return REFUSAL
    best: tuple[int, str] | None = None
    for case, change in CASES.items():
        changed = change(form)
        start, at, length = _longest_common(changed, lemma)
        cost = len(changed) + len(lemma) - 2 * length
        if length and (best is None or cost < best[0]):
            edits = _edit(changed[:start], lemma[:at]), _edit(changed[start + length :], lemma[at + length :])
            best = cost, TAB.join([case, *edits])
    return best[1] if best is not None else f"{WHOLE}{TAB}{lemma}"


def apply_script(script: str, form: str) -> str:
    r"""Return the lemma of a form; of a form too short for what is to be edited, the form in the case of its lemma.

    Examples
    --------
    >>> apply_script("l\t\t-", "Forests"), apply_script("!\tbe", "is")
    ('forest', 'be')
    """
    parsed = _parse(script)
    if parsed is None:
        return script if script == REFUSAL else script[len(WHOLE + TAB) :]
    change, before, start, after, from_end = parsed
    changed = change(form)
    end = len(changed) - from_end
    return (
        _edited(changed[:start], before) + changed[start:end] + _edited(changed[end:], after)
        if start < end
        else changed
    )


def edited_ending(script: str, form: str) -> str | None:
    r"""Return the end of a form that a script edits, in lower case; None if the script is the lemma.

    Examples
    --------
    >>> edited_ending("l\t\t---+y", "Studies"), edited_ending("l\t\t", "study")
    ('ies', '')
    """
    if script.startswith(WHOLE):
        return None
    parsed = _parse(script)
    lower = form.lower()
    return lower[len(lower) - (parsed[-1] if parsed else 0) :]


def _edit(old: str, new: str) -> str:
    """Return the signs of an edit: letters are only put in or only dropped, or else all of them are exchanged."""
    for signs in (_put_in(old, new), _dropped(old, new)):
        if signs is not None:
            return signs
    return "-" * len(old) + "".join("+" + character for character in new)


def _put_in(old: str, new: str) -> str | None:
    """Return the signs that make ``new`` of ``old`` by putting in letters alone, if there are any."""
    signs, kept = "", 0
    for character in new:
        is_kept = old[kept : kept + 1] == character
        signs += "." if is_kept else "+" + character
        kept += is_kept
    return signs if kept == len(old) else None


def _dropped(old: str, new: str) -> str | None:
    """Return the signs that make ``new`` of ``old`` by dropping letters alone, if there are any."""
    signs, kept = "", 0
    for character in old:
        is_kept = new[kept : kept + 1] == character
        signs += "." if is_kept else "-"
        kept += is_kept
    return signs if kept == len(new) else None


@lru_cache(maxsize=1 << 16)
def _parse(script: str) -> tuple[Callable[[str], str], Edit, int, Edit, int] | None:
    """Split a script into the change of case, and two edits with their widths; None if it is no edit."""
    case, *fields = script.split(TAB)
    if case in (WHOLE, REFUSAL) and len(fields) == (case == WHOLE):
        return None
    before, after = (_signs(edit) for edit in (fields if len(fields) == 2 else _older(*fields)))
    return CASES[case], _simple(before), _width(before), _simple(after), _width(after)


def _signs(edit: str) -> list[str]:
    """Split an edit into its signs; a plus takes the character after it along."""
    signs, place = [], 0
    while place < len(edit):
        size = 2 if edit[place] == "+" else 1
        signs.append(edit[place : place + size])
        place += size
    if any(sign[0] not in ".-+" or sign == "+" for sign in signs):
        raise ValueError(f"{edit!r} is no edit of letters")
    return signs


def _width(signs: Sequence[str]) -> int:
    """Count the characters that an edit keeps or drops."""
    return sum(len(sign) == 1 for sign in signs)


def _simple(signs: list[str]) -> Edit:
    """Return what an edit puts in place of all that it edits, if it keeps nothing."""
    return signs if "." in signs else "".join(sign[1:] for sign in signs)


def _edited(text: str, edit: Edit) -> str:
    if isinstance(edit, str):
        return edit
    rest = iter(text)
    return "".join(sign[1:] if sign[0] == "+" else next(rest) if sign == "." else next(rest)[:0] for sign in edit)


def _older(start: str, end: str, before: str, after: str) -> tuple[str, str]:
    """Translate the fields of models from before 0.1: how much to drop on either side, and what to put there."""
    put = ("".join("+" + character for character in text) for text in (before, after))
    first, last = ("-" * int(count) + signs for count, signs in zip((start, end), put, strict=True))
    return first, last


def _longest_common(form: str, lemma: str) -> tuple[int, int, int]:
    """Find the longest text that both share, the first of equals: its place in each, and its length."""
    if form == lemma:
        return 0, 0, len(form)
    best, row = (0, 0, 0), [0] * (len(lemma) + 1)
    for i, character in enumerate(form, 1):
        above, row = row, [0] * (len(lemma) + 1)
        for j, other in enumerate(lemma, 1):
            if character == other:
                row[j] = above[j - 1] + 1
                if row[j] > best[2]:
                    best = i - row[j], j - row[j], row[j]
    return best
