"""Trees written into sentences: heads, relations, probabilities and ranks.

Probabilities of words go to MISC: ``Confidence`` that the head is correct, ``LabelConfidence`` that the relation is
correct if the head is, ``TagConfidence`` that the tag is; and so do ``Rivals``, other heads and relations.  Those of
sentences are comments: ``# probability`` that all heads and relations are correct, ``# expected_errors``, how many
words are expected to have a wrong head or relation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from treewright.dependency.probabilities import Probabilities
from treewright.errors import UsageError
from treewright.inference import Constraints, Parse
from treewright.parsing import Ranked
from treewright.treebank import Sentence
from treewright.treebank.conllu.confidence import CONFIDENCES, RIVALS, Rival, format_rivals

__all__ = ["constraints_in", "with_confidence", "with_ranks", "with_tree"]


#: That no probabilities are known.
NOTHING: Mapping[str, float | None] = dict.fromkeys(CONFIDENCES)


def with_tree(
    sentence: Sentence, parse: Parse, labels: Sequence[str], probabilities: Probabilities | None = None
) -> Sentence:
    """Return a sentence with the heads and relations (``labels``, by number) of a parse, and with its probabilities."""
    if parse.labels is not None:
        deprels = [labels[label] for label in parse.labels[1:]]
    else:
        deprels = ["dep" if head else "root" for head in parse.heads[1:]]
    noted: Sequence[Mapping[str, float | None]] = [NOTHING] * len(sentence)
    comments = _without(sentence.comments, "probability|expected_errors")
    if probabilities is not None:
        known = (probabilities.heads, probabilities.relations, probabilities.tags)
        numbers = ([None] * len(sentence) if some is None else some.tolist() for some in known)
        noted = [dict(zip(CONFIDENCES, one, strict=True)) for one in zip(*numbers, strict=True)]
        comments.append(f"# probability = {probabilities.tree:.4g}")
        comments.append(f"# expected_errors = {probabilities.expected_errors:.2f}")
    if not parse.certificate:
        comments.append("# certificate = no")
    misc = [
        with_confidence(column, known) if known is not NOTHING or "Confidence=" in column else column
        for column, known in zip(sentence.misc, noted, strict=True)
    ]
    if probabilities is not None and probabilities.rivals:
        misc = [_with_rivals(*pair, labels) for pair in zip(misc, probabilities.rivals, strict=True)]
    return sentence.replace(heads=parse.heads[1:], deprels=deprels, misc=misc, comments=comments)


def constraints_in(sentence: Sentence) -> Constraints:
    """Read the constraints in the comments of a sentence.

    Raises
    ------
    UsageError
        If there is something else.

    Examples
    --------
    >>> sentence = Sentence.from_forms(["Go"], comments=['# constraints = {"required": [[0, 1]]}'])
    >>> print(constraints_in(sentence))
    word 1 is a root
    """
    found = []
    for comment in sentence.comments:
        match = re.match(r"#\s*constraints\s*=(.*)", comment)
        if match:
            try:
                found.append(Constraints.from_dict(json.loads(match[1])))
            except (ValueError, RecursionError):
                raise UsageError(f"the comment {comment[:60]!r} has no constraints in JSON") from None
    return Constraints.together(found)


def with_ranks(trees: Sequence[Ranked[Sentence]]) -> list[Sentence]:
    """Note the rank and the probability of each of the k best trees in comments, ``# tree = 2``, replacing old ones."""
    ranked = []
    for rank, one in enumerate(trees, 1):
        others = _without(one.tree.comments, "tree|probability")
        comments = [*others, f"# tree = {rank}", f"# probability = {one.probability:.4g}"]
        ranked.append(one.tree.replace(comments=comments))
    return ranked


def with_confidence(misc: str, probabilities: Mapping[str, float | None]) -> str:
    """Note probabilities in the MISC column, replacing those that belonged to another tree.

    Examples
    --------
    >>> with_confidence("SpaceAfter=No|Confidence=0.1", {"Confidence": 0.97, "LabelConfidence": 1.0})
    'SpaceAfter=No|Confidence=0.9700|LabelConfidence=1.0000'
    >>> with_confidence("Confidence=0.1", {"Confidence": None})
    '_'
    """
    if "Confidence=" not in misc and not any(probability is not None for probability in probabilities.values()):
        return misc
    stale = {*probabilities, RIVALS}
    entries = [entry for entry in misc.split("|") if entry != "_" and entry.split("=")[0] not in stale]
    for name, probability in probabilities.items():
        if probability is not None:
            entries.append(f"{name}={min(probability, 1.0):.4f}")
    return "|".join(entries) or "_"


def _with_rivals(misc: str, found: Sequence[tuple[int, int, float]], labels: Sequence[str]) -> str:
    """Note the rivals of the arc of a word, if it has any."""
    if not found:
        return misc
    rivals = [Rival(h, labels[label] if label >= 0 else "dep" if h else "root", p) for h, label, p in found]
    return f"{misc}|{format_rivals(rivals)}"


def _without(comments: Sequence[str], names: str) -> list[str]:
    """Leave out comments such as ``# tree = 2``."""
    return [line for line in comments if not re.match(rf"#\s*({names})\s*=", line)]
