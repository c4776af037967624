"""What is wrong with the brackets of a tree, and where: called once its text has been refused."""

from __future__ import annotations

import re
from dataclasses import dataclass

from treewright.errors import TreebankError
from treewright.treebank.conllu.columns import shorten
from treewright.treebank.constituents.brackets import BLANKS, Spaces

__all__ = ["Place", "diagnose_tree", "find_fault"]

_TOKEN = re.compile(rf"[()\0]|[^{BLANKS}()\0]+")


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file: a line and a character of it, both counted from 1."""

    line: int = 1
    column: int = 1

    def after(self, text: str) -> Place:
        """Go past a text."""
        lines = text.count("\n")
        if not lines:
            return Place(self.line, self.column + len(text))
        return Place(self.line + lines, len(text) - text.rfind("\n"))


@dataclass(slots=True)
class _Bracket:
    """A bracket that is open, and what has been seen in it."""

    start: int
    label: str = ""
    word: str = ""
    has_brackets: bool = False


def diagnose_tree(text: str, spaces: Spaces, path: str, start: Place) -> TreebankError:
    """Say what is wrong with a text of trees that begins at a place."""
    fault = find_fault(text, spaces)
    if fault is None:  # pragma: no cover: the tests hold the two readings of the format together
        raise AssertionError(f"{path}:{start.line}: refused for a reason that cannot be found")
    offset, reason = fault
    place = start.after(text[:offset])
    return TreebankError(reason, path, place.line, place.column)


def find_fault(text: str, spaces: Spaces) -> tuple[int, str] | None:
    """Find the first thing that is wrong: the character at which it stands, and the reason."""
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


def _open(path: list[_Bracket], offset: int) -> tuple[int, str] | None:
    if path:
        above = path[-1]
        if above.word:
            return offset, f"a bracket beside the word {shorten(above.word)}; only words have no brackets in them"
        if not above.label and len(path) > 1:
            return above.start, "a bracket without a label; only the outermost can go without"
        above.has_brackets = True
    path.append(_Bracket(offset))
    return None


def _close(path: list[_Bracket]) -> tuple[int, str] | None:
    bracket = path.pop()
    if bracket.word or bracket.has_brackets:
        return None
    if bracket.label:
        return bracket.start, f"bracket {shorten(bracket.label)} with nothing in it"
    return bracket.start, "an empty bracket" if path else "an empty tree"


def _name(bracket: _Bracket, token: str, offset: int, spaces: Spaces) -> tuple[int, str] | None:
    """Take a token for the label of a bracket, or for its word."""
    if bracket.has_brackets:
        return offset, f"{shorten(token)} beside brackets; a word needs a bracket with a tag"
    if not bracket.label:
        bracket.label = token
    elif not bracket.word:
        bracket.word = token
    elif spaces == "refuse":
        return (
            offset,
            f"{shorten(token)} is a second word in one bracket; give each its own, or read with spaces='keep'",
        )
    return None
