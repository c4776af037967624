"""The run of dual decomposition on a sentence, iteration by iteration: how a tree and automata come to agree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.inference import Constraints, Parts, SearchSpace
from treewright.server.errors import ServiceError
from treewright.server.jobs import Plan
from treewright.server.requests import DualRequest, read_request
from treewright.server.resources import Resources, to_bytes
from treewright.server.sentences import sentences_of

if TYPE_CHECKING:
    from treewright.dependency.parser import Parser
    from treewright.inference.dual.dual_decomposition import Trace
    from treewright.treebank import Sentence

__all__ = ["follow_dual", "plan_dual"]

#: Iterations at most.
ITERATIONS = 200


def plan_dual(at_hand: Resources, body: bytes) -> Plan:
    """Plan the answer to ``/api/dual``."""
    request = read_request(DualRequest, body)
    name, parser = at_hand.models.with_siblings(request.model)
    sentences = [one for one in sentences_of(request, parser.splitter, at_hand) if len(one)]
    if not sentences:
        raise ServiceError("bad_request", "there are no words: give a sentence")

    def run() -> bytes:
        return to_bytes({"model": name, **follow_dual(parser, sentences[0], request.keep_tags)})

    return Plan([run])


def follow_dual(parser: Parser, sentence: Sentence, keep_tags: bool) -> dict[str, Any]:
    """Search among non-projective trees over the arcs that survive pruning, and tell what happens."""
    from treewright.inference.dual.dual_decomposition import DualDecomposition

    tagged = parser.parse_sentence(sentence, keep_tags=keep_tags)
    n = len(tagged)
    allowed = np.ones((n + 1, n + 1), bool)
    if parser.pruner is not None:
        allowed = parser.pruner.allowed(tagged, Constraints())
    scores = parser.scorer.score(tagged, Parts(allowed, projective=False))
    trees = SearchSpace(False, parser.trees.single_root, parser.trees.factorization)
    trace = DualDecomposition(trees, max_iterations=ITERATIONS).trace(scores, choices=True)
    return {
        "words": list(tagged.forms),
        "iterations": [_iteration(trace, k) for k in range(len(trace.dual))],
        "heads": trace.parse.heads[1:].tolist(),
        "certificate": bool(trace.parse.certificate),
        "proof": trace.proof,
    }


def _iteration(trace: Trace, k: int) -> dict[str, Any]:
    """Describe an iteration: bounds, the heads that the tree has, those that automata gave (-1 for none), disputes."""
    tree, disputed = trace.trees[k].tolist(), trace.disputed(k)
    automata = [head if (head, m) not in disputed else -1 for m, head in enumerate(tree[1:], 1)]
    for h, m in disputed:
        if tree[m] != h and automata[m - 1] < 0:
            automata[m - 1] = h
    return {
        "upper": _number(trace.dual[k]),
        "lower": _number(trace.primal[k]),
        "heads_tree": tree[1:],
        "heads_automata": automata,
        "disputed": disputed,
    }


def _number(value: float) -> float | None:
    """Return a number as JSON has it: infinity has no form there."""
    return round(float(value), 6) if math.isfinite(value) else None
