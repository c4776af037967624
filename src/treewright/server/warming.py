"""Making ready: every kernel that a question needs is compiled, or loaded, before the first request waits for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from treewright import kernels
from treewright.dependency.parser import Parser
from treewright.inference import Constraints
from treewright.parsing import TreeParser
from treewright.server.dual import follow_dual
from treewright.server.models import Models, has_probabilities
from treewright.tokenization import tokenize
from treewright.treebank import Sentence

__all__ = ["warm_up", "warm_up_dual"]

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


def warm_up_dual(models: Mapping[str, TreeParser[Any]]) -> None:
    """Follow dual decomposition once, by the model that is used for it: compiling what it needs takes half a minute."""
    _, parser = Models(models).with_siblings(None)
    follow_dual(parser, _sentence(parser), parser.needs_tags)


def _sentence(parser: TreeParser[Any]) -> Sentence:
    """Make a sentence that a parser takes."""
    sentence = next(iter(tokenize(TEXT, parser.splitter)))
    return sentence.replace(xpos=["X"] * len(sentence)) if parser.needs_tags else sentence


def _ask_everything(parser: TreeParser[Any]) -> None:
    sentence, tags = _sentence(parser), parser.needs_tags
    tree = parser.parse_sentence(sentence, keep_tags=tags)
    if not isinstance(parser, Parser):
        if has_probabilities(parser):
            parser.k_best(sentence, 2, keep_tags=tags)
        return
    parser.parse_sentence(sentence, keep_tags=tags, constraints=Constraints(forbidden=[(1, 2)], spans=[(5, 7)]))
    if parser.has_probabilities:
        parser.k_best(sentence, 2, keep_tags=tags, confidence=True, alternatives=1)
        parser.head_probabilities(tree)
