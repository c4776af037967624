"""What the features of a candidate observe, without hidden values: Koo and Collins (2005), section 4 and Figure 2.

Constituent trees, dependency trees, tagged sequences and graphs all become an `Observation`: a graph over the words,
and hashes of what is observed at each word and each edge.  A dependency tree is read as a flat constituent tree: each
word projects one constituent, labelled with its relation, whose children are its tag and its modifiers.  So *Highest
NT* is the relation, and a *rule* is a head with all its modifiers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, get_args

import numpy as np

from treewright.arrays import Ints, Places
from treewright.errors import UsageError
from treewright.reranking.hidden.hashing import Hashes64, hash_text, hash_texts
from treewright.reranking.hidden.tree_features import HashedTree, order_words, tree_features
from treewright.reranking.options import Structure
from treewright.treebank import ConstituentTree, HeadRules, Sentence, find_head_children, find_head_words

__all__ = [
    "CONJUNCTIONS",
    "STRUCTURES",
    "Observation",
    "fine_tags",
    "observe",
    "observe_parse",
    "observe_tree",
]

#: Head-modifier dependencies, and sibling dependencies (section 4.2).
STRUCTURES = get_args(Structure)

#: Labels, tags and relations of conjunctions: a rule with one of them is +CC.
CONJUNCTIONS = frozenset({"CC", "CCONJ", "CONJP", "CJC", "cc"})


class Observation(NamedTuple):
    """One candidate as its features see it; forms, tags, highest and lemmas decide the domains of hidden values."""

    forms: Sequence[str]
    tags: Sequence[str]
    highest: Sequence[str]
    lemmas: Sequence[str]  # ``"_"`` if unknown
    edges: Places  # (m, 2): the words that are connected, from 0; in a tree, a parent and a child
    starts: Ints  # where the contexts of each word begin
    contexts: Hashes64  # what is observed at each word: its single-variable features without the hidden value
    edge_contexts: Hashes64  # (m, 3): what is observed at each edge; 0 for nothing

    @property
    def parent(self) -> Places:
        """The parent of each word, where the graph is a tree; -1 if it has none."""
        parent = np.full(len(self.forms), -1, np.int32)
        parent[self.edges[:, 1]] = self.edges[:, 0]
        return parent


def observe(
    candidate: ConstituentTree | Sentence, structure: Structure = "head", rules: HeadRules | str = "collins"
) -> Observation:
    """Observe a constituent tree or a dependency tree; head rules are for constituents only.

    Examples
    --------
    >>> tree = ConstituentTree.from_string("(S (NP (NNP John)) (VP (VBD ate) (NP (NN cake)) (NP (NN today))))")
    >>> observe(tree).parent.tolist(), observe(tree, "sibling").parent.tolist()
    ([1, -1, 1, 1], [1, -1, 1, 2])
    >>> observe(tree).highest
    ['NP', 'S', 'NP', 'NP']
    """
    if isinstance(candidate, ConstituentTree):
        return observe_tree(candidate, structure, rules)
    return observe_parse(candidate, structure)


def observe_tree(
    tree: ConstituentTree, structure: Structure = "head", rules: HeadRules | str = "collins"
) -> Observation:
    """Observe a constituent tree; ``rules`` find its heads."""
    if isinstance(rules, str):
        rules = HeadRules.of(rules)
    head_children = find_head_children(tree, rules)
    head_words = find_head_words(tree, head_children) - 1
    leaves = tree.leaves
    headed = HashedTree(
        hash_texts(tree.labels),
        np.array([label in CONJUNCTIONS for label in tree.labels]),
        tree.parents.copy(),
        head_children,
        head_words.astype(np.int32),
        leaves.copy(),
    )
    blank = ("_",) * len(tree)
    return _observation(headed, tree.labels, tree.words, tree.tags, blank, structure)


def observe_parse(sentence: Sentence, structure: Structure = "head") -> Observation:
    """Observe a dependency tree; the tag of a word is its XPOS, or its UPOS if it has none.

    Raises
    ------
    UsageError
        If a word has no head, or the heads form a cycle.
    """
    n = len(sentence)
    order = order_words(sentence.heads - 1)
    if len(order) < n:
        raise UsageError(f"not a tree: heads {sentence.heads.tolist()}; every word must be reachable from the root")
    tags = fine_tags(sentence)
    phrase = np.empty(n, np.int32)  # the constituent of each word; the node of its tag comes right after
    phrase[order] = np.arange(0, 2 * n, 2)
    labels = [""] * (2 * n)
    for word, node in enumerate(phrase.tolist()):
        labels[node], labels[node + 1] = sentence.deprels[word], tags[word]
    parents, head_children = np.empty(2 * n, np.int32), np.full(2 * n, -1, np.int32)
    parents[phrase] = np.where(sentence.heads > 0, phrase[sentence.heads - 1], -1)
    parents[phrase + 1] = phrase
    head_children[phrase] = phrase + 1
    is_conjunction = np.array([label in CONJUNCTIONS for label in labels], np.bool_)
    head_words = np.repeat(order, 2).astype(np.int32)
    headed = HashedTree(hash_texts(labels), is_conjunction, parents, head_children, head_words, phrase + 1)
    return _observation(headed, labels, sentence.forms, tags, sentence.lemmas, structure)


def fine_tags(sentence: Sentence) -> list[str]:
    """Return the tag of each word: its XPOS, or its UPOS if it has none."""
    return [x if x != "_" else u for x, u in zip(sentence.xpos, sentence.upos, strict=True)]


def _observation(
    tree: HashedTree,
    labels: Sequence[str],
    forms: Sequence[str],
    tags: Sequence[str],
    lemmas: Sequence[str],
    structure: Structure,
) -> Observation:
    if structure not in STRUCTURES:
        raise UsageError(f"structure is {structure!r}; it must be one of {', '.join(STRUCTURES)}")
    words = np.array([hash_text(form) for form in forms], np.uint64)
    top, parent, starts, contexts, pairs = tree_features(tree, words, structure == "sibling")
    highest = [labels[node] for node in top.tolist()]
    below = np.flatnonzero(parent >= 0)
    edges = np.empty((len(below), 2), np.int32)
    edges[:, 0], edges[:, 1] = parent[below], below
    return Observation(forms, tags, highest, lemmas, edges, starts, contexts, pairs[below])
