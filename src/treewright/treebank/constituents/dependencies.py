"""From constituents to dependencies, by head rules.

The head of a word is the head of the smallest constituent around it that has another head.

The relation of a word *m* to its head is the triple of Carreras, Collins and Koo (2008), section 2.1.  Let *t* be the
largest constituent that *m* heads; the triple is the label of the parent of *t*, the label of the head child of that
parent, and the label of *t*.  So in ``(VP (VBD ate) (NP (NN cake)))`` the relation of *cake* to *ate* is ``VP+VBD+NP``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from treewright.errors import UsageError
from treewright.options import EmptyElements
from treewright.treebank.constituents.heads import HeadRules, find_head_children, find_head_words
from treewright.treebank.constituents.simplification import simplify
from treewright.treebank.constituents.tree import ConstituentTree
from treewright.treebank.sentence import Sentence

__all__ = ["ROOT_RELATION", "Relations", "to_dependencies"]

Relations = Literal["triples", "none"]

#: In the relation of the root, these take the place of the parent of the whole tree and of its head child.
ROOT_RELATION = ("TOP", "*")


def to_dependencies(
    tree: ConstituentTree,
    rules: HeadRules | str = "collins",
    *,
    relations: Relations = "triples",
    empty: EmptyElements = "penn",
) -> Sentence:
    """Turn a constituent tree into a projective dependency tree.

    Parameters
    ----------
    tree : ConstituentTree
        It is simplified first: empty elements, function tags and the empty bracket on top are removed.
    rules : HeadRules or str
        How to find heads; a name is that of rules that come with the package.
    relations : {"triples", "none"}
        How to label the arcs: by the labels of parent, head child and modifier, joined by ``+``, as in ``VP+VBD+NP``,
        and ``TOP+*+S`` for the root; or not at all.
    empty : {"penn", "historical", "keep"}
        What counts as an empty element; see `simplify`.

    Returns
    -------
    Sentence
        The words, their tags as both UPOS and XPOS, heads and relations.  It has no words if the tree has only empty
        elements.

    Examples
    --------
    >>> tree = ConstituentTree.from_string("(S (NP (NNP John)) (VP (VBD ate) (NP (NN cake))))")
    >>> sentence = to_dependencies(tree)
    >>> sentence.heads.tolist(), sentence.deprels
    ([2, 0, 2], ['S+VP+NP', 'TOP+*+S', 'VP+VBD+NP'])
    """
    if relations not in get_args(Relations):
        raise UsageError(f"relations is {relations!r}; it must be 'triples' or 'none'")
    if isinstance(rules, str):
        rules = HeadRules.load(rules)
    simple = simplify(tree, empty=empty)
    if simple is None:
        return Sentence.from_forms(())
    head_children = find_head_children(simple, rules)
    head_words = find_head_words(simple, head_children)
    modifiers = np.flatnonzero(head_words[1:] != head_words[simple.parents[1:]]) + 1
    heads = np.zeros(len(simple), np.int32)
    heads[head_words[modifiers] - 1] = head_words[simple.parents[modifiers]]
    columns = {"heads": heads, "upos": simple.tags, "xpos": simple.tags}
    if relations == "triples":
        columns["deprels"] = _triples(simple, head_children.tolist(), head_words.tolist(), modifiers.tolist())
    return Sentence.from_forms(simple.words, **columns)


def _triples(
    tree: ConstituentTree, head_children: Sequence[int], head_words: Sequence[int], modifiers: Sequence[int]
) -> list[str]:
    """Label the arc into each word, as the module describes."""
    labels, parents = tree.labels, tree.parents.tolist()
    relations = ["+".join((*ROOT_RELATION, labels[0]))] * len(tree)
    for node in modifiers:
        parent = parents[node]
        relations[head_words[node] - 1] = f"{labels[parent]}+{labels[head_children[parent]]}+{labels[node]}"
    return relations
