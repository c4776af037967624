"""The sentences of a request: raw text that is cut, CoNLL-U that is read, or plain data; and what is too much."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from treewright.errors import UsageError
from treewright.server.errors import ServiceError
from treewright.server.requests import TextRequest
from treewright.server.resources import Resources
from treewright.tokenization import Splitter, tokenize, tokenize_lines
from treewright.treebank import Sentence, read_string
from treewright.treebank.conllu.plain_data import from_json

__all__ = ["sentences_in", "sentences_of", "within_limits"]


def sentences_of(request: TextRequest, splitter: Splitter, at_hand: Resources) -> list[Sentence]:
    """Find the sentences of a request, if they are not too many or too long."""
    return within_limits(_find(request, splitter), at_hand)


def _find(request: TextRequest, splitter: Splitter) -> Iterable[Sentence]:
    if request.text is not None:
        return sentences_in(request.text, splitter, request.lines)
    if request.conllu is not None:
        return read_string(request.conllu.replace("\r\n", "\n"))
    return _from_data(request.sentences or ())


def sentences_in(text: str, splitter: Splitter, a_line_is_one: bool) -> Iterable[Sentence]:
    """Cut raw text into sentences; its lines are those of a file with this text, which U+2028 does not end."""
    return tokenize_lines(text.split("\n"), splitter) if a_line_is_one else tokenize(text, splitter)


def _from_data(described: Sequence[Any]) -> Iterable[Sentence]:
    for number, one in enumerate(described, 1):
        try:
            yield from_json(one)
        except UsageError as error:
            raise ServiceError("bad_request", f"sentence {number}: {error}") from None


def within_limits(sentences: Iterable[Sentence], at_hand: Resources) -> list[Sentence]:
    """List sentences; refuse too many, and too long ones."""
    found, settings = list[Sentence](), at_hand.settings
    for sentence in sentences:
        found.append(sentence)
        n, words = len(found), len(sentence)
        if n > settings.max_sentences:
            limit = settings.max_sentences
            message = f"there are more than {limit:,} sentences: send them in several requests"
            raise ServiceError("too_many_sentences", message, limit=limit)
        if words > settings.max_words:
            limit = settings.max_words
            message = f"sentence {n} has {words:,} words, and at most {limit:,} are parsed here"
            raise ServiceError("sentence_too_long", message, limit=limit, sentence=n)
    at_hand.metrics.count_work(len(found), sum(map(len, found)))
    return found
