"""The trees of candidates that carry them as text: brackets, CoNLL-U, or words with tags."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from treewright.errors import UsageError
from treewright.reranking.candidates import Candidates
from treewright.reranking.hidden.features import Candidate
from treewright.reranking.hidden.sequences import TaggedSequence
from treewright.treebank import ConstituentTree, Sentence, read_string, read_trees_string

__all__ = ["read_lists"]


def read_lists(candidates: Candidates, on_sentence: Callable[[int], None] = lambda done: None) -> list[list[Candidate]]:
    """Read the trees of each sentence from the texts of its candidates.

    A text is a tree in brackets, a tree in CoNLL-U, or a line of words with their tags: ``Trees/NNS grow/VBP``.

    Parameters
    ----------
    candidates : Candidates
    on_sentence : function
        Called after each sentence with the number of those done.

    Raises
    ------
    UsageError
        When candidates have no texts, or a text is none of these, or more than one tree.

    Examples
    --------
    >>> from treewright.reranking import CandidatesBuilder
    >>> builder = CandidatesBuilder()
    >>> builder.add([-1.0, -2.0], [1.0, 0.0], [[], []], ids=["(S (VB go))", "(NP (NN go))"])
    >>> [[str(tree) for tree in trees] for trees in read_lists(builder.build())]
    [['(S (VB go))', '(NP (NN go))']]
    >>> builder = CandidatesBuilder()
    >>> builder.add([-1.0], [1.0], [[]], ids=["either/or/CC go/VB"])
    >>> read_lists(builder.build())
    [[TaggedSequence(forms=['either/or', 'go'], tags=['CC', 'VB'])]]
    """
    if candidates.ids is None:
        raise UsageError("the candidates have no trees; list them with their trees")
    ids, offsets = candidates.ids, candidates.offsets.tolist()
    lists = []
    for first, last in pairwise(offsets):
        lists.append([_read(ids[c], c) for c in range(first, last)])
        on_sentence(len(lists))
    return lists


def _read(text: str, number: int) -> Candidate:
    trees: list[ConstituentTree] | list[Sentence]
    if text.lstrip().startswith("("):
        trees = read_trees_string(text, spaces="keep")
    elif "\t" in text:
        trees = read_string(text)
    else:
        return _read_tagged(text, number)
    if len(trees) != 1:
        raise UsageError(f"the text of candidate {number + 1} has {len(trees)} trees; it must have one")
    return trees[0]


def _read_tagged(text: str, number: int) -> TaggedSequence:
    parts = [word.rpartition("/") for word in text.split()]
    if not parts or not all(form and tag for form, _, tag in parts):
        kinds = "a tree in brackets, a tree in CoNLL-U, or a line of words with tags, Trees/NNS grow/VBP"
        raise UsageError(f"the text of candidate {number + 1} is not {kinds}")
    return TaggedSequence([form for form, _, _ in parts], [tag for _, _, tag in parts])
