"""The dictionaries of documents of Stanza (``Document.to_dict()``), both ways; Stanza need not be installed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from treewright.errors import UsageError
from treewright.treebank import Sentence
from treewright.treebank.conllu.columns import find_cycle
from treewright.treebank.conllu.tokens import multiword_tokens

__all__ = ["from_dicts", "to_dicts"]

#: The entries of a word → the columns of a sentence.
_COLUMNS = {
    **{"text": "forms", "lemma": "lemmas", "upos": "upos", "xpos": "xpos", "feats": "feats"},
    **{"deprel": "deprels", "deps": "deps", "misc": "misc"},
}


def to_dicts(sentences: Sentence | Iterable[Sentence]) -> list[list[dict[str, Any]]]:
    """Describe sentences as Stanza does: a dictionary for each word, and one before the words of a multiword token.

    ``stanza.Document(to_dicts(sentences))`` is a document.  What is not given is left out, and so are comments and
    empty nodes.  Sentences that were found in raw text have ``start_char`` and ``end_char``.

    Examples
    --------
    >>> to_dicts(Sentence.from_forms(["Go", "!"], heads=[0, 1], misc=["SpaceAfter=No", "_"]))
    [[{'id': 1, 'text': 'Go', 'head': 0, 'misc': 'SpaceAfter=No'}, {'id': 2, 'text': '!', 'head': 1}]]
    """
    return [_dicts(one) for one in ([sentences] if isinstance(sentences, Sentence) else sentences)]


def from_dicts(document: Iterable[Sequence[Mapping[str, Any]]]) -> list[Sentence]:
    """Make sentences of the dictionaries of a document, such as ``stanza_document.to_dict()``.

    Places in the text become `Sentence.ranges` if every word has one.  Named entities (``ner``) go to MISC.

    Raises
    ------
    UsageError
        If the words of a sentence are not numbered from 1, or their heads do not form a tree.

    Examples
    --------
    >>> [sentence] = from_dicts([[{"id": (1, 2), "text": "du"}, {"id": 1, "text": "de"}, {"id": 2, "text": "le"}]])
    >>> sentence.forms, sentence.asides[0][1].split()[:2]
    (['de', 'le'], ['1-2', 'du'])
    """
    return [_sentence(list(one), number) for number, one in enumerate(document, 1)]


def _dicts(sentence: Sentence) -> list[dict[str, Any]]:
    ranges: Sequence[Any] = [None] * len(sentence) if sentence.ranges is None else sentence.ranges.tolist()
    tokens = {token.first: token for token in multiword_tokens(sentence)}
    found: list[dict[str, Any]] = []
    inside = 0  # the last word of the multiword token before
    for i, head in enumerate(sentence.heads.tolist()):
        if token := tokens.get(i + 1):
            about = {"id": (token.first, token.last), "text": token.form, "misc": _given(token.misc)}
            found.append(_without_none(about | _placed(ranges[i])))
            inside = token.last
        values = {name: _given(getattr(sentence, column)[i]) for name, column in _COLUMNS.items()}
        word = {"id": i + 1, **values, "text": sentence.forms[i], "head": None if head < 0 else head}
        order = ("id", "text", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
        word = {name: word[name] for name in order}
        found.append(_without_none(word | (_placed(ranges[i]) if i + 1 > inside else {})))
    return found


def _given(value: str) -> str | None:
    return None if value == "_" else value


def _placed(range: Sequence[int] | None) -> dict[str, int]:
    return {} if range is None else {"start_char": range[0], "end_char": range[1]}


def _without_none(about: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in about.items() if value is not None}


def _sentence(entries: Sequence[Mapping[str, Any]], number: int) -> Sentence:
    asides, words, ranges = list[tuple[int, str]](), list[Mapping[str, Any]](), list[tuple[int, int] | None]()
    last, outer = 0, None  # the multiword token that the words to come are in
    for entry in entries:
        numbers = _numbers(entry.get("id"), number)
        if len(numbers) == 2:
            asides.append(
                (len(words), "\t".join([f"{numbers[0]}-{numbers[1]}", _text(entry, "text"), *"_______", _misc(entry)]))
            )
            last, outer = numbers[1], _range(entry)
            continue
        words.append(entry)
        if numbers != [len(words)]:
            raise UsageError(f"sentence {number} has word {numbers[0]} where word {len(words)} was expected")
        ranges.append((outer if len(words) <= last else None) or _range(entry))
    columns = {column: [_text(word, name) for word in words] for name, column in _COLUMNS.items()}
    columns["misc"] = list(map(_misc, words))
    heads = [-1 if word.get("head") is None else int(word["head"]) for word in words]
    if heads and (min(heads) < -1 or max(heads) > len(heads) or find_cycle(heads)):
        raise UsageError(f"the heads of sentence {number} do not form a tree")
    places = None if None in ranges or not ranges else np.array(ranges, np.int64)
    return Sentence.from_forms(columns.pop("forms"), heads=heads, asides=asides, ranges=places, **columns)


def _numbers(identifier: Any, number: int) -> list[int]:
    """Return the id of a word, or the first and last word of a token."""
    try:
        found = [int(one) for one in (identifier if isinstance(identifier, Sequence) else [identifier])]
    except (TypeError, ValueError):
        found = []
    if len(found) not in (1, 2):
        raise UsageError(f"sentence {number} has a word with the id {identifier!r}")
    return found


def _text(entry: Mapping[str, Any], name: str) -> str:
    value = entry.get(name)
    return "_" if value is None or value == "" else str(value)


def _misc(entry: Mapping[str, Any]) -> str:
    entries = [] if _text(entry, "misc") == "_" else [_text(entry, "misc")]
    return "|".join([*entries, *([f"ner={entry['ner']}"] if entry.get("ner") else [])]) or "_"


def _range(entry: Mapping[str, Any]) -> tuple[int, int] | None:
    start, end = entry.get("start_char"), entry.get("end_char")
    return None if start is None or end is None else (int(start), int(end))
