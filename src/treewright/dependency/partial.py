"""Trees of which only some heads are known, as training examples.

What is known of such a tree are its given heads and their relations, and a tree *agrees* if it has them.  A log-linear
model learns to give probability to the trees that agree, all of them together: the *forest* likelihood,
log Z(trees that agree) − log Z.  Learners that search take, of the trees that agree, the best under the current weights
for the right one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from treewright.arrays import Heads, Mask
from treewright.dependency.completion import is_possible
from treewright.inference import Constraints, Scores, Trees
from treewright.treebank import Sentence, is_projective, projectivize
from treewright.treebank.conllu.columns import find_cycle

#: Returns which arcs of a sentence survive, under constraints if there are any.
Prune: TypeAlias = Callable[[Sentence, Constraints | None], Mask]

__all__ = ["attainable", "check_heads", "known_arcs", "surviving"]


def check_heads(sentence: Sentence) -> None:
    """Raise a `ValueError` if no tree at all has the heads that a sentence has: a cycle, or words that there are not.

    Examples
    --------
    >>> check_heads(Sentence.from_forms(["a", "b", "c"], heads=[2, 1, -1]))
    Traceback (most recent call last):
    ValueError: the heads form a cycle
    """
    heads = sentence.heads
    if (heads >= 0).all():
        is_projective(heads)
    elif heads.min() < -1 or heads.max() > len(sentence):
        raise ValueError(f"heads are from 0 to {len(sentence)}, or -1, not {heads.min()} and {heads.max()}")
    elif find_cycle(heads.tolist()):
        raise ValueError("the heads form a cycle")


def attainable(sentence: Sentence, trees: Trees) -> Sentence:
    """Return a sentence with heads that a tree of these can have.

    A whole tree is projectivized where trees are projective.  Of a partial tree that no tree agrees with, as few heads
    as possible are forgotten.

    Examples
    --------
    >>> crossing = Sentence.from_forms(["a", "b", "c", "d", "e"], heads=[3, 4, -1, 0, 4])
    >>> attainable(crossing, Trees(projective=False)).heads.tolist()
    [3, 4, -1, 0, 4]
    >>> attainable(crossing, Trees()).heads.tolist()
    [-1, 4, -1, 0, 4]
    """
    known = sentence.heads >= 0
    if known.all():
        return sentence.replace(heads=projectivize(sentence.heads)) if trees.projective else sentence
    if is_possible(trees, sentence):
        return sentence
    arc = np.zeros((len(sentence) + 1,) * 2)
    arc[sentence.heads[known], 1 + np.flatnonzero(known)] = 1.0
    best = Trees(trees.projective, trees.single_root).argmax(Scores(arc=arc)).heads[1:]
    return sentence.replace(heads=np.where(known & (best == sentence.heads), best, -1))


def known_arcs(heads: Heads, labels: Heads | None = None) -> Constraints:
    """Return the constraints that hold of exactly the trees that agree with given heads and labels, -1 if unknown."""
    words = np.flatnonzero(heads >= 0).tolist()
    required = [(int(heads[word]), word) for word in words]
    if labels is None:
        return Constraints(required=required)
    return Constraints(required=required, labels=[(h, m, int(labels[m])) for h, m in required if labels[m] >= 0])


def surviving(prune: Prune, sentence: Sentence, trees: Trees) -> Mask:
    """Return which arcs of a sentence to learn from survive pruning: among them, trees that agree with its heads."""
    allowed = prune(sentence, None)
    if (sentence.heads >= 0).all():
        return allowed
    agreeing = prune(sentence, known_arcs(attainable(sentence, trees).rooted_heads()))
    return allowed | agreeing
