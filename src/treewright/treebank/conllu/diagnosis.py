"""What is wrong with a sentence, and where: called once its lines have been refused."""

from __future__ import annotations

from treewright.errors import TreebankError
from treewright.treebank.conllu.columns import HEADS, describe_cycle, find_aside_fault, find_cycle
from treewright.treebank.reading import BOM, Place, shorten
from treewright.treebank.sentence import Format

__all__ = ["diagnose"]

_NAMES = {
    "conllu": ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"),
    "conllx": ("ID", "FORM", "LEMMA", "CPOSTAG", "POSTAG", "FEATS", "HEAD", "DEPREL", "PHEAD", "PDEPREL"),
}

#: A line within the sentence counted from 0, a character within the line counted from 0, and the reason.
Fault = tuple[int, int, str]


def diagnose(body: str, format: Format, path: str, line: int) -> TreebankError:
    """Find out what is wrong with a sentence whose first line has the number ``line``."""
    lines = body.split("\n")
    fault = _control_fault(lines) or _line_fault(lines, format) or _word_fault(lines, format)
    if fault is None:  # pragma: no cover: a test checks that both readings of the format agree
        raise AssertionError(f"{path}:{line}: refused for an unknown reason")
    row, column, reason = fault
    return Place(line + row, column + 1).error(reason, path)


def _control_fault(lines: list[str]) -> Fault | None:
    for row, line in enumerate(lines):
        for character, reason in ("\0", "a NUL character"), ("\r", "a carriage return inside a line"):
            if character in line:
                return row, line.index(character), reason
        if line.startswith(BOM):
            return row, 0, "a byte-order mark inside the file"
    return None


def _line_fault(lines: list[str], format: Format) -> Fault | None:
    """Find a line that does not have ten non-empty columns."""
    has_words = False
    for row, line in enumerate(lines):
        if line.startswith("#") and not has_words and format == "conllu":
            continue
        if line.startswith("#") and line.count("\t") != 9:
            where = "after the first word" if format == "conllu" else "in CoNLL-X, which has none"
            return row, 0, f"a comment {where}"
        has_words = True
        fields = line.split("\t")
        if not line.strip():
            return row, 0, "a line of white space; a blank line must be empty"
        if len(fields) < 10:
            plural, hint = ("", "; put tabs between columns") if len(fields) == 1 else ("s", "")
            return row, len(line), f"{len(fields)} column{plural} instead of 10{hint}"
        if len(fields) > 10:
            return row, _start(line, 10), f"{len(fields)} columns instead of 10"
        if "" in fields:
            column = fields.index("")
            return row, _start(line, column), f"{_NAMES[format][column]} is empty; write _ for nothing"
    return None


def _word_fault(lines: list[str], format: Format) -> Fault | None:
    """Find what is wrong with the ids or the heads of lines that all have ten columns."""
    words: list[tuple[int, str]] = []
    asides: list[tuple[int, str]] = []
    aside_rows: list[int] = []
    for row, line in enumerate(lines):
        if line.startswith("#") and not words and not asides and format == "conllu":
            continue
        identifier = line.split("\t")[0]
        if format == "conllu" and ("-" in identifier or "." in identifier):
            asides.append((len(words), line))
            aside_rows.append(row)
            continue
        words.append((row, line))
        if identifier != str(len(words)):
            return row, 0, _id_fault(identifier, len(words), format)
    if (fault := find_aside_fault(asides, len(words))) is not None:
        return aside_rows[fault[0]], 0, fault[1]
    if not words:
        return len(lines) - 1, 0, "a sentence without words"
    return _head_fault(words)


def _id_fault(identifier: str, expected: int, format: Format) -> str:
    if format == "conllx" and ("-" in identifier or "." in identifier):
        return f"id {shorten(identifier)}: CoNLL-X has no multiword tokens and no empty nodes"
    if HEADS.get(identifier, 0) <= 0:
        return f"id {shorten(identifier)} is not a number; {expected} was expected"
    if int(identifier) < expected:
        return f"id {identifier} is given twice; {expected} was expected"
    return f"id {identifier} where {expected} was expected"


def _head_fault(words: list[tuple[int, str]]) -> Fault | None:
    heads = []
    for row, line in words:
        text = line.split("\t")[6]
        head = HEADS.get(text, len(words) + 1)
        if head > len(words):
            reason = f"head {shorten(text)} is not a number from 0 to {len(words)}, the last word"
            return row, _start(line, 6), reason
        heads.append(head)
    cycle = find_cycle(heads)
    if not cycle:
        return None
    row, line = words[min(cycle) - 1]
    return row, _start(line, 6), describe_cycle(cycle)


def _start(line: str, column: int) -> int:
    """Find the character at which a column starts."""
    return sum(len(field) + 1 for field in line.split("\t")[:column])
