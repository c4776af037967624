"""The lines of a block and their layout in the file, so that they can be written back unchanged."""

from __future__ import annotations

import re
from collections.abc import Sequence

from treewright.treebank.reading import BOM
from treewright.treebank.sentence import LineLayout

__all__ = ["restore", "separate"]

#: Lines up to the next blank one.
_RUN = re.compile(r"(?:(?!\r?\n)[^\n]*(?:\n|\Z))+")


def separate(text: str, is_first: bool = False) -> tuple[str, LineLayout | None]:
    """Separate the lines of the sentence from the rest of a block.

    Only the first block of a file may start with a byte-order mark.

    Returns
    -------
    body : str
        The lines, with line feeds between them and none at the end.
    layout : LineLayout or None
        What else `restore` needs; None if every line ends in a line feed and one blank line follows.
    """
    start, end = _find_sentence(text, 1 if is_first and text.startswith(BOM) else 0)
    lines = text[start:end].split("\n")
    ends = ["\n"] * (len(lines) - 1) + [""]
    if not lines[-1]:
        del lines[-1], ends[-1]
    for i, line in enumerate(lines):
        if line.endswith("\r") and ends[i]:
            lines[i], ends[i] = line[:-1], "\r\n"
    is_usual = start == 0 and text[end:] == "\n" and set(ends) == {"\n"}
    return "\n".join(lines), None if is_usual else LineLayout(text[:start], tuple(ends), text[end:])


def _find_sentence(text: str, origin: int) -> tuple[int, int]:
    """Find the run of lines that has words, or the last run if none has."""
    start = end = len(text)
    for run in _RUN.finditer(text, origin):
        if run.group():
            start, end = run.span()
            if any(not line.startswith("#") for line in run.group().removesuffix("\n").split("\n")):
                break
    return start, end


def restore(lines: Sequence[str], layout: LineLayout | None) -> str:
    """Join lines according to their layout.

    If lines were added or removed since, each but the last ends as the first did.
    """
    if layout is None:
        return "\n".join(lines) + "\n\n" if lines else ""
    ends = layout.ends
    if len(ends) != len(lines):
        first, last = (ends[0] or "\n", ends[-1]) if ends else ("\n", "\n")
        ends = (first,) * (len(lines) - 1) + (last,)
    return layout.before + "".join(map(str.__add__, lines, ends)) + layout.after
