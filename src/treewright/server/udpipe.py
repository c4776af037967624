"""UDPipe's REST interface: its clients ask Treewright as they ask UDPipe.

``/models`` lists what there is, and ``/process`` takes ``data`` with the parameters ``model``, ``tokenizer``,
``tagger``, ``parser``, ``input`` and ``output``, from a query or a form, and answers with JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesHeaderParser
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from treewright.parsing import TreeParser
from treewright.parsing.tags import tagged
from treewright.server.errors import ServiceError
from treewright.server.jobs import Plan
from treewright.server.models import Models
from treewright.server.resources import Resources, to_bytes
from treewright.server.sentences import sentences_in, within_limits
from treewright.server.service import Work
from treewright.tokenization import name_of_language, with_ranges
from treewright.treebank import Sentence, format_sentence, read_string

if TYPE_CHECKING:
    from starlette.types import Scope

    from treewright.server.guard import Body

__all__ = ["Process", "list_models", "parameters_of", "plan_process"]

#: Parameters at most: there are eight.
MOST = 100


def list_models(models: Models) -> dict[str, Any]:
    """List the models that find dependencies, with what each of them does."""
    names = [name for name in models if models[name].trees_found == "dependencies"]
    return {
        "models": {name: _abilities(models[name]) for name in names},
        "default_model": models.default("dependencies"),
    }


def _abilities(parser: TreeParser[Any]) -> list[str]:
    return ["tokenizer", *(["tagger"] if _tagger(parser) is not None else []), "parser"]


def _tagger(parser: TreeParser[Any]) -> Any:
    return getattr(getattr(parser, "parser", parser), "tagger", None)


class Process(Work):
    """``/process``: the parameters come from the query, from a form, or from both."""

    async def content(self, scope: Scope, body: Body) -> bytes:
        """Read what the planner is given: the query and the type of the form on the first two lines, then the form."""
        headers = dict(scope["headers"])
        first = scope["query_string"], headers.get(b"content-type", b"").replace(b"\n", b" ")
        return b"\n".join([*first, await body.read(self.service.settings.max_body)])


def plan_process(at_hand: Resources, content: bytes) -> Plan:
    """Plan the answer to ``/process``."""
    query, kind, form = content.split(b"\n", 2)
    given = parameters_of(query, kind.decode("latin-1"), form)
    if "data" not in given:
        raise ServiceError("bad_request", "the parameter data is missing: what shall be processed?")
    name = _model(given.get("model"), at_hand.models)
    parser = at_hand.models[name]
    write = _writer(given.get("output") or "conllu")
    sentences = within_limits(_read(given, parser), at_hand)
    steps = Steps(parser, "tagger" in given, "parser" in given)
    pieces = [partial(_part, steps, write, sentence) for sentence in sentences]
    info = {key: str(parser.info.get(key) or "") for key in ("attribution", "licence")}
    acknowledgements = [text for text in (info["attribution"], info["licence"]) if text]
    head = to_bytes({"model": name, "acknowledgements": acknowledgements})[:-1]
    return Plan(pieces, "application/json", head + b',"result":"', b"", b'"}')


def _part(steps: Steps, write: Callable[[Sentence], str], sentence: Sentence) -> bytes:
    """Process a sentence; the answer is one string of JSON, of which this is a part."""
    return to_bytes(write(steps(sentence)))[1:-1]


# --- what is asked ----------------------------------------------------------------------------------------------------


def parameters_of(query: bytes, kind: str, form: bytes) -> dict[str, str]:
    """Read parameters from a query and a form, of which the form goes first.

    Examples
    --------
    >>> parameters_of(b"tokenizer", "application/x-www-form-urlencoded", b"data=Trees+grow.")
    {'tokenizer': '', 'data': 'Trees grow.'}
    """
    header = Message()
    header["Content-Type"] = kind or "application/x-www-form-urlencoded"
    try:
        found = _of_query(query)
        if header.get_content_type() == "multipart/form-data":
            found |= _of_multipart(form, header.get_param("boundary"))
        elif header.get_content_type() == "application/x-www-form-urlencoded":
            found |= _of_query(form)
        elif form:
            raise ServiceError("bad_request", "a form is multipart/form-data or application/x-www-form-urlencoded")
    except ValueError as error:
        raise ServiceError("bad_request", f"the parameters cannot be read: {error}") from None
    return found


def _of_query(text: bytes) -> dict[str, str]:
    pairs = parse_qsl(text.decode("ascii").strip(), keep_blank_values=True, errors="strict", max_num_fields=MOST)
    return dict(pairs)


def _of_multipart(form: bytes, boundary: object) -> dict[str, str]:
    """Read the fields of a form in parts, each with headers of its own."""
    if not isinstance(boundary, str) or not boundary:
        raise ValueError("the type of the form does not say where its parts end")
    _, *parts = (b"\r\n" + form).split(b"\r\n--" + boundary.encode("latin-1"), MOST + 1)
    if not parts or not parts[-1].startswith(b"--"):
        raise ValueError("the last part of the form is not whole, or there are too many")
    found = {}
    for part in parts[:-1]:
        head, blank, value = part.lstrip(b" \t").removeprefix(b"\r\n").partition(b"\r\n\r\n")
        headers = BytesHeaderParser().parsebytes(head + blank)
        name = headers.get_param("name", header="Content-Disposition")
        encoding = str(headers.get("Content-Transfer-Encoding", "8bit")).strip().lower()
        if not isinstance(name, str) or not blank:
            raise ValueError("a part of the form has no name")
        if encoding not in ("7bit", "8bit", "binary"):
            raise ValueError(f"a part of the form is encoded as {encoding[:40]!r}, and not plain")
        found[name] = value.decode()
    return found


def _model(wanted: str | None, models: Models) -> str:
    """Find a model by its name, its first words, or a language: UDPipe's begin with one: ``english-ewt-ud-2.15``."""
    if wanted and wanted not in models:
        for name, parser in models.items():
            if parser.trees_found == "dependencies" and name.startswith(f"{wanted}-"):
                return name
        language = wanted.split("-")[0].lower()
        for name, parser in models.items():
            known = parser.language and (parser.language.lower(), name_of_language(parser.language).lower())
            if parser.trees_found == "dependencies" and language in (known or ()):
                return name
    return models.find(wanted or None, "dependencies")[0]


