"""Making ready: every kernel that a question needs is compiled, or loaded, before the first request waits for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from treewright import kernels
from treewright.dependency.parser import Parser
from treewright.inference import Constraints
from treewright.parsing import TreeParser
from treewright.server.models import has_probabilities
from treewright.tokenization import tokenize

__all__ = ["warm_up"]

#: A sentence with something to be in doubt about.
TEXT = "I saw the man with the telescope near the old house."


def warm_up(models: Mapping[str, TreeParser[Any]], say: Callable[[str], None] | None = None) -> None:
    """Ask each model every kind of question once; unless there is nothing to compile, ``say`` that this takes long."""
    for name, parser in models.items():
        task = f"serve ({name}, {parser.KIND})"
        cold = not kernels.are_compiled(task)
        if cold and say is not None:
            say(f"Compiling for {name}, once on this machine; requests wait for up to a minute ...")
        _ask_everything(parser)
        if cold:
            kernels.mark_compiled(task)


def _ask_everything(parser: TreeParser[Any]) -> None:
    sentence, tags = next(iter(tokenize(TEXT, parser.splitter))), parser.needs_tags
    if tags:
        sentence = sentence.replace(xpos=["X"] * len(sentence))
    tree = parser.parse_sentence(sentence, keep_tags=tags)
    if not isinstance(parser, Parser):
        if has_probabilities(parser):
            parser.k_best(sentence, 2, keep_tags=tags)
        return
    parser.parse_sentence(sentence, keep_tags=tags, constraints=Constraints(forbidden=[(1, 2)], spans=[(5, 7)]))
    if parser.has_probabilities:
        parser.k_best(sentence, 2, keep_tags=tags, confidence=True, alternatives=1)
        parser.head_probabilities(tree)
