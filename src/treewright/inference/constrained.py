"""The questions of `Trees`, about the trees that obey constraints.

*Arcs and labels* are forbidden before the search: every question has its exact answer at the price of one without
constraints.

*Spans.*  No arc may leave a subtree, and exactly one arc enters it.  At least one does so in any tree; so if every arc
into the span costs a constant that outweighs everything else, the trees with the fewest such arcs have all the
probability, and if one arc enters each span, these are the trees that obey.  The constant is returned with the answer.
Searches that are NP-hard would suffer from it, and branch (`treewright.inference.branching`).

*Rules about several arcs*, such as one subject for each head, are for searches that branch: `argmax`, and `k_best`,
which lists trees until enough of them obey.  Sums over the trees that obey are intractable.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from treewright.arrays import Heads
from treewright.inference.branching import Search, best_that_obeys, obeys
from treewright.inference.constraints import Constraints, inside_of
from treewright.inference.labels import best_labels
from treewright.inference.magnitudes import NEGLIGIBLE, WIDEST
from treewright.inference.parse import Parse
from treewright.inference.problem import NoEndError, NoTreeError, Problem
from treewright.inference.scores import Scores
from treewright.inference.trees import Trees

__all__ = ["ConstrainedTrees"]

#: Trees to list at most in search of the k best that obey.
MOST_TREES = 20_000

#: Sets of constraints to try at most in search of a smallest one that no tree obeys.
MOST_SETS = 2_000


@dataclass(frozen=True)
class ConstrainedTrees:
    """The trees of a search space that obey constraints.

    Parameters
    ----------
    trees : Trees
    constraints : Constraints
        Labels are numbers, as in the scores.
    time_limit : float
        Seconds after which a search that branches is content with a tree that obeys and has no certificate; it is given
        up if there is none after as many again, and so are the k best trees, and the search for what clashes.

    Examples
    --------
    >>> scores = Scores(arc=[[0, 1, 5, 0], [0, 0, 2, 4], [0, 3, 0, 6], [0, 0, 0, 0]])
    >>> Trees().argmax(scores).heads.tolist()
    [-1, 2, 0, 2]
    >>> ConstrainedTrees(Trees(), Constraints(forbidden=[(0, 2)])).argmax(scores).heads.tolist()
    [-1, 0, 1, 2]
    >>> ConstrainedTrees(Trees(), Constraints(required=[(1, 2)], spans=[(2, 3)], forbidden=[(2, 3)])).argmax(scores)
    Traceback (most recent call last):
        ...
    treewright.inference.problem.NoTreeError: no tree obeys: the head of word 2 is word 1; the arc from 2 to 3 is \
