"""Trees of NLTK: its dependency graphs and its trees, both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from treewright.errors import UsageError
from treewright.integrations.libraries import library
from treewright.treebank import ConstituentTree, Sentence

if TYPE_CHECKING:
    import nltk

__all__ = ["from_nltk", "to_nltk"]

#: The fields of a node of NLTK → the columns of a sentence.
_FIELDS = {"word": "forms", "lemma": "lemmas", "ctag": "upos", "tag": "xpos", "feats": "feats", "rel": "deprels"}


@overload
def to_nltk(tree: Sentence) -> nltk.DependencyGraph: ...
@overload
def to_nltk(tree: ConstituentTree) -> nltk.Tree: ...
def to_nltk(tree: Sentence | ConstituentTree) -> Any:
    """Convert the tree of a sentence to a dependency graph of NLTK, and a constituent tree to a tree of NLTK.

    A graph has UPOS as ``ctag`` and XPOS as ``tag``, and no more than NLTK has a place for: comments, DEPS, MISC,
    multiword tokens and empty nodes are left out.  A word without a head is a node without one.

    Raises
    ------
    UsageError
        If NLTK is not installed.

    Examples
    --------
    >>> graph = to_nltk(Sentence.from_forms(["Trees", "grow"], heads=[2, 0], deprels=["nsubj", "root"]))
    >>> print(graph.tree())
    (grow Trees)
    >>> print(to_nltk(ConstituentTree.from_string("(NP (DT a) (NN tree))")))
    (NP (DT a) (NN tree))
    """
    return _graph(tree) if isinstance(tree, Sentence) else _tree(tree)


def from_nltk(tree: nltk.DependencyGraph | nltk.Tree) -> Sentence | ConstituentTree:
    """Convert a dependency graph of NLTK to a sentence, and a tree of NLTK, each word of which has a tag, to ours.

    Raises
    ------
    UsageError
        If NLTK is not installed; if a word of a tree has other words or constituents beside it; if the words of a graph
        are not numbered from 1, or have heads that are not among them.
    """
    graphs, trees = library("nltk.parse", "NLTK").DependencyGraph, library("nltk.tree", "NLTK").Tree
    if isinstance(tree, graphs):
        return _sentence(tree)
    if isinstance(tree, trees):
        return _constituents(tree, trees)
    raise TypeError(f"cannot convert {type(tree).__name__}: give a DependencyGraph or a Tree of NLTK")


def _graph(sentence: Sentence) -> Any:
    graph = library("nltk.parse", "NLTK").DependencyGraph(top_relation_label="root")
    columns = {field: getattr(sentence, column) for field, column in _FIELDS.items()}
    for i, head in enumerate(sentence.heads.tolist()):
        values = {field: column[i] for field, column in columns.items()}
        graph.nodes[i + 1].update(values, address=i + 1, head=None if head < 0 else head)
    for i, head in enumerate(sentence.heads.tolist()):
        if head >= 0:
            graph.nodes[head]["deps"][sentence.deprels[i]].append(i + 1)
        if head == 0 and graph.root is None:
            graph.root = graph.nodes[i + 1]
    return graph


def _sentence(graph: Any) -> Sentence:
    numbers = sorted(address for address in graph.nodes if address)
    if numbers != list(range(1, len(numbers) + 1)):
        raise UsageError(f"the words of the graph have the numbers {numbers[:8]}: they must be 1, 2 and so on")
    nodes = [graph.nodes[number] for number in numbers]
    columns = {column: [_text(node[field]) for node in nodes] for field, column in _FIELDS.items()}
    heads = [-1 if node["head"] is None else int(node["head"]) for node in nodes]
    if heads and not (min(heads) >= -1 and max(heads) <= len(heads)):
        raise UsageError("the graph has heads that are not among its words")
    forms = columns.pop("forms")
    return Sentence.from_forms(forms, heads=heads, **columns)


def _text(value: Any) -> str:
    """Return the text of a field; NLTK leaves some empty, and may hold features as a list or a dictionary."""
    if isinstance(value, dict):
        value = "|".join(f"{name}={one}" for name, one in value.items())
    elif isinstance(value, list | tuple):
        value = "|".join(map(str, value))
    return "_" if value is None or value == "" else str(value)


def _tree(tree: ConstituentTree) -> Any:
    make = library("nltk.tree", "NLTK").Tree
    nodes: list[Any] = [make(label, []) for label in tree.labels]
    for leaf, word in zip(tree.leaves.tolist(), tree.words, strict=True):
        nodes[leaf].append(word)
    for node, parent in enumerate(tree.parents[1:].tolist(), 1):
        nodes[parent].append(nodes[node])
    return nodes[0]


def _constituents(tree: Any, kind: type) -> ConstituentTree:
    labels: list[str] = []
    parents: list[int] = []
    words: list[str] = []
    waiting: list[tuple[Any, int]] = [(tree, -1)]
    while waiting:
        node, parent = waiting.pop()
        children = list(node)
        labels.append(str(node.label()))
        parents.append(parent)
        if len(children) == 1 and not isinstance(children[0], kind):
            words.append(str(children[0]))
        elif not children or not all(isinstance(child, kind) for child in children):
            raise UsageError(
                f"{labels[-1]!r} has words beside other children, or nothing below it; give each word a tag"
            )
        else:
            waiting += [(child, len(labels) - 1) for child in reversed(children)]
    return ConstituentTree(labels, parents, words)
