"""Cut a stream of bytes into blocks of one sentence each, in bounded memory.

A block is what lies between two blank lines, together with everything around it that belongs to no sentence: more
blank lines, and comments without words.  These go to the block that follows, and at the end of the stream to the block
before; so the blocks put together are the stream, byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

from treewright.errors import TreebankError
from treewright.files import READ_ERRORS, describe_read_error
from treewright.treebank.reading import BOM, CHUNK, read_method

__all__ = ["MAX_LINES", "Block", "blocks"]

#: A larger sentence is refused: the file must be broken, and no parser could take it.
MAX_LINES = 10_000
MAX_LINE_BYTES = 1 << 20
MAX_SENTENCE_BYTES = 1 << 24

_BOM_BYTES = BOM.encode()
_UNUSUAL = (ord(b"\n"), _BOM_BYTES[0])
_BARE_STARTS = (b"#", b"\n", b"\r", _BOM_BYTES[:1], b"")
_BLANK_LINE = re.compile(rb"\n\r?\n")


class Block(NamedTuple):
    """The bytes of one sentence."""

    line: int  # the number of its first line
    raw: bytes  # empty if there were too many or they could not be read
    error: TreebankError | None = None  # what is wrong with it, if that is already known
    is_fatal: bool = False  # whether nothing after it can be read
    is_usual: bool = False  # whether every line is known to end in a line feed, and the only blank line to be the last


def blocks(stream: BinaryIO, name: str, has_comments: bool) -> Iterator[Block]:
    """Yield the blocks of a stream, which put together are the stream.

    A block is held back until the next one has been found, because what follows the last sentence of a
    stream is part of its block.
    """
    held: Block | None = None
    bare: list[Block] = []
    bare_size = 0
    for block in _cut(stream, name):
        if block.error is None and _is_bare(block, has_comments):
            bare.append(block)
            bare_size += len(block.raw)
            if bare_size <= MAX_SENTENCE_BYTES:
                continue
            reason = f"more than {MAX_SENTENCE_BYTES:,} bytes without a sentence"
            block, bare = Block(bare[0].line, b"", TreebankError(reason, name, bare[0].line)), []
        if held is not None:
            yield held
        held = _join([*bare, block]) if bare else block
        bare, bare_size = [], 0
    rest = [held, *bare] if held is not None else bare
    if rest:
        yield _join(rest)


def _join(parts: list[Block]) -> Block:
    """Join a sentence and the bare blocks around it."""
    error, is_fatal = next(((part.error, part.is_fatal) for part in parts if part.error), (None, False))
    return Block(parts[0].line, b"".join(part.raw for part in parts), error, is_fatal)


def _is_bare(block: Block, has_comments: bool) -> bool:
    """Check whether a block has only blank lines and well-formed comments."""
    raw = block.raw
    last = raw.rfind(b"\n", 0, -2) + 1
    if raw[last : last + 1] not in _BARE_STARTS:
        return False  # the usual case: the last line is a word
    if block.line == 1:
        raw = raw.removeprefix(_BOM_BYTES)
    if not has_comments and raw.strip(b"\r\n"):
        return False
    if any(line.removesuffix(b"\r") and not line.startswith(b"#") for line in raw.split(b"\n")):
        return False
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in raw and raw.count(b"\r") == raw.count(b"\r\n")


def _cut(stream: BinaryIO, name: str) -> Iterator[Block]:
    """Cut a stream after every blank line."""
    line, is_dropping = 1, False
    try:
        for window in _windows(read_method(stream, name)):
            start = 0
            has_returns = b"\r" in window
            for end in _ends(window, has_returns):
                lines = window.count(b"\n", start, end)
                if not is_dropping:
                    is_usual = not has_returns and window[start] not in _UNUSUAL
                    yield _checked(line, window[start:end], lines, name, is_usual)
                line, start, is_dropping = line + lines, end, False
            if start < len(window):  # too big, another blank line, or the end of the stream
                lines = window.count(b"\n", start)
                if not is_dropping:
                    yield _checked(line, window[start:], lines, name)
                is_dropping = is_dropping or len(window) - start > MAX_SENTENCE_BYTES
                line += lines
    except READ_ERRORS as error:
        yield Block(line, b"", TreebankError(describe_read_error(error), name, line), is_fatal=True)


def _windows(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Yield runs of bytes that end after a blank line, are too big, or end the stream."""
    parts: list[bytes] = []
    size = 0
    tail = b""  # a blank line may be split between two chunks
    while chunk := read(CHUNK):
        joint = tail + chunk
        if found := _last_end(joint):
            end = found - len(tail)
            yield b"".join((*parts, chunk[:end]))
            chunk, parts, size, joint = chunk[end:], [], 0, chunk[end:]
        parts.append(chunk)
        size += len(chunk)
        tail = joint[-2:]
        if size > MAX_SENTENCE_BYTES + len(tail):
            joint = b"".join(parts)
            yield joint[: -len(tail)]
            parts, size = [tail], len(tail)
    if size:
        yield b"".join(parts)


def _last_end(joint: bytes) -> int:
    """Find where the last blank line ends; 0 if there is none."""
    plain, returned = joint.rfind(b"\n\n"), joint.rfind(b"\n\r\n")
    return max(plain + 2 if plain >= 0 else 0, returned + 3 if returned >= 0 else 0)


def _ends(window: bytes, has_returns: bool) -> Iterator[int]:
    """Yield where the blank lines of a window end."""
    if has_returns:
        yield from (match.end() for match in _BLANK_LINE.finditer(window))
        return
    end = 0
    while (found := window.find(b"\n\n", end)) >= 0:
        end = found + 2
        yield end


def _checked(line: int, raw: bytes, lines: int, name: str, is_usual: bool = False) -> Block:
    """Make a block, which has an error if it is too big."""
    if lines < MAX_LINES and len(raw) <= MAX_LINE_BYTES:
        return Block(line, raw, None, False, is_usual)
    start = 0
    for number in range(lines + 1):
        end = raw.find(b"\n", start)
        end = len(raw) if end < 0 else end
        if end - start > MAX_LINE_BYTES:
            reason = f"a line of more than {MAX_LINE_BYTES:,} bytes"
            return Block(line, b"", TreebankError(reason, name, line + number))
        if number == MAX_LINES and raw[start:end].strip():
            reason = f"a sentence of more than {MAX_LINES:,} lines; put a blank line after each sentence"
            return Block(line, b"", TreebankError(reason, name, line + number))
        start = end + 1
    if len(raw) > MAX_SENTENCE_BYTES:
        reason = f"a sentence of more than {MAX_SENTENCE_BYTES:,} bytes; put a blank line after each sentence"
        return Block(line, b"", TreebankError(reason, name, line))
    return Block(line, raw)