forbidden; words 2 to 3 form a subtree
    """

    trees: Trees
    constraints: Constraints
    time_limit: float = math.inf

    def scores(self, scores: Scores) -> Scores:
        """Forbid the arcs and labels that contradict constraints on arcs, labels and spans."""
        return self.constraints.of_arcs(scores)

    def argmax(self, scores: Scores, search: Search | None = None) -> Parse:
        """Find the best tree that obeys; see `Trees.argmax`.

        ``search`` finds the best tree under scores where `Trees.argmax` does not: among non-local factors, or with a
        proof at any price (`DualDecomposition`).
        """
        with self._explained(scores):
            return self._best(scores, search)

    def k_best(self, scores: Scores, k: int, *, labelled: bool = False) -> list[Parse]:
        """Find the k best trees that obey; see `Trees.k_best`.

        Raises
        ------
        ValueError
            If rules about several arcs forbid so many of the best trees that there is no end to the search.
        """
        restricted, constant = self._weighed(scores)
        rules, listed = self._rules(branch_on_spans=True), k
        # The best labels of a tree may break a rule that others of its labels obey.
        labelled_too, start = labelled or bool(rules.at_most_one), time.monotonic()
        with self._explained(scores):
            while True:
                parses = self.trees.k_best(restricted, max(listed, 1), labelled=labelled_too)
                found = [parse for parse in parses if obeys(rules, parse, self.trees.projective)]
                if not labelled:
                    found = list({tuple(parse.heads): parse for parse in reversed(found)}.values())[::-1]
                if len(found) >= k or len(parses) < listed:
                    break
                listed *= 4
                spent = time.monotonic() - start
                if listed > MOST_TREES or 4 * spent > self.time_limit:
                    raise NoEndError(f"the best {listed // 4:,} trees have only {len(found)} that obey the constraints")
            if not found:
                raise NoTreeError("no tree is possible: each breaks a constraint")
        found.sort(key=lambda parse: -parse.score)
        return [replace(parse, score=parse.score + constant) for parse in found[:k]]

    def log_partition(self, scores: Scores) -> float:
        """Compute log Z over the trees that obey; see `Trees.log_partition`."""
        with self._summable(scores) as (restricted, constant):
            return self.trees.log_partition(restricted) + constant

    def marginals(self, scores: Scores) -> Scores:
        """Compute the probability of each part; see `Trees.marginals`."""
        with self._summable(scores) as (restricted, _):
            return self.trees.marginals(restricted)

    def entropy(self, scores: Scores) -> float:
        """Compute the entropy of the trees that obey; see `Trees.entropy`."""
        with self._summable(scores) as (restricted, _):
            return self.trees.entropy(restricted)

    def sample(self, scores: Scores, size: int, seed: int = 0) -> Heads:
        """Draw trees that obey; see `Trees.sample`."""
        with self._summable(scores) as (restricted, _):
            return self.trees.sample(restricted, size, seed)

    def mbr(self, scores: Scores) -> Parse:
        """Find the tree that obeys with the highest expected number of correct arcs; see `Trees.mbr`."""
        marginals = self.marginals(scores)
        restricted = self.scores(scores)
        arc = Problem.of(restricted, self.trees, "max").arc
        index = np.indices(arc.shape) if marginals.parts is None else marginals.parts.arc.T
        expected = np.where(arc > -np.inf, 0.0, -np.inf)
        expected[tuple(index)] += marginals.arc
        simple = replace(self.constraints, labels=(), forbidden_labels=())
        trees = ConstrainedTrees(Trees(self.trees.projective, self.trees.single_root), simple)
        parse = trees.argmax(Scores(arc=expected))
        return replace(parse, labels=best_labels(restricted, parse.heads))

    def score(self, scores: Scores, heads: npt.ArrayLike, labels: npt.ArrayLike | None = None) -> float:
        """Add up the scores of the parts of a tree that obeys; see `Trees.score`."""
        return self.trees.score(self.scores(scores), heads, labels)

    def log_prob(self, scores: Scores, heads: npt.ArrayLike, labels: npt.ArrayLike | None = None) -> float:
        """Compute the log-probability of a tree; see `Trees.log_prob`."""
        log_total, restricted = self.log_partition(scores), self.scores(scores)
        if any(count > 1 for count in self._entering(np.asarray(heads, np.int32))):
            return -math.inf
        return self.trees.log_prob(restricted, heads, labels) + self.trees.log_partition(restricted) - log_total

    # --- how ------------------------------------------------------------------------------------------------------

    def _rules(self, *, branch_on_spans: bool) -> Constraints:
        """Return the constraints that are about several arcs."""
        rules = self.constraints
        return Constraints(
            spans=rules.spans if branch_on_spans else (), at_most_one=rules.at_most_one, projective=rules.projective
        )

    def _weighed(self, scores: Scores) -> tuple[Scores, float]:
        """Apply constraints on arcs, labels and spans; return what to add to the score of each tree."""
        restricted, spans = self.scores(scores), self.constraints.spans
        if not spans:
            return restricted, 0.0
        cost = _reach(restricted) + NEGLIGIBLE
        if cost > WIDEST:
            raise ValueError(f"scores up to {cost:.3g} apart are too far apart for spans (at most {WIDEST:.0e})")
        n = scores.n
        enters = sum(np.outer(~inside, inside) for inside in (inside_of(span, n) for span in spans))
        costs = cost * np.asarray(enters, np.float64)
        costs = costs if scores.parts is None else costs[tuple(scores.parts.arc.T)]
        return replace(restricted, arc=restricted.arc - costs), cost * len(spans)

    def _best(self, scores: Scores, search: Search | None = None) -> Parse:
        branches = self.trees.is_hard or search is not None
        restricted, constant = (self.scores(scores), 0.0) if branches else self._weighed(scores)
        rules = self._rules(branch_on_spans=branches)
        parse = best_that_obeys(search or self.trees.argmax, restricted, rules, self.trees.projective, self.time_limit)
        self._check_spans(parse.heads)
        return replace(parse, score=parse.score + constant)

    @contextmanager
    def _summable(self, scores: Scores) -> Iterator[tuple[Scores, float]]:
        """Apply constraints on arcs, labels and spans, with what to add to log Z; refuse other constraints."""
        rules = self._rules(branch_on_spans=False)
        if rules.at_most_one or (rules.projective and not self.trees.projective):
            raise NotImplementedError(f"probabilities are intractable under a rule about several arcs: {rules}")
        restricted, constant = self._weighed(scores)
        with self._explained(scores):
            if self.constraints.spans:
                self._check_spans(self.trees.argmax(restricted).heads)
            yield restricted, constant

    def _entering(self, heads: Heads) -> Iterator[int]:
        """Count the arcs from outside into each span."""
        for span in self.constraints.spans:
            inside = inside_of(span, len(heads) - 1)
            yield int(np.count_nonzero(inside[1:] & ~inside[heads[1:]]))

    def _check_spans(self, heads: Heads) -> None:
        if any(count > 1 for count in self._entering(heads)):
            raise NoTreeError("no tree is possible: spans cannot all be subtrees")

    @contextmanager
    def _explained(self, scores: Scores) -> Iterator[None]:
        """If there is no tree that obeys, say which constraints clash."""
        try:
            yield
        except NoTreeError:
            clash = self._smallest_clash(scores)
            if clash is None:
                raise
            raise NoTreeError(f"no tree obeys: {clash}", clash) from None

    def _smallest_clash(self, scores: Scores) -> Constraints | None:
        """Find as few constraints as possible that no tree obeys; None if there is no tree without constraints."""

        def clash(constraints: Iterable[Constraints]) -> bool:
            try:
                replace(self, constraints=Constraints.together(constraints))._best(scores)
            except NoTreeError:
                return True
            return False

        single, tried, start = self.constraints.each(), 0, time.monotonic()
        if clash([]):
            return None
        for size in range(1, len(single)):
            tried += math.comb(len(single), size)
            if tried > MOST_SETS:
                break
            for chosen in itertools.combinations(single, size):
                if time.monotonic() - start > self.time_limit:
                    return self.constraints
                if clash(chosen):
                    return Constraints.together(chosen)
        for one in list(single):  # what is left cannot be made smaller, though there may be a smaller set elsewhere
            others = [other for other in single if other is not one]
            if time.monotonic() - start > self.time_limit:
                break
            single = others if clash(others) else single
        return Constraints.together(single)


def _reach(scores: Scores) -> float:
    """Return how far apart the scores of two trees can be, at most."""
    reach = 0.0
    for name, array in scores.arrays.items():
        finite = array[array > -np.inf]
        if scores.parts is None and name in ("arc", "label"):
            exists = ~np.eye(scores.n + 1, dtype=bool)
            exists[:, 0] = False
            finite = array[exists][array[exists] > -np.inf]
        if finite.size:
            spread = max(0.0, float(finite.max())) - min(0.0, float(finite.min()))
            reach += (2 * scores.n + 2) * spread
    return reach
