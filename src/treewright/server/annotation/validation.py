"""What is wrong with a tree, or may be: the rules of Universal Dependencies that can be told from the columns.

An error is something that no treebank has; a sentence with one cannot be confirmed.  A warning is something that is
rarely right.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from treewright.server.annotation.inventory import UD_RELATIONS, UD_TAGS, Inventory, base_of
from treewright.treebank import Sentence
from treewright.treebank.conllu.columns import find_cycle

__all__ = ["Finding", "validate"]

#: An attribute with its value, or several.
_FEATURE = re.compile(r"[A-Z0-9][A-Za-z0-9]*(\[[a-z0-9]+\])?=[A-Z0-9][A-Za-z0-9]*(,[A-Z0-9][A-Za-z0-9]*)*")

#: Relations whose head comes first, whatever the language.
_HEAD_FIRST = ("conj", "fixed", "flat", "goeswith", "appos")

#: What at most one modifier of a head is.
_ONCE = {"subject": ("nsubj", "csubj"), "object": ("obj",)}


@dataclass(frozen=True)
class Finding:
    """Something that is wrong, or may be, with a word, or with the sentence (word 0)."""

    level: Literal["error", "warning"]
    word: int
    column: str
    text: str

    def to_dict(self) -> dict[str, Any]:
        """Describe it as plain data."""
        return asdict(self)


def validate(tree: Sentence, known: Inventory) -> list[Finding]:
    """Find what is wrong with a tree, which may lack heads and other cells; errors come first.

    Examples
    --------
    >>> tree = Sentence.from_forms(["Go", "on"], heads=[0, 0], deprels=["root", "advmod"])
    >>> for finding in validate(tree, Inventory()):
    ...     print(finding.level, finding.word, finding.text)
    error 0 2 words are roots (1, 2): one is
    error 2 a root has the relation root, not advmod
    """
    found = [finding for rule in _RULES for finding in rule(tree, known)]
    return sorted(found, key=lambda finding: finding.level != "error")


def _arcs(tree: Sentence, known: Inventory) -> Iterator[Finding]:
    heads = tree.heads.tolist()
    for word, head in enumerate(heads, 1):
        if head > len(heads) or head == word:
            yield Finding("error", word, "head", f"there is no head {head} of word {word}")
    if all(0 <= max(head, 0) <= len(heads) for head in heads) and (cycle := find_cycle(heads)):
        yield Finding("error", cycle[0], "head", f"words {', '.join(map(str, cycle))} form a cycle")
    roots = [word for word, head in enumerate(heads, 1) if head == 0]
    if len(roots) > 1:
        yield Finding("error", 0, "head", f"{len(roots)} words are roots ({', '.join(map(str, roots))}): one is")
    if not roots and min(heads, default=0) >= 0 and heads:
        yield Finding("error", 0, "head", "no word is the root")


def _relations(tree: Sentence, known: Inventory) -> Iterator[Finding]:
    for word, (head, relation) in enumerate(zip(tree.heads.tolist(), tree.deprels, strict=True), 1):
        if relation == "_":
            continue
        if head == 0 and base_of(relation) != "root":
            yield Finding("error", word, "deprel", f"a root has the relation root, not {relation}")
        elif head > 0 and base_of(relation) == "root":
            yield Finding("error", word, "deprel", "only a word under the root has the relation root")
        if relation in known.relations or relation in UD_RELATIONS:
            continue
        if base_of(relation) in UD_RELATIONS:
            yield Finding("warning", word, "deprel", f"the treebank has no {relation} yet")
        else:
            yield Finding("error", word, "deprel", f"there is no relation {relation}")


def _order(tree: Sentence, known: Inventory) -> Iterator[Finding]:
    for word, (head, relation) in enumerate(zip(tree.heads.tolist(), tree.deprels, strict=True), 1):
        if head > word and base_of(relation) in _HEAD_FIRST:
            yield Finding("warning", word, "head", f"{relation} has its head before it, not after it")


def _tags(tree: Sentence, known: Inventory) -> Iterator[Finding]:
    for word, tag in enumerate(tree.upos, 1):
        if tag != "_" and tag not in UD_TAGS and tag not in known.upos:
            yield Finding("error", word, "upos", f"there is no tag {tag}")


def _features(tree: Sentence, known: Inventory) -> Iterator[Finding]:
    for word, bundle in enumerate(tree.feats, 1):
        if bundle == "_":
            continue
        features = bundle.split("|")
        wrong = [one for one in features if not _FEATURE.fullmatch(one) and one not in known.feats]
        names = [feature.partition("=")[0] for feature in features]
        if wrong:
            yield Finding("error", word, "feats", f"{wrong[0] or 'nothing'} is no feature: write Name=Value")
        elif len(set(names)) < len(names):
            yield Finding("error", word, "feats", "a feature is there twice")
        elif names != sorted(names, key=str.lower):
            yield Finding("warning", word, "feats", "features are not in alphabetical order")
        new = [feature for feature in features if feature not in known.feats]
        if known.feats and new and not wrong:
            yield Finding("warning", word, "feats", f"the treebank has no {new[0]} yet")


def _once(tree: Sentence, known: Inventory) -> Iterator[Finding]:
    for name, relations in _ONCE.items():
        found = [
            (head, word)
            for word, (head, relation) in enumerate(zip(tree.heads.tolist(), tree.deprels, strict=True), 1)
            if head > 0 and base_of(relation) in relations and not relation.endswith(":outer")
        ]
        counts = Counter(head for head, _ in found)
        for head, count in counts.items():
            if count > 1:
                words = ", ".join(str(word) for above, word in found if above == head)
                yield Finding("warning", head, "deprel", f"word {head} has {count} {name}s ({words})")


_RULES: tuple[Callable[[Sentence, Inventory], Iterator[Finding]], ...] = (
    _arcs,
    _relations,
    _order,
    _tags,
    _features,
    _once,
)
