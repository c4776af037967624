"""The trees of candidates that carry them as text: brackets, or CoNLL-U."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from treewright.errors import UsageError
from treewright.reranking.candidates import Candidates
from treewright.treebank import ConstituentTree, Sentence, read_string, read_trees_string

__all__ = ["read_lists"]


def read_lists(
    candidates: Candidates, on_sentence: Callable[[int], None] = lambda done: None
) -> list[list[ConstituentTree | Sentence]]:
    """Read the trees of each sentence from the texts of its candidates.

    Parameters
    ----------
    candidates : Candidates
    on_sentence : function
        Called after each sentence with the number of those done.

    Raises
    ------
    UsageError
        When candidates have no texts, or a text is not one tree.

    Examples
    --------
    >>> from treewright.reranking import CandidatesBuilder
    >>> builder = CandidatesBuilder()
    >>> builder.add([-1.0, -2.0], [1.0, 0.0], [[], []], ids=["(S (VB go))", "(NP (NN go))"])
    >>> [[str(tree) for tree in trees] for trees in read_lists(builder.build())]
    [['(S (VB go))', '(NP (NN go))']]
    """
    if candidates.ids is None:
        raise UsageError("the candidates have no trees; list them with their trees")
    ids, offsets = candidates.ids, candidates.offsets.tolist()
    lists = []
    for first, last in pairwise(offsets):
        lists.append([_read(ids[c], c) for c in range(first, last)])
        on_sentence(len(lists))
    return lists


def _read(text: str, number: int) -> ConstituentTree | Sentence:
    trees: list[ConstituentTree] | list[Sentence]
    trees = read_trees_string(text, spaces="keep") if text.lstrip().startswith("(") else read_string(text)
    if len(trees) != 1:
        raise UsageError(f"the text of candidate {number + 1} has {len(trees)} trees; it must have one")
    return trees[0]
