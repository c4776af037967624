"""What sentences look like on the way out, CoNLL-U, JSON lines, tables or drawn trees, and where they go."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import BinaryIO

from treewright.dependency.annotation import with_ranks
from treewright.errors import UsageError
from treewright.files import atomic_output
from treewright.options import in_words
from treewright.parsing import Ranked
from treewright.treebank import Sentence, draw_text, format_sentence
from treewright.treebank.conllu.doubts import caption_of
from treewright.treebank.conllu.plain_data import to_json
from treewright.treebank.conllu.table import format_rows, table_of_rows
from treewright.treebank.pictures import WHOLES as PICTURES
from treewright.treebank.pictures import draw_one
from treewright.treebank.terminal import make_printable

__all__ = ["FORMATS", "WHOLES", "choose_format", "destination", "format_k_best"]


def _json_line(sentence: Sentence) -> str:
    return json.dumps(to_json(sentence), ensure_ascii=False) + "\n"


def _picture(sentence: Sentence) -> str:
    title, about = make_printable(sentence.text or ""), caption_of(sentence)
    title += f"  ({about})" if about else ""
    picture = draw_text(sentence, dimmed=sys.stdout.isatty() and "NO_COLOR" not in os.environ)
    return (f"{title}\n\n" if title else "") + picture + "\n\n"


#: The name of a format → how a sentence is written in it.
FORMATS: dict[str, Callable[[Sentence], str]] = {
    "conllu": format_sentence,
    "conllx": partial(format_sentence, format="conllx"),
    "json": _json_line,
    "tree": _picture,
    "svg": partial(draw_one, format="svg"),
    "html": partial(draw_one, format="html"),
    "latex": partial(draw_one, format="latex"),
    "tsv": format_rows,
}

#: The name of a format whose files have a beginning or an end → what makes a file of the texts of its sentences.
WHOLES: dict[str, Callable[[Iterable[str]], Iterator[str]]] = {**PICTURES, "tsv": table_of_rows}


def format_k_best(to: str, trees: Sequence[Ranked[Sentence]]) -> str:
    """Format the k best trees of a sentence, each with its rank and probability in comments."""
    return "".join(map(FORMATS[to], with_ranks(trees)))


#: How the name of a file ends → the format that it is of.
_SUFFIXES = {
    ".conllu": "conllu",
    ".conll": "conllx",
    ".conllx": "conllx",
    ".json": "json",
    ".jsonl": "json",
    ".mrg": "brackets",
    ".ptb": "brackets",
    ".penn": "brackets",
    ".brackets": "brackets",
    ".svg": "svg",
    ".html": "html",
    ".htm": "html",
    ".tex": "latex",
    ".tsv": "tsv",
}

#: What people also expect a command to write, which none does.
_OTHERS = "bib csv docx md pdf png xlsx xml yaml yml"


def choose_format(wanted: str | None, output: Path | None, formats: Sequence[str], terminal: str = "tree") -> str:
    """Return the format that is wanted, or that the name of the output says; else the first of the formats.

    On a terminal it is another, a drawing.  A name that says that something else should be in the file is refused.

    Examples
    --------
    >>> choose_format(None, Path("book.json.gz"), ["conllu", "json"])
    'json'
    """
    if wanted is not None:
        return wanted
    if output is None:
        return terminal if sys.stdout.isatty() else formats[0]
    suffix = Path(output.name.removesuffix(".gz").removesuffix(".xz")).suffix.lower()
    named = _SUFFIXES.get(suffix, formats[0])
    if named in formats and suffix[1:] not in _OTHERS.split():
        return named
    raise UsageError(f"{output} cannot be written as {suffix}: say with --to which of {in_words(formats)} it is to be")


def destination(output: Path | None) -> AbstractContextManager[BinaryIO]:
    """Open the file to write to, which appears when it is whole; standard output where there is none."""
    return atomic_output(output) if output is not None else nullcontext(sys.stdout.buffer)
