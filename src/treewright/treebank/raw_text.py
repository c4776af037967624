"""Raw text: one sentence per line, words separated by white space."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from treewright.errors import TreebankError, UsageError
from treewright.files import READ_ERRORS, PathLike, describe_read_error, find_bad_byte, lines_of, open_input, position
from treewright.treebank.sentence import Sentence

__all__ = ["RawText"]


class RawText:
    r"""Sentences of bare words, read from files anew in every iteration.

    Parameters
    ----------
    paths : sequence of path
        Plain or compressed files.

    Raises
    ------
    UsageError
        If a file does not exist.
    TreebankError
        While reading, if a file is damaged or not UTF-8.

    Examples
    --------
    >>> import os, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> name = os.path.join(folder.name, "raw.txt")
    >>> with open(name, "w") as file:
    ...     _ = file.write("A dog barks .\n\nTrees grow .\n")
    >>> [sentence.forms for sentence in RawText([name])]
    [['A', 'dog', 'barks', '.'], ['Trees', 'grow', '.']]
    >>> folder.cleanup()
    """

    def __init__(self, paths: Sequence[PathLike]) -> None:
        self.paths = [Path(path) for path in paths]
        for path in self.paths:
            if not path.is_file():
                raise UsageError(f"cannot read {path}: there is no such file")
        self._sizes = [path.stat().st_size for path in self.paths]
        self._place = 0

    @property
    def share(self) -> float:
        """The share of the bytes that the last iteration has read so far."""
        return self._place / max(sum(self._sizes), 1)

    def __iter__(self) -> Iterator[Sentence]:
        for number, path in enumerate(self.paths):
            before, line, raw = sum(self._sizes[:number]), 1, b""
            with open_input(path) as file:
                try:
                    for line, raw in enumerate(lines_of(file), 1):
                        forms = raw.decode("utf-8-sig" if line == 1 else "utf-8").split()
                        if forms:
                            yield Sentence.from_forms(forms)
                        if line % 1_000 == 0:
                            self._place = before + position(file)
                except UnicodeDecodeError:
                    raise TreebankError(find_bad_byte(raw)[1], str(path), line) from None
                except READ_ERRORS as error:
                    raise TreebankError(describe_read_error(error), str(path), line) from None
        self._place = sum(self._sizes)
