"""Readings of a sentence: its taggings, each with its own trees, as one distribution.

P(tags, tree) = P(tags) P(tree | tags).  Each tagging is parsed by itself, and the trees of all of them compete by
P(tags, tree), where P(tags) is the share of a tagging in the probability of all that are considered.  The probabilities
of heads and relations are averages over the taggings.  All this is exact for the taggings considered.  Tags as states
of the chart would cover every tagging, but the features of an arc look at the tags of several words around its head and
its modifier, and the states would have to tell all combinations of these apart.

If a single tagging is considered, doubt about its tags takes a share of the probability of every tree
(`treewright.dependency.calibration`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from treewright.dependency.calibration import Calibration
from treewright.dependency.probabilities import (
    Probabilities,
    find_marginals,
    find_probabilities,
    find_rivals,
    log_probabilities,
)
from treewright.inference import ConstrainedTrees, Parse, Scores, Trees
from treewright.tagging.tagger import Tagging
from treewright.treebank import Sentence

__all__ = ["Candidate", "Reading", "Readings", "shares_of"]


@dataclass(frozen=True, eq=False)
class Reading:
    """A tagged sentence, the scores of its trees, and some of these trees, best first."""

    sentence: Sentence
    log_share: float  # of its tags: among all taggings considered, or, of a single one, what its doubts leave to trees
    scores: Scores
    parses: Sequence[Parse]


@dataclass(frozen=True, eq=False)
class Candidate:
    """A tree of a reading, with the logarithm of the probability of its tags, heads and relations."""

    sentence: Sentence
    parse: Parse
    log_probability: float


@dataclass(frozen=True, eq=False)
class Readings:
    """All readings of a sentence that are considered.

    Attributes
    ----------
    readings : sequence of Reading
    trees : Trees or ConstrainedTrees
        Those that probabilities are about.
    calibration : Calibration
    """

    readings: Sequence[Reading]
    trees: Trees | ConstrainedTrees
    calibration: Calibration

    def best(self) -> list[Candidate]:
        """Find the best tree; its probability is not computed, and counts as 1, where there is one reading."""
        if len(self.readings) > 1:
            return self.ranked()[:1]
        [one] = self.readings
        return [Candidate(one.sentence, one.parses[0], 0.0)]

    def ranked(self) -> list[Candidate]:
        """Merge the trees of all readings, the most probable first."""
        candidates = []
        for one in self.readings:
            logs = log_probabilities(self.trees, self.calibration, one.scores, one.parses)
            candidates += [
                Candidate(one.sentence, parse, one.log_share + log) for parse, log in zip(one.parses, logs, strict=True)
            ]
        if len(self.readings) > 1:
            candidates.sort(key=lambda candidate: -candidate.log_probability)
        return candidates

    def probabilities(self, candidates: Sequence[Candidate], alternatives: int = 0) -> list[Probabilities]:
        """Compute the probabilities of candidates: heads, relations and alternatives are averaged over all readings."""
        parses = [candidate.parse for candidate in candidates]
        if len(self.readings) == 1:
            [one] = self.readings
            notes = find_probabilities(self.trees, self.calibration, one.scores, parses, alternatives=alternatives)
            return [replace(note, tree=note.tree * math.exp(one.log_share)) for note in notes]
        of_each = [find_probabilities(self.trees, self.calibration, one.scores, parses) for one in self.readings]
        shares = [math.exp(one.log_share) for one in self.readings]
        found = [
            replace(_average(shares, some), tree=min(1.0, math.exp(candidate.log_probability)))
            for candidate, some in zip(candidates, zip(*of_each, strict=True), strict=True)
        ]
        if not alternatives:
            return found
        parts = (self.calibration.of_parts(one.scores) for one in self.readings)
        marginals = list(zip(shares, (find_marginals(self.trees, some) for some in parts), strict=True))
        return [find_rivals(marginals, parse, one, alternatives) for parse, one in zip(parses, found, strict=True)]


def shares_of(taggings: Sequence[Tagging]) -> list[float]:
    """Compute the logarithm of the share of each tagging in the probability of all of them."""
    if len(taggings) == 1:
        return [0.0]
    logs = [tagging.log_probability for tagging in taggings]
    total = np.logaddexp.reduce(logs)
    return [float(log - total) for log in logs]


def _average(shares: Sequence[float], some: Sequence[Probabilities]) -> Probabilities:
    """Average probabilities; that of a relation is the one given its head."""
    heads = np.average([one.heads for one in some], axis=0, weights=shares)
    relations = None
    labelled = [one.heads * one.relations for one in some if one.relations is not None]
    if labelled:
        relations = np.average(labelled, axis=0, weights=shares) / np.maximum(heads, np.finfo(float).tiny)
    return Probabilities(heads, relations, 0.0)
