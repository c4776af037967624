"""From derivations to trees, and to labelled dependencies (Carreras, Collins and Koo 2008, sections 2.3 and 2.1).

Left and right modifiers are joined to a spine separately, and then combined so that each keeps its *height*.  At one
position of the spine, a modifier that was s-adjoined before any r-adjunction on its side hangs from the node of the
spine itself, and one that came with or after the *k*-th r-adjunction on its side hangs from the *k*-th level above it.
A level thus has the modifiers of its height from both sides, and there are as many levels as r-adjunctions on the side
that has more of them (Figure 3 of the paper).
"""

from __future__ import annotations

from treewright.constituency.spines.derivation import Derivation, check_derivation, modifier_heights
from treewright.constituency.spines.spines import SpineTable
from treewright.errors import UsageError
from treewright.treebank import ConstituentTree
from treewright.treebank.constituents.dependencies import ROOT_RELATION

__all__ = ["Triple", "build_tree", "grammatical_relations"]

Triple = tuple[str, str, str]


def build_tree(derivation: Derivation, table: SpineTable) -> ConstituentTree:
    """Build the tree of a derivation.

    Raises
    ------
    UsageError
        When it is not a derivation: its heads are not a projective tree with one root, a spine has no such position,
        or spines do not nest.

    Examples
    --------
    >>> table = SpineTable()
    >>> eat, food = table.add(("VP", "S")), table.add(("NP",))
    >>> derivation = Derivation.from_lists(
    ...     ["ate", "cake"], ["VBD", "NN"], spines=[eat, food], heads=[0, 1], positions=[0, 0], adjunctions=[0, 1]
    ... )
    >>> print(build_tree(derivation, table))
    (S (VP (VP (VBD ate)) (NP (NN cake))))
    """
    check_derivation(derivation, table)
    labels, parents, leaves = _link_nodes(derivation, table)
    numbers = [-1] * (len(labels) + 1)  # in preorder; the last is the parent of the top, -1
    order: list[int] = []
    opened = [False] * len(labels) + [True]
    for leaf in leaves:
        path = []
        node = leaf
        while not opened[node]:  # a node opens with its first word
            opened[node] = True
            path.append(node)
            node = parents[node]
        for node in reversed(path):
            numbers[node] = len(order)
            order.append(node)
    names = [labels[node] for node in order]
    if not all(names[1:]):
        raise UsageError("not a derivation: a label is empty; only the top of the tree may have an empty label")
    return ConstituentTree.trusted(names, [numbers[parents[node]] for node in order], derivation.words)


def _link_nodes(derivation: Derivation, table: SpineTable) -> tuple[list[str], list[int], list[int]]:
    """Make the nodes of all spines, the lowest first: their labels, the parent of each, and the leaf of each word.

    The tops of the spines are linked once all nodes have numbers; the parent of the top of the tree is -1.
    """
    heights = modifier_heights(derivation).tolist()
    heads, positions = derivation.heads.tolist(), derivation.positions.tolist()
    made: list[dict[int, int]] = [{} for _ in range(len(heads) + 1)]  # levels of each head, by position
    for head, position, height in zip(heads, positions, heights, strict=True):
        if height > made[head].get(position, 0):
            made[head][position] = height
    labels: list[str] = []
    parents: list[int] = []
    leaves, firsts = [], []  # the leaf of each word, and the lowest node of each position
    for word, (tag, number) in enumerate(zip(derivation.tags, derivation.spines.tolist(), strict=True), 1):
        leaves.append(len(labels))
        labels.append(tag)
        first = []
        for position, label in enumerate(table[number].labels):
            first.append(len(labels))
            labels += [label] * (1 + made[word].get(position, 0))
        firsts.append(first)
        parents += range(leaves[-1] + 1, len(labels) + 1)
    tops = [leaf - 1 for leaf in (*leaves[1:], len(labels))]
    for top, head, position, height in zip(tops, heads, positions, heights, strict=True):
        parents[top] = firsts[head - 1][position] + height if head else -1
    return labels, parents, leaves


def grammatical_relations(derivation: Derivation, table: SpineTable) -> list[Triple]:
    """Find the grammatical relation of each word to its head, GRM(l) of section 2.1.

    It is a triple of labels: those of the node that the word is joined to, of the head child of this node, and of the
    top of the word's own spine.  After an r-adjunction the first two are the same.

    Returns
    -------
    list of (str, str, str)
        Joined by ``+``, these are the relations that `treewright.treebank.to_dependencies` finds in the tree.

    Examples
    --------
    >>> from treewright.constituency.spines import extract_derivation
    >>> table = SpineTable()
    >>> for text in ("(S (VP (VBD ate) (NP (NN cake))))", "(S (VP (VP (VBD ate)) (NP (NN cake))))"):
    ...     derivation = extract_derivation(ConstituentTree.from_string(text), "collins", table)
    ...     print(grammatical_relations(derivation, table)[1])
    ('VP', 'VBD', 'NP')
    ('VP', 'VP', 'NP')
    """
    check_derivation(derivation, table)
    chains = [(tag, *table[number].labels) for tag, number in zip(derivation.tags, derivation.spines, strict=True)]
    found: list[Triple] = []
    columns = (derivation.heads, derivation.positions, modifier_heights(derivation))
    for chain, head, position, height in zip(chains, *(column.tolist() for column in columns), strict=True):
        if not head:
            found.append((*ROOT_RELATION, chain[-1]))
            continue
        label = chains[head - 1][position + 1]
        found.append((label, label if height else chains[head - 1][position], chain[-1]))
    return found
