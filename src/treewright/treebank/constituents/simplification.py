"""Remove what parsers do not predict: traces, function tags, the empty bracket on top."""

from __future__ import annotations

import re
from typing import get_args

import numpy as np

from treewright.arrays import Mask
from treewright.errors import UsageError
from treewright.options import EmptyElements
from treewright.treebank.constituents.tree import ConstituentTree

__all__ = ["escape_brackets", "escape_word", "remove_nodes", "simplify", "strip_function_tag", "unescape_brackets"]

_ESCAPES = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_ESCAPED = re.compile("|".join(_ESCAPES))


def simplify(
    tree: ConstituentTree, *, top: bool = True, empty: EmptyElements = "penn", functions: bool = True
) -> ConstituentTree | None:
    """Remove from a tree what parsers are usually not trained on; None if no word is left.

    Parameters
    ----------
    tree : ConstituentTree
    top : bool
        Remove the empty bracket around the tree.
    empty : {"penn", "historical", "keep"}
        Remove empty elements, and constituents that have nothing else in them.  Empty elements are those with the tag
        ``-NONE-``, as in the Penn Treebank; or, as in the Penn corpora of historical English and similar ones, words
        that start with ``*``, and ``0`` unless it is tagged as a number.
    functions : bool
        Remove function tags and indices from the labels of constituents: ``NP-SBJ-1`` and ``NP=2`` become ``NP``.
        Tags of words stay as they are.

    Examples
    --------
    >>> tree = ConstituentTree.from_string("( (S (NP-SBJ-1 (NNS Trees)) (VP (VBP grow) (S (-NONE- *-1)))))")
    >>> print(simplify(tree))
    (S (NP (NNS Trees)) (VP (VBP grow)))
    """
    if empty not in get_args(EmptyElements):
        raise UsageError(f"empty is {empty!r}; it must be one of {', '.join(get_args(EmptyElements))}")
    found: ConstituentTree | None = tree
    if functions:
        found = _without_functions(tree, empty)
    if empty != "keep":
        found = remove_nodes(found or tree, _empty_elements(tree, empty))
    if top and found is not None and not found.labels[0] and np.count_nonzero(found.parents == 0) == 1:
        found = ConstituentTree.trusted(found.labels[1:], found.parents[1:] - 1, found.words)
    return found


def strip_function_tag(label: str) -> str:
    """Strip function tags and indices from a label.

    Examples
    --------
    >>> [strip_function_tag(label) for label in ("NP-SBJ-1", "NP=2", "-LRB-", "ADVP|PRT")]
    ['NP', 'NP', '-LRB-', 'ADVP|PRT']
    """
    if label.startswith(("-", "=")):
        return label
    return label.partition("-")[0].partition("=")[0]


def escape_brackets(tree: ConstituentTree) -> ConstituentTree:
    """Write round brackets in words as ``-LRB-`` and ``-RRB-``, as the format requires.

    Examples
    --------
    >>> print(escape_brackets(ConstituentTree(["X"], [-1], [":)"])))
    (X :-RRB-)
    """
    return tree.respell(map(escape_word, tree.words))


def escape_word(word: str) -> str:
    """Write round brackets in a word as ``-LRB-`` and ``-RRB-``."""
    return word.replace("(", "-LRB-").replace(")", "-RRB-")


def unescape_brackets(tree: ConstituentTree) -> ConstituentTree:
    """Restore the brackets in words: ``-LRB-`` becomes ``(``, and so on for round, square and curly brackets.

    Examples
    --------
    >>> unescape_brackets(ConstituentTree.from_string("(-LRB- -LRB-)")).words
    ('(',)
    """
    return tree.respell(_ESCAPED.sub(lambda match: _ESCAPES[match.group()], word) for word in tree.words)


def remove_nodes(tree: ConstituentTree, removed: Mask) -> ConstituentTree | None:
    """Remove nodes from a tree, and with them constituents that have no words left; None if no word is left at all.

    The children of a removed node become children of the node above it.  The top can only be removed with everything
    else.

    Parameters
    ----------
    tree : ConstituentTree
    removed : bool array, shape (nodes,)
        Which nodes; a leaf is removed with its word.
    """
    if not removed.any():
        return tree
    words_before = np.concatenate([[0], np.cumsum(~removed[tree.leaves])])
    kept = (words_before[tree.ends] > words_before[tree.starts]) & ~removed
    if not words_before[-1]:
        return None
    if not kept[0]:
        raise UsageError("the top of a tree can only be removed with everything below it")
    numbers = np.cumsum(kept) - 1
    places = numbers.tolist()  # of each node, or of the nearest node above it that is kept
    parents = tree.parents.tolist()
    for node in np.flatnonzero(~kept).tolist():
        places[node] = places[parents[node]]
    own = np.flatnonzero(kept).tolist()
    words = [word for word, leaf in zip(tree.words, tree.leaves.tolist(), strict=True) if kept[leaf]]
    above = [-1, *(places[parents[node]] for node in own[1:])]
    return ConstituentTree.trusted([tree.labels[node] for node in own], above, words)


def _empty_elements(tree: ConstituentTree, empty: EmptyElements) -> Mask:
    """Mark the leaves that are empty elements."""
    marked = np.zeros(len(tree.labels), np.bool_)
    if empty == "penn":
        marked[tree.leaves] = [tag == "-NONE-" for tag in tree.tags]
    elif empty == "historical":
        marked[tree.leaves] = [
            word.startswith("*") or (word == "0" and not tag.startswith("NUM"))
            for word, tag in zip(tree.words, tree.tags, strict=True)
        ]
    return marked


def _without_functions(tree: ConstituentTree, empty: EmptyElements) -> ConstituentTree:
    """Strip function tags from the labels of constituents and of historical empty elements, not from tags of words."""
    constituents = ~tree.is_leaf | _empty_elements(tree, "historical" if empty == "historical" else "keep")
    labels = [
        strip_function_tag(label) if cut else label
        for label, cut in zip(tree.labels, constituents.tolist(), strict=True)
    ]
    return ConstituentTree.trusted(labels, tree.parents, tree.words)
