"""Sentences as plain data, the way JSON has them: what programs in any language read and write."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from treewright.errors import UsageError
from treewright.treebank.conllu.confidence import read_confidence
from treewright.treebank.conllu.table import word_columns
from treewright.treebank.conllu.tokens import multiword_tokens
from treewright.treebank.conllu.writer import format_sentence
from treewright.treebank.sentence import Sentence

__all__ = ["from_json", "to_json"]


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} has no form in JSON")
    return value


#: Comments that are kept in JSON → what their values are.
_KEPT: dict[str, Callable[[str], Any]] = {
    "newdoc id": str,
    "newpar": lambda text: text or True,
    "language": str,
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
    columns = word_columns(sentence)
    noted = [read_confidence(misc).rivals for misc in sentence.misc]
    columns["alternatives"] = [[{"head": h, "deprel": r, "p": p} for h, r, p in rivals] or None for rivals in noted]
    columns["misc"] = columns.pop("misc")  # at the end
    described["words"] = [
        {name: column[i] for name, column in columns.items() if column[i] is not None} for i in range(len(sentence))
    ]
    tokens = list(multiword_tokens(sentence))
    if tokens:
        described["tokens"] = [{"words": f"{token.first}-{token.last}", "form": token.form} for token in tokens]
    return described


#: Comments that plain data may have, by their names there.
_COMMENTS = {"newdoc_id": "newdoc id", "newpar": "newpar", "sent_id": "sent_id", "text": "text", "language": "language"}

#: Columns of words that plain data may have, by their names there.
_COLUMNS = {
    "form": "forms",
    "lemma": "lemmas",
    "upos": "upos",
    "xpos": "xpos",
    "feats": "feats",
    "deprel": "deprels",
    "deps": "deps",
    "misc": "misc",
}


def from_json(described: object) -> Sentence:
    """Make a sentence of plain data, as `to_json` describes it; what it says of probabilities is left out.

    A word that has nothing but its form may be that string.

    Raises
    ------
    UsageError
        If it describes no sentence that could be written.

    Examples
    --------
    >>> from_json({"words": ["Trees", {"form": "grow", "upos": "VERB", "head": 0}]}).heads.tolist()
    [-1, 0]
    """
    if not isinstance(described, dict) or not isinstance(described.get("words"), list):
        raise UsageError("a sentence is an object with a list of words")
    words = [_word(number, one) for number, one in enumerate(described["words"], 1)]
    columns = {name: [word.get(key, "_") for word in words] for key, name in _COLUMNS.items()}
    comments = []
    for key, name in _COMMENTS.items():
        value = described.get(key)
        if isinstance(value, str) or (key == "newpar" and value is True):
            comments.append(f"# {name} = {value}" if isinstance(value, str) else f"# {name}")
    forms, heads = columns.pop("forms"), [word.get("head", -1) for word in words]
    asides = [_aside(token) for token in _tokens(described)]
    sentence = Sentence.from_forms(forms, heads=heads, comments=comments, asides=asides, **columns)
    format_sentence(sentence)  # which refuses what could not be read back
    return sentence


def _word(number: int, described: object) -> dict[str, Any]:
    """Check the types of what is said of a word."""
    word = {"form": described} if isinstance(described, str) else described
    if not isinstance(word, dict) or not isinstance(word.get("form"), str):
        raise UsageError(f"word {number} is no object with a form")
    for key in _COLUMNS:
        if not isinstance(word.get(key, "_"), str):
            raise UsageError(f"{key} of word {number} must be a string")
    head = word.get("head", -1)
    if not isinstance(head, int) or isinstance(head, bool) or not -1 <= head < 1 << 31:
        raise UsageError(f"head of word {number} must be the number of a word, or 0")
    return word


def _tokens(described: dict[str, Any]) -> list[Any]:
    tokens = described.get("tokens", [])
    if not isinstance(tokens, list):
        raise UsageError("tokens must be a list")
    return tokens


def _aside(token: object) -> tuple[int, str]:
    """Make the line of a multiword token."""
    words, form = (token.get("words"), token.get("form")) if isinstance(token, dict) else (None, None)
    match = re.fullmatch(r"([1-9][0-9]{0,6})-[1-9][0-9]{0,6}", words) if isinstance(words, str) else None
    if match is None or not isinstance(form, str):
        raise UsageError('a token is an object such as {"words": "1-2", "form": "don\'t"}')
    return int(match[1]) - 1, "\t".join([str(words), form, *"________"])
