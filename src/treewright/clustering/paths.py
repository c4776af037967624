"""Clusters in memory and in files: a bit string for each word.

The common format, which Liang's ``wcluster`` writes, has a line for each word: its bit string (the path from the root
of the hierarchy), the word, and how often it occurs, separated by tabs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from treewright.errors import ClusterError, UsageError
from treewright.files import READ_ERRORS, PathLike, atomic_output, describe_read_error, lines_of, open_input

__all__ = ["Clusters"]

#: No text is so long that a count has more digits.
_MOST_DIGITS = 18


class Clusters(Mapping[str, str]):
    """Words and the bit strings of their clusters.

    Parameters
    ----------
    words : sequence of str
    bits : sequence of str
        The path to the cluster of each word, made of 0 and 1.
    counts : sequence of int
        How often each word occurs.

    Examples
    --------
    >>> clusters = Clusters(["the", "a", "dog"], ["00", "00", "01"], [9, 8, 2])
    >>> clusters["dog"], clusters.get("cat"), "the" in clusters, len(clusters)
    ('01', None, True, 3)
    >>> clusters.prefix("dog", 1), clusters.prefix("dog", 4)
    ('0', '01')
    """

    def __init__(self, words: Sequence[str], bits: Sequence[str], counts: Sequence[int]) -> None:
        if not len(words) == len(bits) == len(counts):
            raise ValueError(f"{len(words)} words, {len(bits)} bit strings and {len(counts)} counts do not match")
        self._entries: dict[str, tuple[str, int]] = {}
        for word, path, count in zip(words, bits, counts, strict=True):
            reason = _find_fault(word, path, self._entries)
            if reason:
                raise ValueError(reason)
            self._entries[word] = path, count

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __contains__(self, word: object) -> bool:
        return word in self._entries

    def __getitem__(self, word: str) -> str:
        return self._entries[word][0]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Clusters) and self._entries == other._entries

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Clusters: {len(self):,} words in {len(self.groups()):,} clusters>"

    def prefix(self, word: str, length: int) -> str | None:
        """Return the first bits of a word, or all if there are fewer; None for a word in no cluster."""
        entry = self._entries.get(word)
        return entry[0][:length] if entry else None

    def count(self, word: str) -> int:
        """Return how often a word occurs in the text that was clustered; 0 for a word in no cluster."""
        entry = self._entries.get(word)
        return entry[1] if entry else 0

    def most_frequent(self, number: int) -> list[str]:
        """Return the most frequent words, in order; equally frequent ones are in the order of code points.

        Examples
        --------
        >>> Clusters(["b", "a", "c"], ["0", "1", "1"], [2, 2, 7]).most_frequent(2)
        ['c', 'a']
        """
        return sorted(self._entries, key=lambda word: (-self._entries[word][1], word))[:number]

    def groups(self, length: int | None = None) -> dict[str, list[str]]:
        """Group the words by cluster, or by the first ``length`` bits; the most frequent words come first.

        Examples
        --------
        >>> Clusters(["the", "a", "dog"], ["00", "00", "01"], [8, 9, 2]).groups()
        {'00': ['a', 'the'], '01': ['dog']}
        """
        found: dict[str, list[str]] = {}
        for word in self.most_frequent(len(self)):
            found.setdefault(self[word][:length], []).append(word)
        return dict(sorted(found.items()))

    def save(self, path: PathLike) -> None:
        """Write the clusters to a file, as `treewright.files.atomic_output` does.

        The lines are sorted by bit string, then by count, the highest first, then by word.

        Raises
        ------
        UsageError
            If the file cannot be written.
        """
        with atomic_output(path) as file:
            for bits, words in self.groups().items():
                lines = (f"{bits}\t{word}\t{self.count(word)}\n" for word in words)
                file.write("".join(lines).encode("utf-8"))

    @classmethod
    def read(cls, path: PathLike) -> Clusters:
        """Read a file in the common format, plain or compressed.

        Raises
        ------
        ClusterError
            If a line is malformed, or the file is damaged.
        UsageError
            If the file cannot be read, or is empty.

        Examples
        --------
        >>> import os, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> name = os.path.join(folder.name, "my.paths.gz")
        >>> Clusters(["the", "dog"], ["0", "1"], [9, 2]).save(name)
        >>> Clusters.read(name)
        <Clusters: 2 words in 2 clusters>
        >>> folder.cleanup()
        """
        clusters, number = cls([], [], []), 1
        with open_input(path) as file:
            try:
                for number, line in enumerate(lines_of(file), 1):
                    clusters._add_line(line, str(path), number)
            except READ_ERRORS as error:
                raise ClusterError(describe_read_error(error), str(path), number) from None
        if not len(clusters):
            raise UsageError(f"{path} has no clusters: it is empty")
        return clusters

    def _add_line(self, line: bytes, path: str, number: int) -> None:
        try:
            cells = (
                line.decode("utf-8-sig" if number == 1 else "utf-8").removesuffix("\n").removesuffix("\r").split("\t")
            )
        except UnicodeDecodeError as error:
            raise ClusterError(describe_read_error(error), path, number) from None
        if len(cells) != 3:
            raise ClusterError(f"expected bits, word and count separated by tabs, not {_shown(cells)}", path, number)
        bits, word, count = cells
        reason = _find_fault(word, bits, self._entries)
        if not (count.isascii() and count.isdigit() and len(count) <= _MOST_DIGITS):
            reason = reason or f"expected the count of the word, not {count[:40]!r}"
        if reason:
            raise ClusterError(reason, path, number)
        self._entries[word] = bits, int(count)


def _find_fault(word: str, bits: str, known: dict[str, tuple[str, int]]) -> str:
    """Find what is wrong with a word and its bit string; empty if nothing is."""
    if not bits or bits.strip("01"):
        return f"expected a string of 0 and 1, not {bits[:40]!r}"
    if not word or any(space in word for space in "\t\n\r "):
        return f"expected a word without white space, not {word[:40]!r}"
    if word in known:
        return f"the word {word[:40]!r} already has a cluster, {known[word][0][:40]}"
    return ""


def _shown(cells: list[str]) -> str:
    columns = "an empty line" if cells == [""] else f"{len(cells)} column{'s'[: len(cells) != 1]}"
    return f"{columns} ({' '.join(cells)[:40]!r})" if cells != [""] else columns
