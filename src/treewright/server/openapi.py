"""The description of the API for programs, OpenAPI 3.1, made from the classes of requests."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from treewright.options import Kind, Options, kinds_of
from treewright.server import answer_schemas as answers
from treewright.server.errors import STATUSES
from treewright.server.requests import (
    INPUTS,
    ConstituentsRequest,
    DualRequest,
    EvaluationRequest,
    ParseRequest,
    TextRequest,
)
from treewright.server.settings import ServerSettings
from treewright.version import __version__

__all__ = ["EXAMPLES", "describe_api"]

_GOLD = "1\tTrees\ttree\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n2\tgrow\tgrow\tVERB\tVBP\t_\t0\troot\t_\t_\n\n"

#: A path → the requests that show how to ask, by name.
EXAMPLES: dict[str, dict[str, dict[str, Any]]] = {
    "/api/parse": {
        "text": {"text": "The dog chased a cat. I saw her duck.", "confidence": True},
        "k_best": {"text": "I saw her duck.", "k": 3, "alternatives": 2, "marginals": True},
        "constraints": {
            "text": "I saw her duck.",
            "constraints": {"required": [[2, 3]], "forbidden": [[4, 3]], "at_most_one": ["nsubj", "obj"]},
        },
        "words": {"sentences": [{"words": ["Trees", {"form": "grow", "upos": "VERB"}]}], "keep_tags": True},
        "draft": {"conllu": _GOLD.replace("2\tnsubj", "_\t_"), "complete": True},
        "conllu": {"text": "Trees grow.", "format": "conllu"},
        "stream": {"text": "Trees grow. So do we.", "stream": True},
    },
    "/api/constituents": {"k_best": {"text": "The mice were fed a diet.", "k": 2}},
    "/api/dual": {"sentence": {"text": "A hearing is scheduled on the issue today."}},
    "/api/evaluate": {"same": {"gold": _GOLD, "system": _GOLD}},
}

#: A path → the class of its requests, what it does, and what it answers.
_PATHS: dict[str, tuple[type[Options], str, dict[str, Any]]] = {
    "/api/parse": (ParseRequest, "Find dependency trees.", answers.PARSES),
    "/api/constituents": (ConstituentsRequest, "Find constituent trees.", answers.CONSTITUENTS),
    "/api/dual": (DualRequest, "Follow dual decomposition on a sentence.", answers.DUAL),
    "/api/evaluate": (EvaluationRequest, "Score trees against a gold standard.", answers.EVALUATION),
}

#: Types of fields → what JSON Schema calls them.
_TYPES: Mapping[Any, dict[str, Any]] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    list[Any]: answers.SENTENCES,
}

_UDPIPE = {
    "data": "What to process; required.",
    "model": "The name of a model, or of a language.",
    "tokenizer": "The data are raw text; options are ranges and presegmented.",
    "tagger": "Find tags, features and lemmas.",
    "parser": "Find heads and relations.",
    "input": "conllu, horizontal, vertical or generic_tokenizer.",
    "output": "conllu, horizontal, vertical or plaintext.",
}


def describe_api(settings: ServerSettings) -> dict[str, Any]:
    """Describe all that can be asked.

    Examples
    --------
    >>> described = describe_api(ServerSettings())
    >>> sorted(described["paths"])[:3]
    ['/api/constituents', '/api/dual', '/api/evaluate']
    """
    described: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "Treewright",
            "version": __version__,
            "description": f"Exact syntactic parsing. A request may have {settings.max_body:,} bytes, "
            f"{settings.max_sentences:,} sentences of {settings.max_words:,} words, and take {settings.seconds:g} s.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": _paths(),
        "components": {
            "schemas": {
                **{one.__name__: _schema(one) for one, _, _ in _PATHS.values()},
                **answers.SCHEMAS,
                "Error": answers.error(STATUSES),
            }
        },
    }
    if settings.token is not None:
        described["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        described["security"] = [{"token": []}]
    return described


def _paths() -> dict[str, Any]:
    paths: dict[str, Any] = {path: {"post": _operation(path, *about)} for path, about in _PATHS.items()}
    paths["/api/models"] = {"get": _reading("The models, the default ones, and the limits.", answers.MODELS)}
    paths["/live"] = {"get": _reading("Whether the service is there.", answers.anything("live"))}
    ready = _reading("Whether requests are worked on; status 503 if not.", answers.anything("ready"))
    ready["responses"]["503"] = ready["responses"]["200"] | {"description": "Not yet."}
    paths["/ready"] = {"get": ready}
    paths["/metrics"] = {"get": {"summary": "Counts, for Prometheus.", "responses": {"200": {"description": "Text."}}}}
    paths["/models"] = {
        way: _reading("The models, as UDPipe lists them.", answers.UDPIPE_MODELS) for way in ("get", "post")
    }
    paths["/process"] = {way: _process(way) for way in ("get", "post")}
    return paths


def _operation(path: str, request: type[Options], summary: str, answer: dict[str, Any]) -> dict[str, Any]:
    examples = {name: {"value": value} for name, value in EXAMPLES[path].items()}
    schema = {"$ref": f"#/components/schemas/{request.__name__}"}
    content = {"application/json": {"schema": answer}}
    if path == "/api/parse":
        content |= {kind: {"schema": {"type": "string"}} for kind in ("text/plain", "image/svg+xml")}
    if "stream" in kinds_of(request):
        content["application/x-ndjson"] = {"schema": {"type": "string"}}
    return {
        "summary": summary,
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema, "examples": examples}}},
        "responses": {"200": {"description": "The answer.", "content": content}, **_errors()},
    }


def _reading(summary: str, answer: dict[str, Any]) -> dict[str, Any]:
    content = {"application/json": {"schema": answer}}
    return {"summary": summary, "responses": {"200": {"description": "The answer.", "content": content}}}


def _process(way: str) -> dict[str, Any]:
    """Describe UDPipe's ``/process``."""
    described: dict[str, Any] = _reading("Process text as UDPipe does.", answers.UDPIPE_RESULT)
    described["responses"] |= _errors()
    if way == "get":
        described["parameters"] = [
            {"name": name, "in": "query", "description": help, "schema": {"type": "string"}, "required": name == "data"}
            for name, help in _UDPIPE.items()
        ]
    else:
        fields = {name: {"type": "string", "description": help} for name, help in _UDPIPE.items()}
        schema = {"type": "object", "properties": fields, "required": ["data"]}
        forms = ("multipart/form-data", "application/x-www-form-urlencoded")
        described["requestBody"] = {"required": True, "content": {form: {"schema": schema} for form in forms}}
    return described


