"""The models that a service has, by name."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from treewright.dependency.parser import Parser
from treewright.parsing import TreeParser
from treewright.server.errors import ServiceError
from treewright.server.settings import ServerSettings

__all__ = ["Models"]

#: What a model says of itself in public.
FACTS = ("treebank", "release", "licence", "attribution", "dev", "dev from raw text")

#: The kinds of trees, and where they are asked for.
PLACES = {"dependencies": "/api/parse", "constituents": "/api/constituents"}

#: The model on which dual decomposition is shown where no other scores siblings.
SIBLINGS = "en-linear"


class Models(Mapping[str, TreeParser[Any]]):
    """Parsers by name; the first of each kind is the one that is used unless another is named."""

    def __init__(self, parsers: Mapping[str, TreeParser[Any]]) -> None:
        self._parsers, self._lock = dict(parsers), threading.Lock()
        self._spare: Parser | None = None

    def __getitem__(self, name: str) -> TreeParser[Any]:
        return self._parsers[name]

    def __iter__(self) -> Any:
        return iter(self._parsers)

    def __len__(self) -> int:
        return len(self._parsers)

    def default(self, trees: str) -> str | None:
        """Return the name of the first model that finds some kind of trees."""
        return next((name for name, parser in self._parsers.items() if parser.trees_found == trees), None)

    def find(self, name: str | None, trees: str) -> tuple[str, TreeParser[Any]]:
        """Return a model that finds some kind of trees, and its name."""
        chosen = self.default(trees) if name is None else name
        if chosen is None:
            raise ServiceError("unknown_model", f"there is no model of {trees} here")
        if chosen not in self._parsers:
            raise ServiceError("unknown_model", f"there is no model {chosen[:40]!r}: there are {', '.join(self)}")
        parser = self._parsers[chosen]
        if parser.trees_found != trees:
            place = PLACES[parser.trees_found]
            raise ServiceError("unknown_model", f"{chosen} finds {parser.trees_found}, not {trees}: ask {place}")
        return chosen, parser

    def with_siblings(self, name: str | None) -> tuple[str, Parser]:
        """Return a model of dependencies that scores siblings; one of the package if there is no other."""
        if name is not None:
            chosen, parser = self.find(name, "dependencies")
            if not _scores_siblings(parser):
                raise ServiceError("unknown_model", f"{chosen} scores no siblings: try {SIBLINGS}, or no name at all")
            assert isinstance(parser, Parser)
            return chosen, parser
        for chosen, parser in self._parsers.items():
            if isinstance(parser, Parser) and _scores_siblings(parser):
                return chosen, parser
        with self._lock:
            self._spare = self._spare or Parser.open(SIBLINGS)
        return SIBLINGS, self._spare

    def describe(self, settings: ServerSettings) -> dict[str, Any]:
        """Describe all models, and what is allowed here."""
        return {
            "models": [_describe(name, parser) for name, parser in self._parsers.items()],
            "default": {trees: self.default(trees) for trees in PLACES},
            "limits": {
                "body": settings.max_body,
                "sentences": settings.max_sentences,
                "words": settings.max_words,
                "seconds": settings.seconds,
            },
        }


def _scores_siblings(parser: TreeParser[Any]) -> bool:
    return isinstance(parser, Parser) and parser.trees.factorization in ("sibling", "grand-sibling")


def _describe(name: str, parser: TreeParser[Any]) -> dict[str, Any]:
    """Describe a model; of a reranked parser, what its parser is."""
    base = getattr(parser, "parser", parser)
    tagger = getattr(base, "tagger", None)
    return {
        "name": name,
        "trees": parser.trees_found,
        "language": parser.language,
        "info": {fact: parser.info[fact] for fact in FACTS if fact in parser.info},
        "probabilities": has_probabilities(parser),
        "relations": list(base.scorer.labels) if isinstance(base, Parser) else [],
        "upos": list(tagger.values("upos")) if tagger is not None else [],
    }


def has_probabilities(parser: TreeParser[Any]) -> bool:
    """Return whether a model can say how sure it is."""
    if parser.trees_found == "constituents":
        return parser.KIND != "reranked-parser"
    return isinstance(parser, Parser) and parser.has_probabilities
