"""The trees that are searched, and the questions that can be asked about them: of one sentence, or of many."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from treewright.arrays import Heads
from treewright.inference import answers
from treewright.inference.heads import checked_heads, checked_labels, parts_of_tree
from treewright.inference.labellings import best_labellings
from treewright.inference.labels import add_labels, best_labels, best_labels_of_all, label_entropy
from treewright.inference.magnitudes import WIDEST
from treewright.inference.parse import Parse
from treewright.inference.problem import Problem
from treewright.inference.scores import Scores
from treewright.inference.search_space import SearchSpace
from treewright.threads import in_order, in_shares

__all__ = ["Batch", "Trees"]

S = TypeVar("S")
T = TypeVar("T")

#: Heads, or labels, of one tree of each sentence.
Rows: TypeAlias = Sequence[npt.ArrayLike]


@dataclass(frozen=True)
class Trees(SearchSpace):
    """A set of trees over a sentence, and how their scores fall into parts.

    Every method takes one `Scores`; `batch` has the same methods for many.

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

    def batch(self, threads: int = 1) -> Batch:
        """Return the same questions for many sentences, answered by some threads; 0 means one for each core."""
        return Batch(self, threads)

    # --- the best trees -------------------------------------------------------------------------------------------

    def argmax(self, scores: Scores) -> Parse:
        """Find the tree with the highest score, exactly, with the best label on each arc if labels are scored.

        Where several trees are best, one of them is returned, always the same.  Trees that need not be projective, with
        more than arc scores, are searched by `DualDecomposition`: see the ``certificate`` of the answer.

        Raises
        ------
        ValueError
            If every tree contains a forbidden part.
        """
        return answers.argmax(self, [scores])[0]

    def k_best(self, scores: Scores, k: int, *, labelled: bool = False) -> list[Parse]:
        """Find the k best trees, best first; fewer if there are not that many.

        The trees differ in their heads, and each has its best labels; if ``labelled``, they differ in heads or labels.
        """
        if k < 0:
            raise ValueError(f"k is {k}: it must be at least 0")
        problem = Problem.of(scores, self, "max")
        values, heads = answers.backend(self).k_best(problem, self.single_root, max(k, 1))
        if not len(heads):
            raise problem.has_no_tree()
        trees = zip(heads, best_labels_of_all(scores, heads), values.tolist(), strict=True)
        parses = [Parse(row, labels, value) for row, labels, value in trees][:k]
        return best_labellings(scores, parses, k) if labelled else parses

    def mbr(self, scores: Scores) -> Parse:
        """Find the tree with the highest expected number of correct arcs, which is its score (minimum Bayes risk)."""
        [sums] = answers.sums(self, [scores])
        arc = Problem.of(scores, self, "max").arc
        expected = Scores(arc=np.where(arc > -np.inf, sums.marginals["arc"], -np.inf))
        parse = Trees(self.projective, self.single_root).argmax(expected)
        return replace(parse, labels=best_labels(scores, parse.heads))

    # --- sums over trees ------------------------------------------------------------------------------------------

    def log_partition(self, scores: Scores) -> float:
        """Compute log Z, the logarithm of the sum over all (labelled) trees of the exponential of their scores."""
        return answers.log_partition(self, [scores])[0]

    def marginals(self, scores: Scores) -> Scores:
        """Compute the probability of each part: `Scores` of the same shapes, in float64."""
        return self.expectations(scores)[1]

    def expectations(self, scores: Scores) -> tuple[float, Scores]:
        """Compute log Z and the marginals in one pass, as learning needs both."""
        return answers.expectations(self, [scores])[0]

    def tangents(self, scores: Scores, direction: Scores) -> Scores:
        """Compute how the marginals change as scores move along a direction: `Scores` of the same shapes, in float64.

        They are the derivatives of ``marginals(scores + e * direction)`` by e at e = 0: the product of the Hessian of
        log Z and the direction.  The Hessian is symmetric, so with the gradient of a function by the marginals as the
        direction, they are its gradient by the scores.  The direction has the shapes and the parts of the scores; an
        array that is missing counts as zero, and entries of forbidden parts never count.

        Examples
        --------
        >>> scores = Scores(arc=[[0, 0, 0], [0, 0, 0], [0, 0, 0]])
        >>> direction = Scores(arc=[[0, 1, 0], [0, 0, 0], [0, 0, 0]])
        >>> Trees().tangents(scores, direction).arc
        array([[ 0.  ,  0.25, -0.25],
               [ 0.  ,  0.  ,  0.25],
               [ 0.  , -0.25,  0.  ]])
        """
        return answers.tangents(self, [(scores, direction)])[0]

    def entropy(self, scores: Scores) -> float:
        """Compute the entropy, in nats, of the distribution over (labelled) trees."""
        [sums] = answers.sums(self, [scores], entropy=True)
        return max(0.0, sums.entropy + label_entropy(scores, sums.marginals["arc"]))

    def sample(self, scores: Scores, size: int, seed: int = 0) -> Heads:
        """Draw trees at random, exactly and independently, each with its probability.

        Projective trees are drawn from the chart, top down; others by Wilson's algorithm (see
        `treewright.inference.spanning.wilson`).

        Returns
        -------
        int32 array, shape (size, n+1)
            The heads of each tree.  The same seed draws the same trees.
        """
        if size < 0 or seed < 0:
            raise ValueError(f"size is {size} and seed is {seed}: neither may be negative")
        problem = Problem.of(scores, self, "sum")
        heads = answers.backend(self).sample(problem, self.single_root, max(size, 1), seed)
        if heads[0, 1] < 0:
            raise problem.has_no_tree()
        return heads[:size]

    # --- single trees ---------------------------------------------------------------------------------------------

    def score(self, scores: Scores, heads: npt.ArrayLike, labels: npt.ArrayLike | None = None) -> float:
        """Add up the scores of the parts of a tree; where labels are scored and none given, with the best labels."""
        return self._score(scores, heads, labels, "max")

    def log_prob(self, scores: Scores, heads: npt.ArrayLike, labels: npt.ArrayLike | None = None) -> float:
        """Compute the log-probability of a tree; where labels are scored and none given, whatever its labels."""
        [log_z] = answers.log_partition(self, [scores], check=True)
        if abs(log_z) > WIDEST:
            raise ValueError(f"log Z is {log_z:.3g}: scores are too far apart for log-probabilities")
        return self._score(scores, heads, labels, "sum") - log_z

    def _score(self, scores: Scores, heads: npt.ArrayLike, labels: npt.ArrayLike | None, how: str) -> float:
        """Add up the scores of the parts of a tree; without labels, the max or log-sum of each arc's labels."""
        tree = checked_heads(heads, scores.n)
        given = None if labels is None else checked_labels(labels, scores)
        problem = Problem.of(scores if given is None else replace(scores, label=None), self, how)
        arcs = problem.arc[tree[1:], np.arange(1, len(tree))]
        total = (arcs if given is None else arcs + add_labels(scores, tree, given)).tolist()
        for name, index in parts_of_tree(tree, self.factorization).items():
            array = scores.higher.get(name)
            if array is not None:
                total += problem.higher_of_tree(name, array, index).tolist()
        return math.fsum(total) if -np.inf not in total else -np.inf


