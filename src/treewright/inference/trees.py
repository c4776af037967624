"""The trees that are searched, and the questions that can be asked of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats, Heads
from treewright.inference.charts import projective
from treewright.inference.heads import checked_heads, checked_labels, parts_of_tree
from treewright.inference.k_best import k_best
from treewright.inference.kinds import FACTORIZATIONS, check_scored
from treewright.inference.labels import add_labels, best_labels, label_entropy, label_marginals
from treewright.inference.parse import Parse
from treewright.inference.problem import Problem, why_none
from treewright.inference.scores import Scores
from treewright.inference.spanning import nonprojective
from treewright.threads import in_order, in_shares

__all__ = ["Trees"]


@dataclass(frozen=True)
class Trees:
    """A set of trees over a sentence, and how their scores fall into parts.

    Every method takes one `Scores`, or a list of them (then it gives a list) which is worked on by ``threads`` threads.

    Parameters
    ----------
    projective : bool
        Whether arcs may not cross.  The root stands to the left of the words, and its arcs may not be crossed either.
    single_root : bool
        Whether exactly one word is attached to the root, or any number from one.
    factorization : str
        Which parts are scored: ``arc`` (Eisner), ``sibling`` (McDonald & Pereira), ``grandchild`` (Model 0),
        ``carreras`` (siblings and outermost grandchildren), ``grand-sibling`` (Model 1) or ``tri-sibling`` (Model
        2 of Koo & Collins 2010).  Trees that need not be projective have ``arc``, and for `argmax` and `score` also
        ``sibling`` and ``grand-sibling`` (`DualDecomposition`).

    Examples
    --------
    >>> scores = Scores(arc=[[0, 9, 9], [0, 0, 2], [0, 3, 0]])
    >>> Trees(single_root=True).argmax(scores)
    Parse(heads=array([-1,  2,  0], dtype=int32), labels=None, score=12.0)
    >>> Trees(single_root=False).argmax(scores)
    Parse(heads=array([-1,  0,  0], dtype=int32), labels=None, score=18.0)
    """

    projective: bool = True
    single_root: bool = True
    factorization: str = "arc"

    def __post_init__(self) -> None:
        if self.factorization not in FACTORIZATIONS:
            known = ", ".join(FACTORIZATIONS)
            raise ValueError(f"there is no factorization {self.factorization!r}; there are {known}")
        if not self.projective and not FACTORIZATIONS[self.factorization].nonprojective:
            raise NotImplementedError(
                f"trees that need not be projective are not searched with {self.factorization!r} scores: use "
                "factorization='grand-sibling', which scores siblings and grandchildren, or projective=True"
            )

    # --- the best trees -------------------------------------------------------------------------------------------

    @overload
    def argmax(self, scores: Scores, *, threads: int = 1) -> Parse: ...
    @overload
    def argmax(self, scores: Sequence[Scores], *, threads: int = 1) -> list[Parse]: ...
    def argmax(self, scores: Any, *, threads: int = 1) -> Any:
        """Find the tree with the highest score, exactly, with the best label on each arc if labels are scored.

        Where several trees are best, one of them is returned, always the same.  Trees that need not be projective, with
        more than arc scores, are searched by `DualDecomposition`: see the ``certificate`` of the answer.

        Raises
        ------
        ValueError
            If every tree contains a forbidden part.
        """
        return self._answer(scores, threads, self._argmax)

    def _argmax(self, batch: list[Scores]) -> list[Parse]:
        if self.is_hard:
            from treewright.inference.dual.dual_decomposition import DualDecomposition  # which imports this module

            return DualDecomposition(self).argmax(batch)
        problems = self._problems(batch, "max")
        values, heads = self._room.best(problems, self.single_root)
        parses = []
        for problem, value, row in zip(problems, values.tolist(), heads, strict=True):
            if row[1] < 0:
                raise ValueError(why_none(problem.arc, self.single_root, self.projective))
            parses.append(Parse(row, best_labels(problem.scores, row), value))
        return parses

    def k_best(self, scores: Any, k: int, *, threads: int = 1) -> Any:
        """Find the k best trees, best first; fewer if there are not that many.

        The trees differ in their heads; each has its best labels.
        """
        if k < 0:
            raise ValueError(f"k is {k}: it must not be negative")
        return self._answer(scores, threads, lambda batch: [self._k_best(one, k) for one in batch])

    def _k_best(self, scores: Scores, k: int) -> list[Parse]:
        room = self._room
        self.argmax(scores)  # says what is wrong if there is no tree at all
        allowed = self._problem(scores, "max").arc > -np.inf

        def search(mask: npt.NDArray[np.bool_]) -> Parse | None:
            problem = self._problem(scores, "max", mask)
            [value], [heads] = room.best([problem], self.single_root)
            return None if heads[1] < 0 else Parse(heads, best_labels(scores, heads), float(value))

        return k_best(search, scores.n, k, allowed)

    def mbr(self, scores: Any, *, threads: int = 1) -> Any:
        """Find the tree with the highest expected number of correct arcs, which is its score (minimum Bayes risk)."""
        return self._answer(scores, threads, lambda batch: [self._mbr(one) for one in batch])

    def _mbr(self, scores: Scores) -> Parse:
        [sums] = self._sums([scores])
        arc = self._problem(scores, "max").arc
        expected = Scores(arc=np.where(arc > -np.inf, sums.marginals["arc"], -np.inf))
        parse = Trees(self.projective, self.single_root).argmax(expected)
        return replace(parse, labels=best_labels(scores, parse.heads))

    # --- sums over trees ------------------------------------------------------------------------------------------

    def log_partition(self, scores: Any, *, threads: int = 1) -> Any:
        """Compute log Z, the logarithm of the sum over all (labelled) trees of the exponential of their scores."""
        return self._answer(scores, threads, self._log_partitions)

    def _log_partitions(self, batch: list[Scores]) -> list[float]:
        problems = self._problems(batch, "sum")
        totals = self._room.log_totals(problems, self.single_root).tolist()
        for problem, value in zip(problems, totals, strict=True):
            if value == -np.inf:
                raise ValueError(why_none(problem.arc, self.single_root, self.projective))
        return [float(value) for value in totals]

    def marginals(self, scores: Any, *, threads: int = 1) -> Any:
        """Compute the probability of each part: `Scores` of the same shapes, in float64."""
        return self._answer(scores, threads, self._marginals)

    def _marginals(self, batch: list[Scores]) -> list[Scores]:
        return [self._as_scores(scores, sums.marginals) for scores, sums in zip(batch, self._sums(batch), strict=True)]

    def expectations(self, scores: Any, *, threads: int = 1) -> Any:
        """Compute log Z and the marginals in one go: what learning asks for."""
        return self._answer(scores, threads, self._expectations)

    def _expectations(self, batch: list[Scores]) -> list[tuple[float, Scores]]:
        return [
            (float(sums.log_total), self._as_scores(scores, sums.marginals))
            for scores, sums in zip(batch, self._sums(batch), strict=True)
        ]

    def _as_scores(self, scores: Scores, probabilities: dict[str, Floats]) -> Scores:
        """Give marginals the shape of the scores they belong to."""
        arrays: dict[str, Any] = {name: probabilities[name] for name in scores.higher}
        arc = probabilities["arc"]
        label = label_marginals(scores, arc)
        if scores.parts is not None:
            arc = arc[tuple(scores.parts.arc.T)]
            for name, array in arrays.items():
                if array.ndim > 1:
                    arrays[name] = array[tuple(scores.parts.rows(name).T)]
        return Scores.unchecked(arc=arc, label=label, parts=scores.parts, **arrays)

    def _sums(self, batch: list[Scores], entropy: bool = False) -> list[Any]:
        """Compute log Z, the marginals of all that is scored, and perhaps the entropy."""
        problems = self._problems(batch, "sum")
        answers: list[Any] = self._room.sums(problems, self.single_root, entropy)
        for problem, sums in zip(problems, answers, strict=True):
            if sums.log_total == -np.inf:
                raise ValueError(why_none(problem.arc, self.single_root, self.projective))
        return answers

    def entropy(self, scores: Any, *, threads: int = 1) -> Any:
        """Compute the entropy, in nats, of the distribution over (labelled) trees."""
        return self._answer(scores, threads, lambda batch: [self._entropy(one) for one in batch])

    def _entropy(self, scores: Scores) -> float:
        [sums] = self._sums([scores], entropy=True)
        return max(0.0, float(sums.entropy) + label_entropy(scores, sums.marginals["arc"]))

    def sample(self, scores: Any, size: int, seed: int = 0, *, threads: int = 1) -> Any:
        """Draw trees at random, exactly and independently, each with its probability.

        Projective trees are drawn from the chart, top down; others by Wilson's algorithm (see
        `treewright.inference.spanning.wilson`).

        Returns
        -------
        int32 array, shape (size, n+1)
            The heads of each tree.  The same seed gives the same trees.
        """
        if size < 0 or seed < 0:
            raise ValueError(f"size is {size} and seed is {seed}: neither may be negative")
        if isinstance(scores, Scores):
            return self._sample(scores, size, seed)
        seeds = np.random.SeedSequence(seed).generate_state(max(1, len(scores)), np.uint64) >> np.uint64(1)
        jobs = list(zip(scores, seeds.tolist(), strict=False))
        return list(in_order(lambda job: self._sample(job[0], size, job[1]), jobs, max(1, threads), batch=1))

    def _sample(self, scores: Scores, size: int, seed: int) -> Heads:
        problem = self._problem(scores, "sum")
        heads: Heads = self._room.sample(problem, self.single_root, max(size, 1), seed)
        if heads[0, 1] < 0:
            raise ValueError(why_none(problem.arc, self.single_root, self.projective))
        return heads[:size]

    # --- single trees ---------------------------------------------------------------------------------------------

    def score(self, scores: Any, heads: Any, labels: Any = None, *, threads: int = 1) -> Any:
        """Add up the scores of the parts of a tree; where labels are scored and none given, with the best labels."""
        return self._of_trees(
            scores, heads, labels, threads, lambda one, tree, given: self._score(one, tree, given, "max")
        )

    def log_prob(self, scores: Any, heads: Any, labels: Any = None, *, threads: int = 1) -> Any:
        """Compute the log-probability of a tree; where labels are scored and none given, whatever its labels."""

        def ask(one: Scores, tree: Any, given: Any) -> float:
            return self._score(one, tree, given, "sum") - self._log_partitions([one])[0]

        return self._of_trees(scores, heads, labels, threads, ask)

    def _of_trees(self, scores: Any, heads: Any, labels: Any, threads: int, ask: Callable[..., float]) -> Any:
        if isinstance(scores, Scores):
            return ask(scores, heads, labels)
        jobs = list(zip(scores, heads, [None] * len(scores) if labels is None else labels, strict=True))
        return list(in_order(lambda job: ask(*job), jobs, max(1, threads), batch=1))

    def _score(self, scores: Scores, heads: Any, labels: Any, how: str) -> float:
        tree = checked_heads(heads, scores.n)
        problem = self._problem(scores, how)
        words = np.arange(1, len(tree))
        parts = problem.arc[tree[1:], words]
        if labels is not None:
            given = checked_labels(labels, scores)
            parts = self._problem(replace(scores, label=None), how).arc[tree[1:], words]
            parts = parts + add_labels(scores, tree, given)
        total = parts.tolist()
        for name, index in parts_of_tree(tree, self.factorization).items():
            array = scores.higher.get(name)
            if array is not None:
                total += problem.higher_of_tree(name, array, index).tolist()
        return math.fsum(total) if -np.inf not in total else -np.inf

    # --- behind the questions -------------------------------------------------------------------------------------

    @property
    def is_hard(self) -> bool:
        """Whether there is no polynomial algorithm (McDonald & Satta 2007)."""
        return not self.projective and self.factorization != "arc"

    @property
    def _room(self) -> Any:
        """Where these trees are worked on."""
        if self.is_hard:
            raise NotImplementedError(
                f"trees that need not be projective, with {self.factorization!r} scores, have argmax and score only; "
                "for the other questions, use factorization='arc', or projective=True"
            )
        return projective if self.projective else nonprojective

    def _problem(self, scores: Scores, how: str, mask: npt.NDArray[np.bool_] | None = None) -> Problem:
        check_scored(scores.higher, self.factorization)
        return Problem.of(scores, self.factorization, how, mask)

    def _problems(self, batch: list[Scores], how: str) -> list[Problem]:
        for scores in batch:
            check_scored(scores.higher, self.factorization)
        return Problem.all_of(batch, self.factorization, how)

    def _answer(self, scores: Any, threads: int, ask: Callable[[list[Scores]], list[Any]]) -> Any:
        """Ask about one problem, or about many of them on several threads."""
        return ask([scores])[0] if isinstance(scores, Scores) else in_shares(ask, list(scores), max(1, threads))
