"""The trees of candidates, read from their texts: brackets, CoNLL-U, or words with tags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from treewright.errors import UsageError
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.hidden.features import Candidate
from treewright.reranking.hidden.sequences import TaggedSequence
from treewright.treebank import ConstituentTree, Sentence, read_string, read_trees_string

__all__ = ["TreeLists"]


class TreeLists(Sequence[list[Candidate]]):
    """The trees of each sentence, read from the texts of its candidates at each access.

    A text is a tree in brackets, a tree in CoNLL-U, or a line of words with their tags: ``Trees/NNS grow/VBP``.  As
    objects, the trees of a million candidates would take five gigabytes, so they are not kept.

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
    def __getitem__(self, index: int) -> list[Candidate]: ...
    @overload
    def __getitem__(self, index: slice) -> list[list[Candidate]]: ...
    def __getitem__(self, index: int | slice) -> list[Candidate] | list[list[Candidate]]:
        places = range(len(self))[index]
        if isinstance(places, range):
            return [self[place] for place in places]
        return [_read(self._ids[c], c) for c in range(self._offsets[places], self._offsets[places + 1])]


def _read(text: str, number: int) -> Candidate:
    trees: list[ConstituentTree] | list[Sentence]
    if text.lstrip().startswith("("):
        trees = read_trees_string(text, spaces="keep")
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
        kinds = "a tree in brackets, a tree in CoNLL-U, or a line of words with tags, Trees/NNS grow/VBP"
        raise UsageError(f"the text of candidate {number + 1} is not {kinds}")
    return TaggedSequence([form for form, _, _ in parts], [tag for _, _, tag in parts])