@dataclass(frozen=True)
class Batch:
    """The questions of `Trees`, about many sentences; answers come in the order of the sentences.

    Sentences of the same shape are solved together, which saves time where they are short.

    Parameters
    ----------
    trees : Trees
    threads : int
        The number of threads; 0 means one for each core.

    Examples
    --------
    >>> batch = [Scores(arc=[[0, 1, 2], [0, 0, 1], [0, 2, 0]]), Scores(arc=[[0, 1], [0, 0]])]
    >>> [parse.heads.tolist() for parse in Trees().batch(threads=2).argmax(batch)]
    [[-1, 2, 0], [-1, 0]]
    """

    trees: Trees
    threads: int = 1

    def argmax(self, scores: Sequence[Scores]) -> list[Parse]:
        """Find the best tree of each sentence: see `Trees.argmax`."""
        return in_shares(functools.partial(answers.argmax, self.trees), scores, self.threads)

    def k_best(self, scores: Sequence[Scores], k: int, *, labelled: bool = False) -> list[list[Parse]]:
        """Find the k best trees of each sentence: see `Trees.k_best`."""
        return self._each(lambda one: self.trees.k_best(one, k, labelled=labelled), scores)

    def mbr(self, scores: Sequence[Scores]) -> list[Parse]:
        """Find the tree with the most correct arcs expected, of each sentence: see `Trees.mbr`."""
        return self._each(self.trees.mbr, scores)

    def log_partition(self, scores: Sequence[Scores]) -> list[float]:
        """Compute log Z of each sentence: see `Trees.log_partition`."""
        return in_shares(functools.partial(answers.log_partition, self.trees), scores, self.threads)

    def marginals(self, scores: Sequence[Scores]) -> list[Scores]:
        """Compute the marginals of each sentence: see `Trees.marginals`."""
        return [marginals for _, marginals in self.expectations(scores)]

    def expectations(self, scores: Sequence[Scores], dtype: npt.DTypeLike = np.float64) -> list[tuple[float, Scores]]:
        """Compute log Z and the marginals of each sentence, in some type: see `Trees.expectations`."""
        return in_shares(functools.partial(answers.expectations, self.trees, dtype=dtype), scores, self.threads)

    def tangents(self, scores: Sequence[Scores], directions: Sequence[Scores]) -> list[Scores]:
        """Compute how the marginals of each sentence change along a direction: see `Trees.tangents`."""
        pairs = list(zip(scores, directions, strict=True))
        return in_shares(functools.partial(answers.tangents, self.trees), pairs, self.threads)

    def entropy(self, scores: Sequence[Scores]) -> list[float]:
        """Compute the entropy of each sentence's trees: see `Trees.entropy`."""
        return self._each(self.trees.entropy, scores)

    def sample(self, scores: Sequence[Scores], size: int, seed: int = 0) -> list[Heads]:
        """Draw trees of each sentence, with a seed of its own: see `Trees.sample`."""
        if seed < 0:
            raise ValueError(f"seed is {seed}: it must be at least 0")
        seeds = np.random.SeedSequence(seed).generate_state(max(1, len(scores)), np.uint64) >> np.uint64(1)
        jobs = zip(scores, seeds.tolist(), strict=False)
        return self._each(lambda job: self.trees.sample(job[0], size, job[1]), jobs)

    def score(self, scores: Sequence[Scores], heads: Rows, labels: Rows | None = None) -> list[float]:
        """Score one tree of each sentence: see `Trees.score`."""
        return self._each(lambda job: self.trees.score(*job), _with_trees(scores, heads, labels))

    def log_prob(self, scores: Sequence[Scores], heads: Rows, labels: Rows | None = None) -> list[float]:
        """Compute the log-probability of one tree of each sentence: see `Trees.log_prob`."""
        return self._each(lambda job: self.trees.log_prob(*job), _with_trees(scores, heads, labels))

    def _each(self, ask: Callable[[S], T], things: Iterable[S]) -> list[T]:
        return list(in_order(ask, things, self.threads, batch=1))


def _with_trees(
    scores: Sequence[Scores], heads: Rows, labels: Rows | None
) -> Iterable[tuple[Scores, npt.ArrayLike, npt.ArrayLike | None]]:
    return zip(scores, heads, [None] * len(scores) if labels is None else labels, strict=True)
