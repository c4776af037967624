"""Trees written into sentences: heads, relations, probabilities and ranks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from treewright.inference import Parse, Scores
from treewright.parsing import Ranked
from treewright.treebank import Sentence

__all__ = ["with_confidence", "with_ranks", "with_tree"]


def with_tree(sentence: Sentence, parse: Parse, labels: Sequence[str], marginals: Scores | None = None) -> Sentence:
    """Return a sentence with the heads and relations (``labels``, by number) of a parse.

    Marginals, the probability of each arc, go to the MISC column.
    """
    if parse.labels is not None:
        deprels = [labels[label] for label in parse.labels[1:]]
    else:
        deprels = ["dep" if head else "root" for head in parse.heads[1:]]
    columns: dict[str, Any] = {"heads": parse.heads[1:], "deprels": deprels}
    probabilities: Sequence[float | None] = [None] * len(sentence)
    if marginals is not None:
        probabilities = marginals.of_arcs(parse.heads).tolist()
    columns["misc"] = [with_confidence(*pair) for pair in zip(sentence.misc, probabilities, strict=True)]
    if not parse.certificate:
        columns["comments"] = [*sentence.comments, "# certificate = no"]
    return sentence.replace(**columns)


def with_ranks(trees: Sequence[Ranked[Sentence]]) -> list[Sentence]:
    """Note the rank and the probability of each of the k best trees in comments, ``# tree = 2``, replacing old ones."""
    ranked = []
    for rank, one in enumerate(trees, 1):
        others = [line for line in one.tree.comments if not re.match(r"#\s*(tree|probability)\s*=", line)]
        comments = [*others, f"# tree = {rank}", f"# probability = {one.probability:.4g}"]
        ranked.append(one.tree.replace(comments=comments))
    return ranked


def with_confidence(misc: str, probability: float | None) -> str:
    """Note a probability in the MISC column, replacing one that belonged to another tree.

    Examples
    --------
    >>> with_confidence("SpaceAfter=No|Confidence=0.1", 0.97)
    'SpaceAfter=No|Confidence=0.9700'
    >>> with_confidence("Confidence=0.1", None)
    '_'
    """
    if probability is None and "Confidence=" not in misc:
        return misc
    entries = [entry for entry in misc.split("|") if entry != "_" and not entry.startswith("Confidence=")]
    if probability is not None:
        entries.append(f"Confidence={min(probability, 1.0):.4f}")
    return "|".join(entries) or "_"
