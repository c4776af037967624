"""The journal of an annotated file: every change is on disk before it is acknowledged.

It lies beside the file, a line of JSON for each action, after a first line that says which file it is about, by its
digest.  Actions are written as the cells they change, before and after; so they can be replayed on the file as it was,
and also on the file as it is once the changes have been saved to it.  A last line that was cut off, because the machine
died while it was written, was never acknowledged, and is dropped.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, get_args

from treewright.errors import UsageError
from treewright.server.annotation.document import Document
from treewright.server.annotation.state import COLUMNS, Change, Status

__all__ = ["Entry", "Journal"]

#: What the first line begins with, and the version of what follows.
NAME, VERSION = "treewright annotate", 1


@dataclass(frozen=True)
class Entry:
    """An action: the cells of a sentence (counted from 0) that it changes; or one undone or done again."""

    do: str
    sentence: int = 0
    changes: Sequence[Change] = ()

    def dump(self) -> dict[str, Any]:
        """Describe it as plain data."""
        if self.do in ("undo", "redo"):
            return {"do": self.do}
        return {"do": self.do, "sentence": self.sentence, "changes": [list(change) for change in self.changes]}


class Journal:
    """An open journal, which no other process may open.

    Attributes
    ----------
    entries : list of Entry
        Those that were there when it was opened.
    """

    def __init__(self, file: BinaryIO, path: Path, entries: list[Entry]) -> None:
        self.path, self.entries, self._file = path, entries, file

    @classmethod
    def open(cls, document: Document, path: Path) -> Journal:
        """Open the journal of a document, or begin one.

        Raises
        ------
        UsageError
            If it is that of another file, is damaged, or is open elsewhere.
        """
        try:
            file = open(path, "a+b")  # noqa: SIM115 (it stays open)
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror}") from error
        try:
            _lock(file, path)
            file.seek(0)
            entries, end = _replayed(file.read(), document, path)
            file.truncate(end)
        except BaseException:
            file.close()
            raise
        journal = cls(file, path, entries)
        if not end:
            about = {"journal": NAME, "version": VERSION, "digest": document.digest}
            journal._append({**about, "sentences": len(document.sentences)})
            _sync_folder(path)
        return journal

    def append(self, entry: Entry) -> None:
        """Write an entry, and return when it is on disk."""
        self._append(entry.dump())

    def saving(self, digest: str) -> None:
        """Note that the file is about to be replaced by one with this digest, which has all changes so far."""
        self._append({"do": "save", "digest": digest})

    def close(self) -> None:
        """Close the journal, so that others may open it."""
        self._file.close()

    def _append(self, described: dict[str, Any]) -> None:
        end = self._file.seek(0, os.SEEK_END)
        try:
            self._file.write(json.dumps(described, ensure_ascii=False).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            with contextlib.suppress(OSError):
                self._file.truncate(end)  # what was not acknowledged must not come back
            raise UsageError(f"cannot write {self.path}: {error.strerror}") from error


def _lock(file: BinaryIO, path: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise UsageError(f"{path} is open: somebody is annotating this file already") from None


def _sync_folder(path: Path) -> None:
    """See to it that a new file is found after a crash."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _replayed(content: bytes, document: Document, path: Path) -> tuple[list[Entry], int]:
    """Read the entries of a journal, and where the last whole line ends."""
    end = content.rfind(b"\n") + 1
    lines = content[:end].splitlines()
    if not lines:
        return [], 0
    about, digests, entries = _parsed(lines[0], path, 1), set[str](), list[Entry]()
    if about.get("journal") != NAME or about.get("version") != VERSION:
        raise UsageError(f"{path} is not a journal of this version of treewright annotate: move it away")
    digests.add(str(about.get("digest")))
    for number, line in enumerate(lines[1:], 2):
        described = _parsed(line, path, number)
        if described.get("do") == "save":
            digests.add(str(described.get("digest")))
        else:
            entries.append(_entry(described, document, path, number))
    if document.digest not in digests:
        raise UsageError(
            f"{path} is the journal of another file: {document.path} has been changed since; move the journal away to "
            "begin anew, or bring back the file"
        )
    return entries, end


def _parsed(line: bytes, path: Path, number: int) -> dict[str, Any]:
    with contextlib.suppress(ValueError):
        described = json.loads(line)
        if isinstance(described, dict):
            return described
    raise UsageError(f"{path}, line {number}, is damaged: mend it, or move the journal away")


def _entry(described: dict[str, Any], document: Document, path: Path, number: int) -> Entry:
    """Check an entry that was read."""
    try:
        if described["do"] in ("undo", "redo"):
            return Entry(described["do"])
        sentence = described["sentence"]
        changes = [Change(*change) for change in described["changes"]]
        words = len(document.sentences[sentence]) if sentence >= 0 else 0
        if all(_is_sound(change, words) for change in changes):
            return Entry(str(described["do"]), sentence, changes)
    except (KeyError, TypeError, IndexError):
        pass
    raise UsageError(f"{path}, line {number}, does not fit {document.path}: move the journal away")


def _is_sound(change: Change, words: int) -> bool:
    if not (isinstance(change.word, int) and 1 <= change.word <= words):
        return False
    values = (change.before, change.after)
    if not all(isinstance(value, str) and value for value in values):
        return False
    if change.column == "status":
        return set(values) <= set(get_args(Status))
    if change.column == "head":
        return all(value == "_" or (value.isdecimal() and int(value) <= words) for value in values)
    return change.column in COLUMNS
