"""What the writers of all formats share: texts go to a file, which appears whole, or to a stream."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from typing import BinaryIO

from treewright.errors import UsageError
from treewright.files import PathLike, atomic_output

__all__ = ["write_texts"]


def write_texts(texts: Iterable[str], target: PathLike | BinaryIO, item: str) -> int:
    """Write texts one after the other, and return how many there were.

    Parameters
    ----------
    texts : iterable of str
        Taken one at a time.
    target : path or binary stream
        A stream is left open; a file is written as `treewright.files.atomic_output` does.
    item : str
        What to call a text in messages, such as ``"sentence"``.

    Raises
    ------
    UsageError
        If the file cannot be written, or a text is not Unicode.
    """
    number = 0
    opened: contextlib.AbstractContextManager[BinaryIO] = (
        atomic_output(target) if isinstance(target, str | os.PathLike) else contextlib.nullcontext(target)
    )
    with opened as stream:
        for number, text in enumerate(texts, 1):
            try:
                stream.write(text.encode())
            except UnicodeEncodeError as error:
                raise UsageError(f"{item} {number} is not Unicode text: {error}") from error
    return number
