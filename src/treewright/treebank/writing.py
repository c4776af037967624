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

    A stream is left open; a file is written as `treewright.files.atomic_output` does.  A text that is not Unicode is a
    `UsageError`, in which it is called ``item``, such as ``"sentence"``.
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
