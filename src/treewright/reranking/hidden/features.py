"""From candidates to arrays: the rows of weights, and the place of each.

Rows are found by their sorted keys; a row that occurs in too few sentences has no weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy

import numpy as np

from treewright.arrays import Places
from treewright.errors import UsageError
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.candidates.offsets import offsets_of
from treewright.reranking.hidden.assembly import assemble, count_rows
from treewright.reranking.hidden.domains import Domains
from treewright.reranking.hidden.graphs import UnitGraph, observe_graph
from treewright.reranking.hidden.hashing import Hashes64
from treewright.reranking.hidden.observation import Observation, fine_tags, observe
from treewright.reranking.hidden.sequences import TaggedSequence, observe_sequence
from treewright.reranking.hidden.sharing import SharedSentence, share
from treewright.reranking.hidden.supersenses import Supersenses
from treewright.reranking.hidden.trees import BASE, HiddenTrees
from treewright.reranking.options import HiddenSettings, Ties
from treewright.treebank import ConstituentTree, Sentence

__all__ = ["Candidate", "HiddenFeatures", "forms_and_tags"]

#: The trees that can be reranked.
Candidate = ConstituentTree | Sentence | TaggedSequence | UnitGraph


class HiddenFeatures:
    """Turns candidates into arrays.

    ``keys`` are the sorted keys of the known rows, and ``widths`` the numbers of their weights.  ``size`` is the number
    of all weights: one for the base log-probability, and those of the rows.
    """

    def __init__(
        self,
        settings: HiddenSettings,
        supersenses: Supersenses | None = None,
        keys: Hashes64 | None = None,
        widths: Places | None = None,
    ) -> None:
        self.settings, self.supersenses = settings, supersenses
        self.domains = Domains(settings.domains, supersenses, settings.most_senses)
        self._set_rows(
            np.empty(0, np.uint64) if keys is None else keys, np.empty(0, np.int32) if widths is None else widths
        )

    def _set_rows(self, keys: Hashes64, widths: Places) -> None:
        self.keys, self.widths = keys, widths
        starts = BASE + 1 + offsets_of(widths)
        self.size = int(starts[-1])
        if self.size >= 1 << 31:
            raise UsageError(f"{self.size:,} weights are too many; raise the cutoff, or use fewer hidden values")
        self._starts = starts[:-1].astype(np.int32)

    def anew(self) -> HiddenFeatures:
        """Return the same features without the domains of words seen so far, which become many in a corpus."""
        same = copy(self)
        same.domains = Domains(self.settings.domains, self.supersenses, self.settings.most_senses)
        return same

    def read(
        self,
        lists: Iterable[Sequence[Candidate]],
        candidates: Candidates,
        *,
        learn: bool = False,
        ties: Ties = "all",
        on_sentence: Callable[[int], None] = lambda done: None,
    ) -> HiddenTrees:
        """Turn candidates into arrays.

        Parameters
        ----------
        lists : iterable of sequences of trees
            The candidates of each sentence: constituent trees, dependency trees, tagged sequences or graphs of units.
        candidates : Candidates
            Their log-probabilities and gold scores; their features are not used.
        learn : bool
            Whether to learn the rows from these candidates, by the cutoff; otherwise unknown rows are dropped.
        ties : {"all", "one"}
            Which of several best candidates are the best; see `Candidates.is_best`.
        on_sentence : function
            Called after each sentence with the number of sentences done.
        """
        shared: list[SharedSentence] = []
        for number, trees in enumerate(lists):
            expected = int(np.diff(candidates.offsets[number : number + 2]).sum())
            if len(trees) != expected or not all(
                len(tree[0] if isinstance(tree, TaggedSequence | UnitGraph) else tree) for tree in trees
            ):
                raise UsageError(
                    f"sentence {number + 1} has {len(trees)} trees for {expected} candidates; "
                    "every candidate needs a tree with words"
                )
            shared.append(share([self.observe(tree) for tree in trees], self.domains))
            on_sentence(number + 1)
        if len(shared) != candidates.sentences:
            raise UsageError(f"{candidates.sentences} sentences need as many lists of trees, not {len(shared)}")
        if learn:
            self._set_rows(*count_rows(shared, self.domains, self.settings.cutoff))
        found = assemble(shared, self.domains, candidates, self.keys, self._starts, ties)
        return found if self.settings.base_feature else found._replace(base=np.zeros_like(found.base))

    def observe(self, candidate: Candidate) -> Observation:
        """Observe a candidate of any kind."""
        if isinstance(candidate, TaggedSequence):
            return observe_sequence(candidate)
        if isinstance(candidate, UnitGraph):
            return observe_graph(candidate)
        return observe(candidate, self.settings.structure, self.settings.rules)


def forms_and_tags(candidate: Candidate) -> tuple[Sequence[str], Sequence[str]]:
    """Return the words of a candidate, and their tags."""
    if isinstance(candidate, ConstituentTree):
        return candidate.words, candidate.tags
    if isinstance(candidate, Sentence):
        return candidate.forms, fine_tags(candidate)
    return candidate.forms, candidate.tags
