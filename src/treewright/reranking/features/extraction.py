"""All features of a tree: two passes over its rules, the second with closed-class words in the labels.

The candidates of a sentence share most of their rules, and sentences share many.  So the features of a rule and the
rule above it are composed once, and cached under the two.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Final, TypeVar

from treewright.errors import UsageError
from treewright.reranking.features.headed import CLOSED_TAGS, TOP, HeadedTree
from treewright.reranking.features.relations import modifier_features, preposition_features
from treewright.reranking.features.structure import pairs, structural_features

__all__ = ["KINDS", "Extractor"]

#: The kinds of features, in the order of the article; ``closed-class`` is the second pass over the others.
KINDS: Final = (
    "rule",
    "bigram",
    "grandparent-rule",
    "grandparent-bigram",
    "lexical-bigram",
    "two-level-rule",
    "two-level-bigram",
    "trigram",
    "head-modifier",
    "pp",
    "distance",
    "closed-class",
)

#: The number of rules, and of relations, whose features are cached: some 50 MB.
REMEMBERED = 20_000

#: Features as the keys of a dictionary, which keeps their order and merges quickly.
Found = dict[str, None]

Key = TypeVar("Key", bound=Hashable)


class Extractor:
    """Extracts the features of trees: strings that begin with their kind, without repetition, in a fixed order.

    Parameters
    ----------
    kinds : iterable of str
        Which of `KINDS` to extract; by default all.
    closed_tags : iterable of str
        The tags of closed-class words.
    """

    def __init__(self, kinds: Iterable[str] = KINDS, closed_tags: Iterable[str] = CLOSED_TAGS) -> None:
        self.kinds = frozenset(kinds)
        self.closed_tags = frozenset(closed_tags)
        if unknown := sorted(self.kinds.difference(KINDS)):
            raise UsageError(f"there is no kind of feature {unknown[0]!r}; the kinds are {', '.join(KINDS)}")
        self._of_rules: dict[tuple[str, str], Found] = {}
        self._of_relations: dict[tuple[str, str, str, str, int, int], Found] = {}

    def __call__(self, tree: HeadedTree) -> list[str]:
        """List the features of a tree."""
        found: Found = {}
        plain = rules_of(tree, tree.labels)
        self._add_pass(found, tree, tree.labels, plain, [""] * len(plain))
        if not self.kinds.isdisjoint(("head-modifier", "distance")):
            self._add_relations(found, tree)
        if "pp" in self.kinds:
            found.update(dict.fromkeys(preposition_features(tree)))
        if "closed-class" in self.kinds:
            symbols = tree.augmented(self.closed_tags)
            self._add_pass(found, tree, symbols, rules_of(tree, symbols), plain)
        return list(found)

    def _add_pass(
        self, found: Found, tree: HeadedTree, symbols: Sequence[str], rules: Sequence[str], done: Sequence[str]
    ) -> None:
        """Add the features of rules, with these symbols for the nodes, except rules done in an earlier pass."""
        known = self._of_rules
        parents, heads, all_children = tree.parents, tree.head_children, tree.children
        words, head_words = tree.words, tree.head_words
        lexical = "lexical-bigram" in self.kinds
        for node, rule in enumerate(rules):
            if not rule:
                continue
            above = parents[node]
            upper = rules[above] if above >= 0 else ""
            if rule == done[node] and (above < 0 or upper == done[above]):
                continue
            features = known.get((upper, rule))
            children = all_children[node]
            if features is None:
                names, head = [symbols[child] for child in children], children.index(heads[node])
                features = self._remember(known, (upper, rule), structural_features(upper, names, head, rule))
            found.update(features)
            if lexical and len(children) > 1:
                headed = [f"{symbols[child]}/{words[head_words[child]]}" for child in children]
                for side, one, two in pairs(headed, children.index(heads[node])):
                    found[f"lexical-bigram {symbols[node]} {side} {one} {two}"] = None

    def _add_relations(self, found: Found, tree: HeadedTree) -> None:
        """Add the features of a head and one modifier."""
        labels, parents, head_words, modifiers = tree.labels, tree.parents, tree.head_words, tree.modifiers
        known = self._of_relations
        for node, children in enumerate(tree.children):
            if len(children) < 2:
                continue
            head = tree.head_children[node]
            place = -children.index(head)
            above = labels[parents[node]] if parents[node] >= 0 else TOP
            for child in children:
                if place:
                    distance = abs(head_words[child] - head_words[head]) - 1
                    nearest = max(-2, min(2, place))
                    key = above, labels[node], labels[head], modifiers[child], nearest, distance
                    features = known.get(key)
                    found.update(self._remember(known, key, modifier_features(*key)) if features is None else features)
                place += 1

    def _remember(self, known: dict[Key, Found], key: Key, features: list[str]) -> Found:
        """Cache the features of the wanted kinds, and return them."""
        if len(known) >= REMEMBERED:
            known.clear()
        known[key] = kept = {name: None for name in features if name.partition(" ")[0] in self.kinds}
        return kept


def rules_of(tree: HeadedTree, symbols: Sequence[str]) -> list[str]:
    """Write the rule of each node; leaves have an empty one."""
    rules = [""] * len(symbols)
    for node, children in enumerate(tree.children):
        if children:
            head = tree.head_children[node]
            names = ["*" + symbols[child] if child == head else symbols[child] for child in children]
            rules[node] = f"{symbols[node]} -> {' '.join(names)}"
    return rules
