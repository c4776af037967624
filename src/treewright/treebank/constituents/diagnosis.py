"""What is wrong with the brackets of a tree, and where: called once its text has been refused."""

from __future__ import annotations

import re
from dataclasses import dataclass

from treewright.errors import TreebankError
from treewright.treebank.constituents.brackets import BLANKS, Spaces
from treewright.treebank.reading import Place, shorten

__all__ = ["diagnose", "find_fault"]

_TOKEN = re.compile(rf"[()\0]|[^{BLANKS}()\0]+")

#: A character within the text counted from 0, and the reason.
Fault = tuple[int, str]


@dataclass(slots=True)
class _Bracket:
    """An open bracket, and what has been seen in it so far."""

    start: int
    label: str = ""
    word: str = ""
    has_brackets: bool = False


def diagnose(text: str, spaces: Spaces, path: str, start: Place) -> TreebankError:
    """Find out what is wrong with a text of trees that begins at a place."""
    fault = find_fault(text, spaces)
    if fault is None:  # pragma: no cover: a test checks that both readings of the format agree
        raise AssertionError(f"{path}:{start.line}: refused for an unknown reason")
    offset, reason = fault
    return start.after(text[:offset]).error(reason, path)


def find_fault(text: str, spaces: Spaces) -> Fault | None:
    """Find the first thing that is wrong."""
    path: list[_Bracket] = []
    for match in _TOKEN.finditer(text):
        token, offset = match.group(), match.start()
        if token == "\0":
            return offset, "a NUL character"
        if token == "(":
            fault = _open(path, offset)
        elif not path:
            outside = "a closing bracket that closes nothing" if token == ")" else f"{shorten(token)} outside of a tree"
            fault = offset, outside
        elif token == ")":
            fault = _close(path)
        else:
            fault = _name(path[-1], token, offset, spaces)
        if fault is not None:
            return fault
    if path:
        missing = f"{len(path)} closing bracket{'s are' if len(path) > 1 else ' is'} missing"
        return path[0].start, f"the tree that starts here is not closed; {missing}"
    return None


def _open(path: list[_Bracket], offset: int) -> Fault | None:
    if path:
        above = path[-1]
        if above.word:
            return offset, f"a bracket beside the word {shorten(above.word)}; only words have no brackets in them"
        if not above.label and len(path) > 1:
            return above.start, "a bracket without a label; only the outermost can go without"
        above.has_brackets = True
    path.append(_Bracket(offset))
    return None


def _close(path: list[_Bracket]) -> Fault | None:
    bracket = path.pop()
    if bracket.word or bracket.has_brackets:
        return None
    if bracket.label:
        return bracket.start, f"bracket {shorten(bracket.label)} with nothing in it"
    return bracket.start, "an empty bracket" if path else "an empty tree"


def _name(bracket: _Bracket, token: str, offset: int, spaces: Spaces) -> Fault | None:
    """Take a token as the label of a bracket, or as its word."""
    if bracket.has_brackets:
        return offset, f"{shorten(token)} beside brackets; a word needs a bracket with a tag"
    if not bracket.label:
        bracket.label = token
    elif not bracket.word:
        bracket.word = token
    elif spaces == "refuse":
        hint = "give each its own, or read with spaces='keep'"
        return offset, f"{shorten(token)} is a second word in one bracket; {hint}"
    return None