def _errors() -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    by_status: dict[int, list[str]] = {}
    for code, status in STATUSES.items():
        by_status.setdefault(status, []).append(code)
    return {str(status): {"description": ", ".join(codes), "content": content} for status, codes in by_status.items()}


def _schema(request: type[Options]) -> dict[str, Any]:
    """Describe a class of requests."""
    defaults = {field.name: field.default for field in dataclasses.fields(request)}  # type: ignore[arg-type]
    fields = {name: _field(kind, defaults[name]) for name, kind in kinds_of(request).items()}
    inputs = [{"required": [name]} for name in INPUTS] if issubclass(request, TextRequest) else []
    return {
        "type": "object",
        "description": (request.__doc__ or "").split("\n", 1)[0],
        "properties": fields,
        "additionalProperties": False,
        **({"oneOf": inputs} if inputs else {}),
    }


def _field(kind: Kind, default: Any) -> dict[str, Any]:
    about = kind.option
    described: dict[str, Any] = {"description": about.help}
    if kind.type is Any:
        described |= answers.CONSTRAINTS
    else:
        described |= {"type": "string", "enum": list(kind.choices)} if kind.choices else _TYPES[kind.type]
    if about.min is not None:
        described["minimum"] = about.min
    if about.max is not None:
        described["maximum"] = about.max
    if default is not None:
        described["default"] = default
    return described
