"""The trees of candidates, read from their texts: brackets, CoNLL-U, words with tags, or graphs of units."""

from __future__ import annotations

import json
from collections.abc import Sequence
from operator import index
from typing import overload

from treewright.errors import UsageError
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.hidden.features import Candidate
from treewright.reranking.hidden.graphs import UnitGraph
from treewright.reranking.hidden.sequences import TaggedSequence
from treewright.treebank import ConstituentTree, Sentence, read_string, read_trees_string

__all__ = ["TreeLists"]


class TreeLists(Sequence[list[Candidate]]):
    """The trees of each sentence, read from the texts of its candidates at each access.

    A text is a tree in brackets, a tree in CoNLL-U, a line of words with their tags, ``Trees/NNS grow/VBP``, or a graph
    of units in JSON, ``{"forms": ["a", "b"], "tags": ["X", "Y"], "edges": [[0, 1]]}``.  As objects, the trees of a
    million candidates would take five gigabytes, so they are not kept.

    Raises
    ------
    UsageError
        If candidates have no texts; at access, if a text is in none of these forms, or has more than one tree.

    Examples
    --------
    >>> from treewright.reranking import CandidatesBuilder
    >>> builder = CandidatesBuilder()
    >>> builder.add([-1.0, -2.0], [1.0, 0.0], [[], []], ids=["(S (VB go))", "(NP (NN go))"])
    >>> builder.add([-1.0], [1.0], [[]], ids=["either/or/CC go/VB"])
    >>> brackets, tagged = TreeLists(builder.build())
    >>> [str(tree) for tree in brackets], tagged
    (['(S (VB go))', '(NP (NN go))'], [TaggedSequence(forms=['either/or', 'go'], tags=['CC', 'VB'])])
    """

    def __init__(self, candidates: Candidates) -> None:
        if candidates.ids is None:
            raise UsageError("the candidates have no trees; list them again with their trees")
        self._ids, self._offsets = candidates.ids, candidates.offsets.tolist()

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, place: int) -> list[Candidate]: ...
    @overload
    def __getitem__(self, place: slice) -> list[list[Candidate]]: ...
    def __getitem__(self, place: int | slice) -> list[Candidate] | list[list[Candidate]]:
        chosen = range(len(self))[place]
        if isinstance(chosen, range):
            return [self[one] for one in chosen]
        return [_read(self._ids[c], c) for c in range(self._offsets[chosen], self._offsets[chosen + 1])]


def _read(text: str, number: int) -> Candidate:
    trees: list[ConstituentTree] | list[Sentence]
    if text.lstrip().startswith("("):
        trees = read_trees_string(text, spaces="keep")
    elif text.lstrip().startswith("{"):
        return _read_graph(text, number)
    elif "\t" in text:
        trees = read_string(text)
    else:
        return _read_tagged(text, number)
    if len(trees) != 1:
        raise UsageError(f"the text of candidate {number + 1} has {len(trees)} trees; it must have exactly one")
    return trees[0]


def _read_tagged(text: str, number: int) -> TaggedSequence:
    parts = [word.rpartition("/") for word in text.split()]
    if not parts or not all(form and tag for form, _, tag in parts):
        kinds = (
            "a tree in brackets, a tree in CoNLL-U, a line of words with tags, Trees/NNS grow/VBP, or a graph in JSON"
        )
        raise UsageError(f"the text of candidate {number + 1} is not {kinds}")
    return TaggedSequence([form for form, _, _ in parts], [tag for _, _, tag in parts])


def _read_graph(text: str, number: int) -> UnitGraph:
    try:
        given = json.loads(text)
        forms, tags = ([str(name) for name in given[key]] for key in ("forms", "tags"))
        return UnitGraph(forms, tags, [(index(u), index(v), *map(str, name)) for u, v, *name in given["edges"]])
    except (KeyError, TypeError, ValueError, RecursionError):
        form = '{"forms": [...], "tags": [...], "edges": [[0, 1], ...]}'
        raise UsageError(f"the text of candidate {number + 1} is not a graph of units; write {form}") from None
