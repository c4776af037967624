"""What pictures of a tree say about its probabilities: weak arcs, their rivals, and a caption."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from treewright.treebank.conllu.confidence import Confidence, read_confidence
from treewright.treebank.sentence import Sentence

__all__ = ["WEAK", "Numbers", "caption_of", "is_weak", "noted", "numbers_of", "rivals_of"]

#: An arc is weak if its head is less probable than this.
WEAK = 0.8


class Numbers(NamedTuple):
    """What the comments of a sentence say of its tree: its rank, its probability, and how many errors to expect."""

    rank: int | None
    probability: float | None
    expected_errors: float | None


def numbers_of(sentence: Sentence) -> Numbers:
    """Read the comments of a sentence.

    Examples
    --------
    >>> numbers_of(Sentence.from_forms(["Go"], comments=["# tree = 2", "# probability = 0.25"]))
    Numbers(rank=2, probability=0.25, expected_errors=None)
    """
    found: dict[str, float] = {}
    for comment in sentence.comments:
        name, _, value = comment[1:].partition("=")
        if name.strip() in ("tree", "probability", "expected_errors"):
            with suppress(ValueError):  # a comment of somebody else
                found[name.strip()] = float(value)
    finite = {name: value for name, value in found.items() if abs(value) < 1e15}
    rank = finite.get("tree")
    return Numbers(None if rank is None else int(rank), finite.get("probability"), finite.get("expected_errors"))


def caption_of(sentence: Sentence) -> str:
    """Say in a few words what a sentence notes about the probability of its tree; nothing if it notes nothing.

    Examples
    --------
    >>> caption_of(Sentence.from_forms(["Go"], comments=["# tree = 2", "# probability = 0.25"]))
    'tree 2, probability 0.25'
    """
    rank, probability, errors = numbers_of(sentence)
    if probability is None:
        return ""
    if rank is not None:
        return f"tree {rank}, probability {probability:.4g}"
    return f"probability {probability:.2g}, {errors:.2g} errors expected" if errors is not None else ""


def noted(sentence: Sentence, confidence: bool = True) -> list[Confidence]:
    """Read what MISC notes of each word; nothing, unless ``confidence``."""
    return [read_confidence(misc if confidence else "_") for misc in sentence.misc]


def is_weak(one: Confidence) -> bool:
    """Return whether the head of a word is in doubt."""
    return one.head is not None and one.head < WEAK


def rivals_of(sentence: Sentence, one: Confidence) -> str:
    """List the rivals of an arc; empty if there are none.

    Examples
    --------
    >>> sentence = Sentence.from_forms(["her", "there"])
    >>> rivals_of(sentence, read_confidence("Rivals=1:advmod:0.31,0:root:0.02"))
    'advmod of her 0.31, root of the root 0.02'
    """
    forms: Sequence[str] = ["the root", *sentence.forms]
    listed = (f"{relation} of {forms[head]} {p:.2f}" for head, relation, p in one.rivals if 0 <= head < len(forms))
    return ", ".join(listed)
