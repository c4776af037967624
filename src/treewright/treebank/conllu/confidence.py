"""The doubts that a parser has noted, read back: probabilities and rivals in MISC, expected errors in a comment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from treewright.treebank.sentence import Sentence

__all__ = ["CONFIDENCES", "RIVALS", "Confidence", "Rival", "expected_errors", "format_rivals", "read_confidence"]

#: The entries of MISC: the probabilities of the head, of the relation if the head is correct, and of the tag.
CONFIDENCES = ("Confidence", "LabelConfidence", "TagConfidence")

#: The entry of MISC that lists other heads and relations of a word.
RIVALS = "Rivals"


class Rival(NamedTuple):
    """Another head of a word, with a relation and the probability of both."""

    head: int
    relation: str
    probability: float


class Confidence(NamedTuple):
    """What MISC says of a word: probabilities, rivals, and what else is there."""

    head: float | None
    relation: float | None
    tag: float | None
    rivals: Sequence[Rival]
    rest: str


def read_confidence(misc: str) -> Confidence:
    """Take a MISC column apart; entries that look like probabilities and are none stay.

    Examples
    --------
    >>> read_confidence("SpaceAfter=No|Confidence=0.6|Rivals=3:obl:agent:0.31").rivals
    [Rival(head=3, relation='obl:agent', probability=0.31)]
    """
    numbers: dict[str, float] = {}
    rivals: list[Rival] = []
    rest = []
    for entry in misc.split("|") if "=" in misc else [misc]:
        name, _, value = entry.partition("=")
        try:
            if name in CONFIDENCES:
                numbers[name] = _probability(value)
            elif name == RIVALS:
                rivals = [_rival(text) for text in value.split(",")]
            else:
                rest.append(entry)
        except ValueError:
            rest.append(entry)
    head, relation, tag = map(numbers.get, CONFIDENCES)
    return Confidence(head, relation, tag, rivals, "|".join(rest) or "_")


def format_rivals(rivals: Sequence[Rival]) -> str:
    """Write rivals as an entry of MISC.

    Examples
    --------
    >>> format_rivals([Rival(3, "obl", 0.31), Rival(0, "root", 0.02)])
    'Rivals=3:obl:0.3100,0:root:0.0200'
    """
    return f"{RIVALS}={','.join(f'{rival.head}:{rival.relation}:{rival.probability:.4f}' for rival in rivals)}"


def expected_errors(sentence: Sentence) -> float:
    """Return how many words of a parsed sentence are expected to have a wrong head or relation.

    Raises
    ------
    ValueError
        If the sentence does not say: parse it with ``confidence=True``.

    Examples
    --------
    >>> expected_errors(Sentence.from_forms(["Go"], comments=["# expected_errors = 0.25"]))
    0.25
    """
    for comment in sentence.comments:
        name, _, value = comment[1:].partition("=")
        if name.strip() == "expected_errors":
            with suppress(ValueError):
                return float(value)
    if not len(sentence):
        return 0.0
    raise ValueError("the sentence does not say how many errors are expected: parse it with confidence=True")


def _probability(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1 or math.isnan(value):
        raise ValueError(f"{text} is not a probability")
    return value


def _rival(text: str) -> Rival:
    head, _, rest = text.partition(":")
    relation, _, probability = rest.rpartition(":")
    return Rival(int(head), relation, _probability(probability))
