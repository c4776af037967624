"""From trees to derivations (Carreras, Collins and Koo 2008, section 4.2).

A word heads a chain of constituents.  Their labels, from the lowest up, are its spine.  A *run* of consecutive nodes
with the same label is one node of the spine: the lowest of them; those above it are levels made by r-adjunction.  At
such a level the modifier nearest to the head on either side is r-adjoined, and the others on that side are s-adjoined;
below the levels, all are s-adjoined.

A derivation keeps left and right modifiers apart, so not every run can be rebuilt as it was.  It can exactly when on
each side the levels that have modifiers are the lowest ones (1, 2, ... without a gap), and every level has a modifier.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from treewright.arrays import Heads
from treewright.constituency.spines.derivation import REGULAR, SISTER, Derivation
from treewright.constituency.spines.spines import SpineTable
from treewright.errors import UsageError
from treewright.treebank import ConstituentTree, HeadRules, find_head_children, find_head_words

__all__ = ["Levels", "derivation_of", "extract_derivation"]

Levels = Literal["flat", "all"]

#: How many levels a run has above its lowest node, and how many have modifiers on the left and on the right.
Run = tuple[int, int, int]

_NEW_RUN: Run = (0, 0, 0)


def extract_derivation(
    tree: ConstituentTree, rules: HeadRules | str, table: SpineTable, *, levels: Levels = "flat"
) -> Derivation:
    """Read the derivation of a tree.

    Parameters
    ----------
    tree : ConstituentTree
        Taken as it is; `treewright.treebank.simplify` removes what parsers do not predict.
    rules : HeadRules or str
        Head rules, or the name of rules that come with the package.
    table : SpineTable
        The numbers of spines; new spines are added.
    levels : {"flat", "all"}
        What to do with levels that r-adjunction cannot rebuild: drop them, as in the paper, so that no spine has the
        same label twice in a row; or make them nodes of the spine, so that every tree is rebuilt as it was.

    Examples
    --------
    >>> table = SpineTable()
    >>> tree = ConstituentTree.from_string("(S (NP (NNP John)) (VP (VBD ate) (NP (NN cake))))")
    >>> derivation = extract_derivation(tree, "collins", table)
    >>> [str(table[spine]) for spine in derivation.spines], derivation.positions.tolist()
    (['NP', 'S/VP', 'NP'], [1, 0, 0])
    """
    if isinstance(rules, str):
        rules = HeadRules.load(rules)
    return derivation_of(tree, find_head_children(tree, rules), table, levels=levels)


def derivation_of(
    tree: ConstituentTree, head_children: Heads, table: SpineTable, *, levels: Levels = "flat"
) -> Derivation:
    """Read the derivation of a tree from the head child of every node (-1 for leaves)."""
    if levels not in get_args(Levels):
        raise UsageError(f"levels is {levels!r}; it must be 'flat' or 'all'")
    n = len(tree)
    heads, positions, adjunctions = [0] * n, [0] * n, [SISTER] * n
    owners = (find_head_words(tree, head_children) - 1).tolist()
    chosen = head_children.tolist()
    chains: list[list[str]] = [[] for _ in range(n)]
    runs = [_NEW_RUN] * n  # at the top of each chain
    children = tree.children()
    for node in range(len(children) - 1, -1, -1):  # children come before their parents, so chains grow upwards
        own = children[node]
        if not own:
            continue
        word, label = owners[node], tree.labels[node]
        place = own.index(chosen[node])
        left, right = own[:place], own[place + 1 :]
        is_level = chains[word][-1:] == [label] and (levels == "flat" or _is_rebuilt(runs[word], left, right))
        if is_level:
            made, on_left, on_right = runs[word]
            runs[word] = made + 1, on_left + bool(left), on_right + bool(right)
            for nearest in (*left[-1:], *right[:1]):
                adjunctions[owners[nearest]] = REGULAR
        else:
            chains[word].append(label)
            runs[word] = _NEW_RUN
        for child in (*left, *right):
            heads[owners[child]], positions[owners[child]] = word + 1, len(chains[word]) - 1
    spines = [table.add(tuple(chain)) for chain in chains]
    columns = (np.array(column, np.int32) for column in (spines, heads, positions, adjunctions))
    return Derivation(tree.words, tree.tags, *columns)


def _is_rebuilt(run: Run, left: list[int], right: list[int]) -> bool:
    """Return whether r-adjunction rebuilds the next level of a run at its height."""
    made, on_left, on_right = run
    return bool(left or right) and (not left or on_left == made) and (not right or on_right == made)
