"""From the lines of a sentence to its columns, checked on the way.

This is where a reader spends its time, so whole columns are made and compared at once, and nothing here says
what is wrong with a sentence: `treewright.treebank.conllu.diagnosis` looks for that, after this has refused it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from treewright.treebank.conllu.blocks import MAX_LINES
from treewright.treebank.sentence import Format, Sentence

__all__ = ["HEADS", "HEAD_TEXTS", "find_aside_fault", "find_cycle", "parse_sentence", "shorten"]

#: The head that each text stands for; a text that is not here (``03``, ``+3``, ``three``) is no head.
HEADS = {"_": -1} | {str(head): head for head in range(MAX_LINES + 1)}
HEAD_TEXTS = {head: text for text, head in HEADS.items()}

_RANGE = re.compile(r"([1-9][0-9]*)-([1-9][0-9]*)")
_EMPTY_NODE = re.compile(r"(0|[1-9][0-9]*)\.([1-9][0-9]*)")

#: The ids of a sentence, each after the end of the line before it.
_IDS = [f"\n{i}" for i in range(1, MAX_LINES + 1)]

Asides = Sequence[tuple[int, str]]


def parse_sentence(body: str, format: Format) -> Sentence | None:
    """Read the lines of a sentence; None where something is wrong with them."""
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
    """Split lines of ten columns, none of them empty, into one list; each id has a line feed before it."""
    marked = body.replace("\n", "\t\n")
    if "\t\t" in marked or marked.endswith("\t"):
        return None  # an empty field
    fields = marked.split("\t")
    fields[0] = "\n" + fields[0]
    # There are as many line feeds as lines.  Where the ids, every tenth field, have one each, there are
    # none elsewhere, and every line has ten columns: comparing the ids says that too.
    return fields if len(fields) == 10 * body.count("\n") + 10 else None


def _make_sentence(fields: list[str], comments: list[str], asides: Asides, format: Format) -> Sentence | None:
    """Make a sentence of words whose ids are right, unless their heads are not."""
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
    """Find words that are their own ancestors, in the order of their heads; empty where there are none.

    Examples
    --------
    >>> find_cycle([2, 0, 4, 3])
    [3, 4]
    >>> find_cycle([2, -1, 2])
    []
    """
    parents = [0, *heads]
    if -1 in parents:
        parents = [max(head, 0) for head in parents]  # a word without a head ends a path, as the root does
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


def _set_aside(fields: list[str]) -> tuple[list[str], Asides]:
    """Take the multiword tokens and empty nodes out of the fields of a sentence."""
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
    """Find the first multiword token or empty node that is wrong: its index in ``asides``, and why.

    Parameters
    ----------
    asides : sequence of (int, str)
        Lines, each with the number of words before it.
    n : int
        The number of words of the sentence.
    """
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


def shorten(text: str) -> str:
    """Quote a text in a message, of whatever length."""
    return repr(text if len(text) <= 20 else text[:20] + "...")


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
