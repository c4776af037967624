"""The best tree under constraints that no dynamic program can see, by branch and bound.

The search for the best tree is exact, so its score bounds that of every tree that obeys.  If the tree it finds breaks a
constraint, the trees fall into sets that leave it out and together have every tree that obeys, each a problem of the
same kind with fewer arcs or labels.  The set with the greatest bound is searched next (Land & Doig 1960), and the
first tree that obeys is the best.

- *At most one* of some arcs (those from outside into a span) or labelled arcs (the subjects of a head): the one that
  the tree has, if any, is into a word of the left half, or into one of the right half (Beale & Tomlin 1970).
- A *projective arc* from h to m, with a word between them that does not descend from h: either that arc is not in the
  tree, or one of those on the way from that word up to the root is not.
"""

from __future__ import annotations

import heapq
import itertools
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from treewright.arrays import Heads, Ints
from treewright.inference.constraints import Constraints, inside_of
from treewright.inference.parse import Parse
from treewright.inference.problem import NoEndError, NoTreeError
from treewright.inference.scores import Scores

__all__ = ["Search", "best_that_obeys", "first_violation", "obeys"]

#: Finds the best tree under scores, or raises `NoTreeError`.
Search: TypeAlias = Callable[[Scores], Parse]

#: The sets into which a violation splits the trees that obey, as further constraints of each.
Split: TypeAlias = list[Constraints]

#: Searches at most, before any tree that obeys will do.
MOST_SEARCHES = 10_000

#: What the scores of sets of trees that wait to be searched may take, about, where time is limited, too.
MOST_BYTES = 1 << 28


def first_violation(rules: Constraints, heads: Heads, labels: Heads | None, projective: bool) -> Split | None:
    """Return how to split the trees if one breaks a rule about several arcs; None if it obeys."""
    for split in _violations(rules, heads, labels, projective):
        return split
    return None


def obeys(rules: Constraints, parse: Parse, projective: bool) -> bool:
    """Return whether a tree breaks no rule about several arcs."""
    return first_violation(rules, parse.heads, parse.labels, projective) is None


def _violations(rules: Constraints, heads: Heads, labels: Heads | None, projective: bool) -> Iterator[Split]:
    n = len(heads) - 1
    words: Ints = np.arange(n + 1)
    for span in rules.spans:
        inside = inside_of(span, n)
        entered = words[inside & ~inside[heads]]
        if len(entered) > 1:
            yield [
                Constraints(forbidden=[(int(h), int(m)) for h in words[~inside] for m in half])
                for half in _halves(entered, words[inside])
            ]
    for label in rules.at_most_one:
        assert labels is not None
        found = words[1:][labels[1:] == label]
        above, counts = np.unique(heads[found], return_counts=True)
        for head in above[counts > 1].tolist():
            others = words[(words > 0) & (words != head)]
            yield [
                Constraints(forbidden_labels=[(head, int(m), label) for m in half])
                for half in _halves(found[heads[found] == head], others)
            ]
    if not projective:
        yield from (split for word in rules.projective for split in _crossings(heads, word))


def _halves(found: Ints, words: Ints) -> tuple[Ints, Ints]:
    """Cut words in two, between those that were found."""
    border = found[len(found) // 2]
    return words[words < border], words[words >= border]


def _crossings(heads: Heads, word: int) -> Iterator[Split]:
    head = int(heads[word])
    for between in range(min(word, head) + 1, max(word, head)):
        path = list(_way_up(heads, between))
        if head in (above for above, _ in path):
            continue
        arcs = [(head, word), *path]
        yield [Constraints(required=arcs[:k], forbidden=[arc]) for k, arc in enumerate(arcs)]
        return


def _way_up(heads: Heads, word: int) -> Iterator[tuple[int, int]]:
    """List the arcs from a word up to the root."""
    while word:
        yield int(heads[word]), word
        word = int(heads[word])


@dataclass(frozen=True, eq=False)
class _Set:
    """A set of trees: what is searched, and the best tree in it."""

    scores: Scores
    parse: Parse


def best_that_obeys(
    search: Callable[[Scores], Parse],
    scores: Scores,
    rules: Constraints,
    projective: bool,
    time_limit: float = math.inf,
) -> Parse:
    """Find the best tree that obeys.

    Parameters
    ----------
    search : Search
    rules : Constraints
        Constraints on spans, on labels under a head, and on projective arcs; others must be part of the scores.
    projective : bool
        Whether all trees are.
    time_limit : float
        Seconds after which any tree that obeys will do; it has no certificate.

    Raises
    ------
    NoTreeError
        If no tree obeys.
    NoEndError
        If none was found in twice the time.
    """
    order, start, is_late = itertools.count(), time.monotonic(), False
    most = MOST_SEARCHES
    if time_limit < math.inf:
        most = min(most, MOST_BYTES // sum(array.nbytes for array in scores.arrays.values()))
    open_sets = [(0.0, next(order), _Set(scores, search(scores)))]
    for searches in itertools.count(1):
        if not open_sets:
            raise NoTreeError("no tree is possible: each breaks a constraint")
        _, _, chosen = heapq.heappop(open_sets)
        split = first_violation(rules, chosen.parse.heads, chosen.parse.labels, projective)
        if split is None:
            bound = max([chosen.parse.upper_bound, *(one.parse.upper_bound for _, _, one in open_sets)])
            gap = bound - chosen.parse.score
            is_best = chosen.parse.certificate and (not open_sets or not (searches > most or is_late))
            return replace(chosen.parse, certificate=is_best, gap=0.0 if is_best else gap)
        is_late = time.monotonic() - start > time_limit
        if time.monotonic() - start > 2 * time_limit:
            raise NoEndError("no tree that obeys was found in time, though one may be possible")
        for constraints in split:
            restricted = constraints.of_arcs(chosen.scores)
            try:
                found = _Set(restricted, search(restricted))
            except NoTreeError:
                continue
            # When there have been too many searches, the newest set is the next: soon there is a tree that obeys.
            rank = -np.inf if searches >= most or is_late else -found.parse.upper_bound
            heapq.heappush(open_sets, (rank, -next(order), found))
    raise AssertionError("unreachable")