# --- in, through, and out ---------------------------------------------------------------------------------------------


def _read(given: Mapping[str, str], parser: TreeParser[Any]) -> Iterable[Sentence]:
    """Read the data; with a tokenizer it is raw text."""
    data = given["data"].replace("\r\n", "\n").removeprefix("\ufeff")
    format, _, more = (given.get("input") or "conllu").partition("=")
    if "tokenizer" in given or format == "generic_tokenizer":
        return _tokenized(data, set(re.split("[;,]", given.get("tokenizer") or more)), parser)
    if format == "conllu":
        return read_string(data)
    if format == "horizontal":
        return (_of_words(line.split()) for line in data.split("\n") if line.strip())
    if format == "vertical":
        blocks = re.split(r"\n[ \t]*\n", data)
        return (_of_words([line.split("\t")[0].strip() for line in block.split("\n")]) for block in blocks)
    raise ServiceError(
        "bad_request", f"input is conllu, horizontal, vertical or generic_tokenizer, not {format[:40]!r}"
    )


def _tokenized(data: str, options: set[str], parser: TreeParser[Any]) -> Iterable[Sentence]:
    sentences = sentences_in(data, parser.splitter, "presegmented" in options)
    return map(with_ranges, sentences) if "ranges" in options else sentences


def _of_words(words: Iterable[str]) -> Sentence:
    return Sentence.from_forms([word for word in words if word])


@dataclass(frozen=True)
class Steps:
    """What is done to a sentence."""

    parser: TreeParser[Any]
    tags: bool
    parses: bool

    def __call__(self, sentence: Sentence) -> Sentence:
        """Tag and parse, or do one of them: what is not asked for stays as it is."""
        if not len(sentence):
            return sentence
        if not self.parses:
            tagger = _tagger(self.parser)
            if self.tags and tagger is None:
                raise ServiceError("bad_request", "this model has no tagger: leave out tagger")
            return tagged(sentence, tagger, False) if self.tags else sentence
        found: Sentence = self.parser.parse_sentence(sentence, keep_tags=not self.tags)
        if self.tags:
            return found
        own = ("lemmas", "upos", "xpos", "feats")
        return found.replace(**{name: getattr(sentence, name) for name in own})


def _writer(wanted: str) -> Callable[[Sentence], str]:
    """Return what writes a sentence in a format; options of the format, after =, change nothing."""
    writers: Mapping[str, Callable[[Sentence], str]] = {
        "conllu": format_sentence,
        "horizontal": lambda sentence: " ".join(form.replace(" ", "\u00a0") for form in sentence.forms) + "\n",
        "vertical": lambda sentence: "".join(f"{form}\n" for form in sentence.forms) + "\n",
        "plaintext": lambda sentence: "".join(_plain(sentence)),
    }
    format = wanted.partition("=")[0]
    if format not in writers:
        raise ServiceError("bad_request", f"output is {', '.join(writers)}, not {format[:40]!r}")
    return writers[format]


def _plain(sentence: Sentence) -> Iterator[str]:
    """Yield the text of a sentence, on a line."""
    yield sentence.text or " ".join(sentence.forms)
    yield "\n"
