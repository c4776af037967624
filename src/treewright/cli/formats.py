"""What sentences look like on the way out, CoNLL-U, JSON lines, or trees drawn in the terminal, and where they go."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from treewright.dependency.annotation import with_ranks
from treewright.errors import UsageError
from treewright.files import atomic_output
from treewright.options import in_words
from treewright.parsing import Ranked
from treewright.treebank import Sentence, draw, format_sentence
from treewright.treebank.conllu.confidence import read_confidence
from treewright.treebank.terminal import make_printable

__all__ = ["FORMATS", "choose_format", "destination", "format_k_best", "to_json"]


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} has no form in JSON")
    return value


#: Comments that are kept in JSON → what their values are.
_KEPT: dict[str, Callable[[str], Any]] = {
    "newdoc id": str,
    "newpar": lambda text: text or True,
    "sent_id": str,
    "text": str,
    "tree": int,
    "probability": _finite,
    "expected_errors": _finite,
}

#: Comments that have another name in JSON.
_NAMES = {"newdoc id": "newdoc_id", "probability": "tree_p"}


def to_json(sentence: Sentence) -> dict[str, Any]:
    """Describe a sentence as plain data; what is not given is left out.

    Probabilities are numbers: ``tree_p`` of the whole tree; ``head_p``, ``label_p`` and ``tag_p`` of each word, with
    the ``alternatives`` to its head and relation.

    Examples
    --------
    >>> sentence = Sentence.from_forms(["Go"], heads=[0], deprels=["root"], comments=["# sent_id = 7"])
    >>> to_json(sentence)
    {'sent_id': '7', 'words': [{'id': 1, 'form': 'Go', 'head': 0, 'deprel': 'root'}]}
    """
    described: dict[str, Any] = {}
    for comment in sentence.comments:
        key, equals, value = (part.strip() for part in comment[1:].partition("="))
        if key in _KEPT and (equals or key == "newpar"):
            with suppress(ValueError):  # a comment of somebody else
                described[_NAMES.get(key, key)] = _KEPT[key](value)
    noted = list(map(read_confidence, sentence.misc))
    columns = {
        "lemma": sentence.lemmas,
        "upos": sentence.upos,
        "xpos": sentence.xpos,
        "feats": sentence.feats,
        "head": sentence.heads.tolist(),
        "deprel": sentence.deprels,
        "deps": sentence.deps,
        "head_p": [one.head for one in noted],
        "label_p": [one.relation for one in noted],
        "tag_p": [one.tag for one in noted],
        "alternatives": [[{"head": h, "deprel": r, "p": p} for h, r, p in one.rivals] or None for one in noted],
        "misc": [one.rest for one in noted],
    }
    described["words"] = [
        {
            "id": i + 1,
            "form": form,
            **{name: column[i] for name, column in columns.items() if column[i] not in ("_", -1, None)},
        }
        for i, form in enumerate(sentence.forms)
    ]
    tokens = [line.split("\t") for _, line in sentence.asides if "-" in line.split("\t", 1)[0]]
    if tokens:
        described["tokens"] = [{"words": fields[0], "form": fields[1]} for fields in tokens]
    return described


def _json_line(sentence: Sentence) -> str:
    return json.dumps(to_json(sentence), ensure_ascii=False) + "\n"


def _picture(sentence: Sentence) -> str:
    about = to_json(sentence)
    title = make_printable(sentence.text or "")
    if "tree" in about and "tree_p" in about:
        title += f"  (tree {about['tree']}, probability {about['tree_p']:.4g})"
    elif "tree_p" in about and "expected_errors" in about:
        title += f"  (probability {about['tree_p']:.2g}, {about['expected_errors']:.2g} errors expected)"
    picture = draw(sentence, dimmed=sys.stdout.isatty() and "NO_COLOR" not in os.environ)
    return (f"{title}\n\n" if title else "") + picture + "\n\n"


#: The name of a format → how a sentence is written in it.
FORMATS: dict[str, Callable[[Sentence], str]] = {
    "conllu": format_sentence,
    "conllx": partial(format_sentence, format="conllx"),
    "json": _json_line,
    "tree": _picture,
}


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
}

#: What people also expect a command to write, which none does.
_OTHERS = "bib csv docx htm html md pdf png svg tex tsv xlsx xml yaml yml"


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
