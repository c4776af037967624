"""From the lines of a sentence to its columns, checked on the way.

Readers spend most of their time here, so whole columns are made and compared at once.
`treewright.treebank.conllu.diagnosis` finds out what is wrong with a sentence that is refused here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from treewright.errors import UsageError
from treewright.treebank.conllu.blocks import MAX_LINES
from treewright.treebank.reading import shorten
from treewright.treebank.sentence import Format, Sentence

__all__ = [
    "HEADS",
    "HEAD_TEXTS",
    "check_lengths",
    "checked_heads",
    "describe_cycle",
    "find_aside_fault",
    "find_cycle",
    "parse_sentence",
]

#: The head that each text stands for; any other text (``03``, ``+3``, ``three``) is not a head.
HEADS = {"_": -1} | {str(head): head for head in range(MAX_LINES + 1)}
HEAD_TEXTS = {head: text for text, head in HEADS.items()}

_RANGE = re.compile(r"([1-9][0-9]*)-([1-9][0-9]*)")
_EMPTY_NODE = re.compile(r"(0|[1-9][0-9]*)\.([1-9][0-9]*)")

#: The ids of a sentence, each after the end of the line before it.
_IDS = [f"\n{i}" for i in range(1, MAX_LINES + 1)]

Asides = Sequence[tuple[int, str]]


def parse_sentence(body: str, format: Format) -> Sentence | None:
    """Read the lines of a sentence; None if they are malformed."""
    if "\0" in body or "\r" in body:
        return None
    comments: list[str] = []
    if format == "conllu" and body.startswith("#"):
        comments, body = _split_comments(body)
    if not body:
        return Sentence.from_forms((), comments=comments, format=format)
    fields = _split_fields(body)
    if fields is None:
        return None
    asides: Asides = ()
    if fields[::10] != _IDS[: len(fields) // 10]:
        if format == "conllx":
            return None
        fields, asides = _set_aside(fields)
        n = len(fields) // 10
        if not n or fields[::10] != _IDS[:n] or find_aside_fault(asides, n) is not None:
            return None
    return _make_sentence(fields, comments, asides, format)


def _split_comments(body: str) -> tuple[list[str], str]:
    end = 0
    while body.startswith("#", end):
        end = body.find("\n", end) + 1
        if not end:
            return body.split("\n"), ""
    return body[: end - 1].split("\n"), body[end:]


def _split_fields(body: str) -> list[str] | None:
    """Split lines of ten non-empty columns into one list, in which a line feed comes before each id."""
    marked = body.replace("\n", "\t\n")
    if "\t\t" in marked or marked.endswith("\t"):
        return None  # an empty field
    fields = marked.split("\t")
    fields[0] = "\n" + fields[0]
    # There are as many line feeds as lines.  If the ids, every tenth field, have one each, there are none elsewhere,
    # and every line has ten columns: comparing the ids checks that too.
    return fields if len(fields) == 10 * body.count("\n") + 10 else None


def _make_sentence(fields: list[str], comments: list[str], asides: Asides, format: Format) -> Sentence | None:
    """Make a sentence of words whose ids have been checked; None if their heads are wrong."""
    try:
        heads = list(map(HEADS.__getitem__, fields[6::10]))
    except KeyError:
        return None
    if max(heads) > len(heads) or find_cycle(heads):
        return None
    return Sentence(
        fields[1::10],
        fields[2::10],
        fields[3::10],
        fields[4::10],
        fields[5::10],
        np.array(heads, np.int32),
        fields[7::10],
        fields[8::10],
        fields[9::10],
        comments,
        asides,
        None,
        format,
    )


def find_cycle(heads: Sequence[int]) -> list[int]:
    """Find words that form a cycle, each followed by its head; empty if there is none.

    Examples
    --------
    >>> find_cycle([2, 0, 4, 3])
    [3, 4]
    >>> find_cycle([2, -1, 2])
    []
    """
    parents = [0, *heads]
    if -1 in parents:
        parents = [max(head, 0) for head in parents]  # a word without a head ends a path, like the root
    seen = [0] * len(parents)
    seen[0] = -1
    for word in range(1, len(parents)):
        ancestor = word
        while not seen[ancestor]:
            seen[ancestor] = word
            ancestor = parents[ancestor]
        if seen[ancestor] == word:
            cycle = [ancestor]
            while (ancestor := parents[ancestor]) != cycle[0]:
                cycle.append(ancestor)
            return cycle
    return []


def describe_cycle(cycle: Sequence[int]) -> str:
    """Describe a cycle in a message.

    Examples
    --------
    >>> describe_cycle([3]), describe_cycle([3, 4])
    ('word 3 is its own head', 'the heads of words 3, 4 form a cycle')
    """
    if len(cycle) == 1:
        return f"word {cycle[0]} is its own head"
    shown = ", ".join(map(str, cycle[:8])) + (", ..." if len(cycle) > 8 else "")
    return f"the heads of words {shown} form a cycle"


def check_lengths(sentence: Sentence, columns: Sequence[str]) -> None:
    """Check that columns of a sentence, given by name, have an entry for each word."""
    n = len(sentence)
    for name in columns:
        if len(getattr(sentence, name)) != n:
            raise UsageError(f"a sentence of {n} words has {len(getattr(sentence, name))} entries in {name}")


def checked_heads(sentence: Sentence) -> list[int]:
    """Return the heads of a sentence that is to be drawn, if they form a tree and its columns are whole."""
    n = len(sentence)
    heads: list[int] = sentence.heads.tolist()
    check_lengths(sentence, ("heads", "upos", "deprels", "misc"))
    for word, head in enumerate(heads, 1):
        if not -1 <= head <= n:
            raise UsageError(f"the head of word {word} is {head}; it must lie between -1 and {n}")
    if cycle := find_cycle(heads):
        raise UsageError(f"{describe_cycle(cycle)}; only trees can be drawn")
    return heads


def _set_aside(fields: list[str]) -> tuple[list[str], Asides]:
    """Separate the multiword tokens and empty nodes from the words of a sentence."""
    words: list[str] = []
    asides: list[tuple[int, str]] = []
    start = 0
    for index, identifier in enumerate(fields[::10]):
        if ("-" in identifier or "." in identifier) and identifier.startswith("\n"):
            words += fields[start : 10 * index]
            start = 10 * index + 10
            asides.append((len(words) // 10, "\t".join(fields[10 * index : start]).removeprefix("\n")))
    return words + fields[start:], asides


def find_aside_fault(asides: Asides, n: int) -> tuple[int, str] | None:
    """Find the first malformed multiword token or empty node of n words: its index in ``asides``, and the reason."""
    covered = 0  # the last word of the last range
    nodes = 0  # empty nodes since the last word
    previous = 0
    range_at = -1  # the number of words before the last range
    for index, (position, line) in enumerate(asides):
        identifier, *rest = line.split("\t")
        nodes = nodes if position == previous else 0
        previous = position
        if len(rest) != 9 or not all(rest):
            return index, "not ten columns, all filled"
        if match := _RANGE.fullmatch(identifier):
            first, last = map(int, match.groups())
            if (reason := _range_fault(first, last, position, covered, n)) is not None:
                return index, reason
            covered, range_at = last, position
        elif match := _EMPTY_NODE.fullmatch(identifier):
            nodes += 1
            if identifier != f"{position}.{nodes}":
                return index, f"empty node {identifier} where {position}.{nodes} was expected"
            if covered > position and range_at == position:
                between = f"range {position + 1}-{covered} and word {position + 1}"
                return index, f"empty node {identifier} stands between {between}"
        else:
            return index, f"id {shorten(identifier)} is neither a word, a range nor an empty node"
    return None


def _range_fault(first: int, last: int, position: int, covered: int, n: int) -> str | None:
    if last < first:
        return f"range {first}-{last} is reversed"
    if first <= covered:
        return f"range {first}-{last} overlaps the range before it"
    if last > n:
        return f"range {first}-{last} goes beyond the last word, {n}"
    if first != position + 1:
        return f"range {first}-{last} does not stand before word {first}"
    return None
