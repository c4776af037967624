"""What answers look like, in the terms of JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = [
    "CONSTITUENTS",
    "CONSTRAINTS",
    "DUAL",
    "EVALUATION",
    "MODELS",
    "PARSES",
    "SCHEMAS",
    "SENTENCES",
    "UDPIPE_MODELS",
    "UDPIPE_RESULT",
    "anything",
    "error",
]

_TEXT, _COUNT, _NUMBER, _FLAG = {"type": "string"}, {"type": "integer"}, {"type": "number"}, {"type": "boolean"}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}


def _list(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _object(required: str = "", /, **fields: Any) -> dict[str, Any]:
    described: dict[str, Any] = {"type": "object", "properties": fields}
    return described | ({"required": required.split()} if required else {})


def _is(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def anything(*flags: str) -> dict[str, Any]:
    """Describe an object of flags."""
    return _object(" ".join(flags), **dict.fromkeys(flags, _FLAG))


def error(statuses: Mapping[str, int]) -> dict[str, Any]:
    """Describe an error: one of some codes, and what else is known."""
    fields = {
        "code": {"type": "string", "enum": list(statuses)},
        "message": _TEXT,
        "limit": _NUMBER,
        "clash": _list(_TEXT),
        "line": _COUNT,
    }
    return _object("error", error=_object("code message", **fields))


_PLACE = {"type": "integer", "minimum": 0}
_ARC = {"type": "array", "items": _PLACE, "minItems": 2, "maxItems": 2}
_LABEL = {"type": "array", "prefixItems": [{"type": ["integer", "null"], "minimum": 0}, _PLACE, _TEXT], "items": False}
_LABEL |= {"minItems": 3}
_RULES = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "required": _list(_ARC),
        "forbidden": _list(_ARC),
        "labels": _list(_LABEL),
        "forbidden_labels": _list(_LABEL),
        "spans": _list(_ARC),
        "at_most_one": _list(_TEXT),
        "projective": _list(_PLACE),
    },
}

#: Constraints: of all sentences, or of each.
CONSTRAINTS: dict[str, Any] = {"oneOf": [_RULES, _list({"oneOf": [_RULES, {"type": "null"}]})]}

#: Sentences of a request: of their words, a form is enough, and may stand for the word.
SENTENCES = _list(_object("words", words=_list({"oneOf": [_TEXT, _object("form", form=_TEXT)]})))

_WORD = _object(
    "id form",
    id=_COUNT,
    form=_TEXT,
    lemma=_TEXT,
    upos=_TEXT,
    xpos=_TEXT,
    feats=_TEXT,
    head=_COUNT,
    deprel=_TEXT,
    head_p=_SHARE,
    label_p=_SHARE,
    tag_p=_SHARE,
    alternatives=_list(_object("head deprel p", head=_COUNT, deprel=_TEXT, p=_SHARE)),
    misc=_TEXT,
)

_NODE = _object("label", label=_TEXT, children=_list(_is("Node")), word=_TEXT, id=_COUNT)

_BRACKETS = {"brackets": _TEXT, "tree": _is("Node"), "tree_p": _SHARE}

#: Schemas that others refer to.
SCHEMAS: dict[str, Any] = {
    "Word": _WORD,
    "Node": _NODE,
    "Sentence": _object(
        "words",
        sent_id=_TEXT,
        text=_TEXT,
        words=_list(_is("Word")),
        tokens=_list(_object("words form", words=_TEXT, form=_TEXT)),
        tree=_COUNT,
        tree_p=_SHARE,
        expected_errors=_NUMBER,
        certificate=_FLAG,
        k_best=_list(_is("Sentence")),
        marginals=_list(_list(_SHARE)),
        constraints=_list(_TEXT),
    ),
}

PARSES: dict[str, Any] = _object("model sentences", model=_TEXT, sentences=_list(_is("Sentence")))

CONSTITUENTS: dict[str, Any] = _object(
    "model sentences",
    model=_TEXT,
    sentences=_list(_object("text brackets tree", text=_TEXT, **_BRACKETS, k_best=_list(_object(**_BRACKETS)))),
)

_ITERATION = _object(
    "upper lower heads_tree heads_automata disputed",
    upper={"type": ["number", "null"]},
    lower={"type": ["number", "null"]},
    heads_tree=_list(_COUNT),
    heads_automata=_list(_COUNT),
    disputed=_list(_ARC),
)

DUAL: dict[str, Any] = _object(
    "model words iterations heads certificate proof",
    model=_TEXT,
    words=_list(_TEXT),
    iterations=_list(_ITERATION),
    heads=_list(_COUNT),
    certificate=_FLAG,
    proof=_TEXT,
)

EVALUATION: dict[str, Any] = {"type": "object", "description": "The scores, as treewright evaluate --json has them."}

MODELS: dict[str, Any] = _object(
    "models default limits",
    models=_list(
        _object(
            "name trees language info probabilities relations upos",
            name=_TEXT,
            trees={"type": "string", "enum": ["dependencies", "constituents"]},
            language=_TEXT,
            info={"type": "object"},
            probabilities=_FLAG,
            relations=_list(_TEXT),
            upos=_list(_TEXT),
        )
    ),
    default={"type": "object"},
    limits=_object("body sentences words seconds", body=_COUNT, sentences=_COUNT, words=_COUNT, seconds=_NUMBER),
)

UDPIPE_MODELS: dict[str, Any] = _object("models default_model", models={"type": "object"}, default_model=_TEXT)

UDPIPE_RESULT: dict[str, Any] = _object(
    "model acknowledgements result", model=_TEXT, acknowledgements=_list(_TEXT), result=_TEXT
)
