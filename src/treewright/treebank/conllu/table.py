r"""Sentences as a table with a row for each word: what data frames hold, and a text of it for spreadsheets.

Cells are separated by tabs and quoted as in CSV where they have quotation marks.  Spreadsheets take a cell such as
``=1+1`` or ``@SUM(A1)`` for a formula; it gets an apostrophe in front, and so does one that has apostrophes before
such a beginning.  So `plain_cell` finds the text again, and nothing else is ever changed: ``-``, ``--`` and ``=)``
name nothing, so that they are no formulas, and ``'s`` is no apostrophe of ours.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from typing import Any

from treewright.treebank.conllu.columns import check_lengths
from treewright.treebank.conllu.confidence import read_confidence
from treewright.treebank.conllu.doubts import numbers_of
from treewright.treebank.sentence import Sentence

__all__ = ["COLUMNS", "format_rows", "plain_cell", "sentence_id", "table_of_rows", "word_columns"]

#: The columns of a table: of the sentence, of the word, and what a parser notes of its doubts.
COLUMNS = (
    *("sentence", "sent_id", "tree"),
    *("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"),
    *("head_p", "label_p", "tag_p"),
)

_FORMULA = re.compile(r"'*\s*[=+\-@＝＋－＠].*\w", re.DOTALL)
_BREAKS = re.compile(r"[\t\n\r\0]")


def word_columns(sentence: Sentence) -> dict[str, list[Any]]:
    """Return the columns of a sentence by name, with None for what is not given, and probabilities as numbers.

    Examples
    --------
    >>> columns = word_columns(Sentence.from_forms(["Go"], heads=[0], misc=["SpaceAfter=No|Confidence=0.9"]))
    >>> columns["head"], columns["head_p"], columns["misc"], columns["lemma"]
    ([0], [0.9], ['SpaceAfter=No'], [None])
    """
    check_lengths(sentence, ("lemmas", "upos", "xpos", "feats", "heads", "deprels", "deps", "misc"))
    noted = list(map(read_confidence, sentence.misc))
    columns: dict[str, list[Any]] = {
        "lemma": list(sentence.lemmas),
        "upos": list(sentence.upos),
        "xpos": list(sentence.xpos),
        "feats": list(sentence.feats),
        "head": sentence.heads.tolist(),
        "deprel": list(sentence.deprels),
        "deps": list(sentence.deps),
        "misc": [one.rest for one in noted],
        "head_p": [one.head for one in noted],
        "label_p": [one.relation for one in noted],
        "tag_p": [one.tag for one in noted],
    }
    for name, column in columns.items():
        columns[name] = [None if value in ("_", -1) else value for value in column]
    return {"id": list(range(1, len(sentence) + 1)), "form": list(sentence.forms), **columns}


def sentence_id(sentence: Sentence) -> str | None:
    """Return the name of a sentence, from its comment ``# sent_id``."""
    for comment in sentence.comments:
        name, equals, value = comment[1:].partition("=")
        if equals and name.strip() == "sent_id":
            return value.strip()
    return None


def format_rows(sentence: Sentence) -> str:
    """Write the rows of a sentence.

    The first cell of a row says how many sentences begin there: 1 or 0.  Of the k best trees of a sentence, which
    follow each other, the first begins it.  `table_of_rows` counts them.
    """
    text = io.StringIO()
    writer = csv.writer(text, "excel-tab", lineterminator="\n")
    words, rank = word_columns(sentence), numbers_of(sentence).rank
    begins = int(rank is None or rank == 1)
    for word in zip(*(words[name] for name in COLUMNS[3:]), strict=True):
        writer.writerow([begins, _cell(sentence_id(sentence)), rank, *map(_cell, word)])
        begins = 0
    return text.getvalue()


def table_of_rows(texts: Iterable[str]) -> Iterator[str]:
    r"""Put a line with the names of the columns above rows, and number the sentences.

    Examples
    --------
    >>> *_, last = table_of_rows([format_rows(Sentence.from_forms(["Go"])), format_rows(Sentence.from_forms(["Stop"]))])
    >>> last[:11]
    '2\t\t\t1\tStop\t'
    """
    yield "\t".join(COLUMNS) + "\n"
    number = 0
    for text in texts:
        rows = []
        for row in text.split("\n")[:-1]:
            begins, cells = row.split("\t", 1)
            number += int(begins)
            rows.append(f"{number}\t{cells}\n")
        yield "".join(rows)


def plain_cell(cell: str) -> str:
    """Return the text of a cell without the apostrophe that keeps spreadsheets from taking it for a formula.

    Examples
    --------
    >>> plain_cell("'=1+1"), plain_cell("'s"), plain_cell("-")
    ('=1+1', "'s", '-')
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell, 1) else cell


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = _BREAKS.sub(" ", value)
    return f"'{text}" if _FORMULA.match(text) else text
