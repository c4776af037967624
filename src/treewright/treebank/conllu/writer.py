"""Write CoNLL-U and CoNLL-X: what was read is written unchanged, and what is written can be read back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

from treewright.errors import UsageError
from treewright.files import PathLike
from treewright.treebank.conllu.blocks import MAX_LINES
from treewright.treebank.conllu.columns import HEAD_TEXTS, check_lengths, find_aside_fault, find_cycle
from treewright.treebank.conllu.layout import restore
from treewright.treebank.conllu.reader import check_format
from treewright.treebank.reading import BOM
from treewright.treebank.sentence import Format, Sentence
from treewright.treebank.writing import write_texts

__all__ = ["format_sentence", "write"]

_IDS = [str(i) for i in range(1, MAX_LINES + 1)]
_COLUMNS = ("forms", "lemmas", "upos", "xpos", "feats", "heads", "deprels", "deps", "misc")


def write(sentences: Iterable[Sentence], target: PathLike | BinaryIO, format: Format = "conllu") -> int:
    """Write sentences to a file or a binary stream, and return how many there were.

    A file is compressed if its name ends in ``.gz`` or ``.xz``.  It appears only once the last sentence has been
    written: after an error there is no partial file, and an old file of that name is unchanged.

    Parameters
    ----------
    sentences : iterable of Sentence
        Taken one at a time.
    target : path or binary stream
        Where to write; a stream is left open.
    format : {"conllu", "conllx"}
        The format to write.

    Raises
    ------
    UsageError
        If the file cannot be written, or a sentence could not be read back.

    Examples
    --------
    >>> import io, pathlib
    >>> from treewright.treebank import read
    >>> stream = io.BytesIO()
    >>> write(read("tests/data/nonprojective.conllu"), stream)
    1
    >>> stream.getvalue() == pathlib.Path("tests/data/nonprojective.conllu").read_bytes()
    True
    """
    check_format(format)
    return write_texts(_texts(sentences, format), target, "sentence")


def _texts(sentences: Iterable[Sentence], format: Format) -> Iterator[str]:
    """Yield the lines of sentences, kept apart by blank lines."""
    text: str | None = None
    for sentence in sentences:
        lines = format_sentence(sentence, format)
        text = lines if text is None else _missing_end(text) + lines.removeprefix(BOM)
        yield text


def _missing_end(text: str) -> str:
    """Return what is missing at the end of a sentence that another one follows."""
    if text.endswith(("\n\n", "\n\r\n")) or not text:
        return ""
    return "\n" if text.endswith("\n") else "\n\n"


def format_sentence(sentence: Sentence, format: Format = "conllu") -> str:
    r"""Return the lines of a sentence as they are written to a file, with the blank line after them.

    A sentence that was read in the other format gets the usual layout, and ``_`` in its last two columns, whose meaning
    differs.  CoNLL-X has no comments, multiword tokens or empty nodes, so they are left out.

    Raises
    ------
    UsageError
        If the lines could not be read back: a field is empty or has a tab in it, or the heads form a cycle.

    Examples
    --------
    >>> sentence = Sentence.from_forms(["Go"], heads=[0], deprels=["root"])
    >>> format_sentence(sentence).replace(chr(9), " ")
    '1 Go _ _ _ _ 0 root _ _\n\n'
    """
    check_format(format)
    if sentence.format != format:
        blank = ("_",) * len(sentence)
        sentence = sentence.replace(deps=blank, misc=blank, layout=None, format=format)
    lines = _word_lines(sentence)
    if format == "conllx":
        return restore(lines, sentence.layout)
    if sentence.asides:
        lines = _with_asides(lines, sentence.asides)
    if sentence.comments:
        _check_comments(sentence.comments)
        lines = [*sentence.comments, *lines]
    return restore(lines, sentence.layout)


def _word_lines(sentence: Sentence) -> list[str]:
    n = len(sentence)
    if n > MAX_LINES:
        raise UsageError(f"a sentence of {n} words; at most {MAX_LINES:,} can be read back")
    check_lengths(sentence, _COLUMNS)
    heads = sentence.heads.tolist()
    if n and (min(heads) < -1 or max(heads) > n or find_cycle(heads)):
        raise UsageError(f"heads {_shorten(heads)} do not form a tree over {n} words")
    columns = [
        _IDS[:n],
        sentence.forms,
        sentence.lemmas,
        sentence.upos,
        sentence.xpos,
        sentence.feats,
        map(HEAD_TEXTS.__getitem__, heads),
        sentence.deprels,
        sentence.deps,
        sentence.misc,
    ]
    lines = list(map("\t".join, zip(*columns, strict=True)))
    if n and not _can_be_read("\n".join(lines), n):
        raise UsageError(_field_fault(sentence))
    return lines


def _can_be_read(text: str, n: int) -> bool:
    """Check whether the lines of n words have ten non-empty columns each."""
    if text.count("\t") != 9 * n or text.count("\n") != n - 1 or "\r" in text or "\0" in text:
        return False
    return not ("\t\t" in text or "\t\n" in text or text.endswith("\t"))


def _with_asides(words: list[str], asides: Sequence[tuple[int, str]]) -> list[str]:
    """Put the multiword tokens and empty nodes back among the words."""
    if (fault := find_aside_fault(asides, len(words))) is not None:
        raise UsageError(f"{fault[1]}; clear asides after adding or removing words")
    lines: list[str] = []
    done = 0
    for position, line in asides:
        lines += words[done:position]
        lines.append(line)
        done = position
    return lines + words[done:]


def _check_comments(comments: Sequence[str]) -> None:
    for comment in comments:
        if not comment.startswith("#") or any(character in comment for character in "\n\r\0"):
            raise UsageError(f"{_shorten(comment)} is not a comment; it must be one line that starts with #")


def _field_fault(sentence: Sentence) -> str:
    """Find the field that cannot be written."""
    for name in _COLUMNS:
        if name == "heads":
            continue
        for i, value in enumerate(getattr(sentence, name), 1):
            if not value or any(character in value for character in "\t\n\r\0"):
                fault = "has a tab, line end or NUL in it" if value else "is empty; write _ for nothing"
                return f"word {i} cannot be written: its entry {_shorten(value)} in {name} {fault}"
    raise AssertionError("refused for an unknown reason")  # pragma: no cover


def _shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
