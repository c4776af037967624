"""Text that comes piece by piece: cut into blocks that fit into memory, where no sentence is cut."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from treewright.tokenization.characters import SPACE
from treewright.tokenization.splitter import Splitter

__all__ = ["Block", "blocks_of", "with_breaks"]

_BLANK = re.compile(f"[{SPACE}]*+")
_LAST_SPACE = re.compile(rf"(?s).*[{SPACE}]")

#: A paragraph in a stream is cut after this many characters.
_LONGEST_PARAGRAPH = 1 << 16


class Block(NamedTuple):
    """A paragraph of a stream, or a part of a long one.

    ``start`` is where it is in the stream, and ``begins`` whether it begins a paragraph.
    """

    text: str
    start: int
    begins: bool


def with_breaks(lines: Iterable[str]) -> Iterator[str]:
    r"""Let every line end in a line break.

    Examples
    --------
    >>> list(with_breaks(["a", "b\n"]))
    ['a\n', 'b\n']
    """
    return (line if line.endswith("\n") else line + "\n" for line in lines)


def blocks_of(pieces: Iterable[str], splitter: Splitter, *, line_by_line: bool = False) -> Iterator[Block]:
    r"""Cut a stream at blank lines; a long paragraph, where a sentence ends, or else at a space, or else anywhere.

    Parameters
    ----------
    pieces : iterable of str
        Lines, with their line breaks; a long line may come in several pieces.
    splitter : Splitter
        What finds the ends of sentences of a long paragraph.
    line_by_line : bool
        Whether each line is a paragraph.

    Examples
    --------
    >>> from treewright.tokenization.splitter import Rules
    >>> list(blocks_of(["Trees\n", "grow\n", "\n", "So\n"], Rules("en")))
    [Block(text='Trees\ngrow\n', start=0, begins=True), Block(text='So\n', start=12, begins=True)]
    """
    held: list[str] = []
    size, start, begins, is_line = 0, 0, True, True
    for piece in pieces:
        is_blank = is_line and piece.endswith("\n") and _BLANK.fullmatch(piece) is not None
        is_line = piece.endswith("\n")
        held.append(piece)
        size += len(piece)
        if is_blank or (line_by_line and is_line):
            text = "".join(held[:-1] if is_blank else held)
            if text:
                yield Block(text, start, begins)
            start, size, held, begins = start + size, 0, [], True
        elif size > _LONGEST_PARAGRAPH:
            text = "".join(held)
            at = _safe_cut(text, splitter)
            yield Block(text[:at], start, begins)
            held, size, start, begins = [text[at:]], size - at, start + at, False
    if size:
        yield Block("".join(held), start, begins)


def _safe_cut(text: str, splitter: Splitter) -> int:
    """Find where to cut a long paragraph, so that the rest is less than half of the limit."""
    window = max(0, len(text) - _LONGEST_PARAGRAPH // 2)
    starts = [tokens[0].start for tokens in splitter.split(text[window:])]
    if len(starts) > 1:
        return window + starts[-1]
    space = _LAST_SPACE.match(text, window, len(text) - 1)
    return space.end() if space else len(text)
