"""Requests as they come in, JSON, and as they are worked on: typed, checked, and documented in one place.

A request is a class of `treewright.options.Options`: from its fields come the checks here and the description in
`treewright.server.openapi`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from treewright.errors import UsageError
from treewright.options import Kind, Options, kinds_of, option
from treewright.server.errors import ServiceError

__all__ = [
    "INPUTS",
    "ConstituentsRequest",
    "DualRequest",
    "EvaluationRequest",
    "ParseRequest",
    "TextRequest",
    "load_json",
    "make_request",
    "read_request",
]

R = TypeVar("R", bound=Options)

#: The fields of a request that may have its input, of which it has one.
INPUTS = ("text", "conllu", "sentences")


@dataclass(frozen=True)
class TextRequest(Options):
    """What every request for trees has: a model, and one of three kinds of input."""

    model: str | None = option(None, "The name of a model of /api/models.", shown="the first of its kind")
    text: str | None = option(None, "Raw text, which is cut into sentences and words.")
    conllu: str | None = option(None, "Sentences as CoNLL-U.")
    sentences: list[Any] | None = option(
        None,
        "Sentences as the answers have them: objects with words, which have a form, and may have lemma, upos, xpos, "
        "feats, head and deprel. A word may also be a string.",
    )
    lines: bool = option(False, "Whether each line of the text is a sentence.")
    keep_tags: bool = option(False, "Keep the tags of the input, and find those of words without any.")
    stream: bool = option(False, "Answer with a line of JSON for each sentence, as soon as it is parsed.")

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [name for name in INPUTS if getattr(self, name) is not None]
        if len(given) != 1:
            raise UsageError(f"give one of text, conllu and sentences, not {' and '.join(given) or 'none of them'}")
        if self.keep_tags and self.text is not None:
            raise UsageError("keep_tags is for conllu and sentences: raw text has no tags")


@dataclass(frozen=True)
class ParseRequest(TextRequest):
    """What is asked of a model of dependencies."""

    complete: bool = option(False, "Keep tags, heads and relations of the input, and find those that are missing.")
    confidence: bool | None = option(
        None, "Give the probabilities of heads, relations, tags and the tree.", shown="if the model has any"
    )
    alternatives: int = option(0, "Of doubtful words, give this many other heads and relations.", min=0, max=20)
    k: int = option(1, "Give this many trees of each sentence, best first.", min=1, max=100)
    exact: bool = option(False, "Search on until every tree is proved to be the best (nonprojective models).")
    constraints: Any = option(
        None,
        "What the trees must obey: one object for all sentences, or a list with an object or null for each. It has "
        "lists: required and forbidden arcs [head, word], labels and forbidden_labels [head or null, word, label], "
        "spans [first, last], at_most_one label, projective words.",
    )
    marginals: bool = option(False, "Give the probability of every head 0…n of every word, in a matrix.")
    format: Literal["json", "conllu", "svg", "latex"] = option(
        "json", "What to answer with; svg and latex are pictures of one sentence."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.complete and self.text is not None:
            raise UsageError("complete is for conllu and sentences: raw text has no heads")
        if self.stream and self.format != "json":
            raise UsageError("a stream is of JSON: leave out format, or stream")
        if self.exact and self.k > 1:
            raise UsageError("the k best trees are exact in any case: leave out exact")


@dataclass(frozen=True)
class ConstituentsRequest(TextRequest):
    """What is asked of a model of constituents."""

    k: int = option(1, "Give this many trees of each sentence, best first, with their probabilities.", min=1, max=100)
    confidence: bool = option(False, "Give the probability of the tree.")


@dataclass(frozen=True)
class DualRequest(TextRequest):
    """A sentence on which dual decomposition is shown; of several, it is the first."""


@dataclass(frozen=True)
class EvaluationRequest(Options):
    """Trees to be judged, and those they should be."""

    gold: str = option("", "The gold standard, as CoNLL-U.")
    system: str = option("", "The same text, parsed, as CoNLL-U.")
    subtypes: bool = option(True, "Compare whole relations such as nmod:poss, or only nmod.")


def load_json(body: bytes) -> Any:
    """Read JSON; what is none, or is nested too deeply, is refused."""
    try:
        data = json.loads(body, parse_constant=_refuse_constant)
        if rb"\u" in body:
            json.dumps(data, ensure_ascii=False).encode()  # fails for halves of characters
        return data
    except (ValueError, RecursionError) as error:
        reason = str(error)
        if isinstance(error, RecursionError):
            reason = "nested too deeply"
        elif "int_max_str_digits" in reason:
            reason = "a number has too many digits"
        raise ServiceError("bad_json", f"the request is not JSON in UTF-8: {reason}") from None


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number in JSON")


def read_request(kind: type[R], body: bytes) -> R:
    """Make a request of what came in.

    Examples
    --------
    >>> read_request(ParseRequest, b'{"text": "Trees grow.", "k": 3}').k
    3
    >>> read_request(ParseRequest, b'{"text": "Trees grow.", "k": "3"}')
    Traceback (most recent call last):
    treewright.server.errors.ServiceError: k must be a whole number, not '3'
    """
    return make_request(kind, load_json(body))


def make_request(kind: type[R], data: Any) -> R:
    """Make a request of plain data."""
    if not isinstance(data, dict):
        raise ServiceError("bad_request", "a request is an object with names and values")
    kinds = kinds_of(kind)
    if unknown := [name for name in data if name not in kinds]:
        raise ServiceError("bad_request", f"there is no {unknown[0][:40]!r}: there are {', '.join(kinds)}")
    values = {name: _checked(name, kinds[name], value) for name, value in data.items() if value is not None}
    try:
        return kind(**values)
    except UsageError as error:
        raise ServiceError("bad_request", str(error)) from None


#: What may stand in a field of some type, and what to call it.
_TYPES: Mapping[Any, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    str: ((str,), "a string"),
}


def _checked(name: str, kind: Kind, value: Any) -> Any:
    """Refuse a value of another type."""
    types, noun = ((str,), "a string") if kind.choices else _TYPES.get(kind.type, ((object,), ""))
    if kind.type == list[Any]:
        types, noun = (list,), "a list"
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types and object not in types):
        raise ServiceError("bad_request", f"{name} must be {noun}, not {_shortened(value)}")
    return value


def _shortened(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
