"""Factors that no dynamic program here scores: the non-local parts of Qian & Liu (2013), section 4.3.

A generator lists all factors of a kind that surviving arcs make up, as rows of words (like `Parts`) for a model to
score, and beside them the arcs of each.  Users add other kinds by a *hook*, a function that proposes factors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from treewright.arrays import Ints
from treewright.inference.factors import Factors, starts
from treewright.inference.parts import Parts

__all__ = [
    "NON_LOCAL",
    "NonLocal",
    "Proposer",
    "combs",
    "grandchildren",
    "great_grandchildren",
    "propose",
    "siblings",
    "tri_siblings",
]


class NonLocal(NamedTuple):
    """Factors of one kind."""

    words: Ints  # one row for each factor: the words that it is made of
    factors: Factors  # their arcs; all scores are zero (see `Factors.scored`)


class _Sorted(NamedTuple):
    """Arcs by head and then modifier; those of head h begin at ``first[h]``."""

    heads: Ints
    modifiers: Ints
    first: Ints


def siblings(parts: Parts) -> NonLocal:
    """List all pairs of modifiers of one head, next to each other or not, on either side: rows (h, s, m), s < m."""
    arcs = _sorted(parts)
    s, m = _pairs(arcs)
    return _non_local(arcs, np.stack([arcs.heads[s], arcs.modifiers[s], arcs.modifiers[m]], axis=1), [s, m])


def tri_siblings(parts: Parts) -> NonLocal:
    """List all triples of modifiers of one head: rows (h, t, s, m), t < s < m."""
    arcs = _sorted(parts)
    t, s = _pairs(arcs)
    pair, m = _with_each(s + 1, arcs.first[arcs.heads[s] + 1])
    t, s = t[pair], s[pair]
    words = np.stack([arcs.heads[t], *(arcs.modifiers[k] for k in (t, s, m))], axis=1)
    return _non_local(arcs, words, [t, s, m])


def grandchildren(parts: Parts) -> NonLocal:
    """List all chains of two arcs: rows (g, h, m)."""
    arcs = _sorted(parts)
    above, below = _chains(arcs, np.arange(len(arcs.heads)))
    g, h, m = arcs.heads[above], arcs.heads[below], arcs.modifiers[below]
    kept = np.flatnonzero(g != m)
    return _non_local(arcs, np.stack([g, h, m], axis=1)[kept], [above[kept], below[kept]])


def great_grandchildren(parts: Parts) -> NonLocal:
    """List all chains of three arcs: rows (f, g, h, m)."""
    arcs = _sorted(parts)
    top, middle = _chains(arcs, np.arange(len(arcs.heads)))
    chain, below = _chains(arcs, middle)
    top, middle = top[chain], middle[chain]
    f, g, h, m = arcs.heads[top], arcs.heads[middle], arcs.heads[below], arcs.modifiers[below]
    kept = np.flatnonzero((f != h) & (f != m) & (g != m))
    return _non_local(arcs, np.stack([f, g, h, m], axis=1)[kept], [top[kept], middle[kept], below[kept]])


def combs(parts: Parts, shortest: int = 4, longest: int = 6) -> NonLocal:
    """List all runs of consecutive words with one head, from ``shortest`` to ``longest`` words: rows (h, first, last).

    The head itself may stand between them.  The paper's combs have "more than 3 consecutive modifiers".
    """
    if not 1 <= shortest <= longest:
        raise ValueError(f"shortest is {shortest} and longest {longest}: combs have at least one word, and no fewer")
    arcs = _sorted(parts)
    h, m = arcs.heads, arcs.modifiers
    follows = (h[1:] == h[:-1]) & ((m[1:] == m[:-1] + 1) | ((m[:-1] == h[:-1] - 1) & (m[1:] == h[:-1] + 1)))
    breaks = np.append(np.flatnonzero(~follows), len(h) - 1)  # the last arc of each run
    ends = breaks[np.searchsorted(breaks, np.arange(len(h)))]
    begins = [np.flatnonzero(ends - np.arange(len(h)) >= length - 1) for length in range(shortest, longest + 1)]
    lengths = np.repeat(np.arange(shortest, longest + 1), [len(each) for each in begins])
    begin = np.concatenate(begins)
    words = np.stack([h[begin], m[begin], m[begin + lengths - 1]], axis=1)
    _, index = _with_each(begin, begin + lengths)
    return NonLocal(words, Factors(starts(lengths), h[index], m[index], np.zeros(len(begin))))


#: The generators by name.
NON_LOCAL: Mapping[str, Callable[[Parts], NonLocal]] = {
    "siblings": siblings,
    "tri-siblings": tri_siblings,
    "grandchildren": grandchildren,
    "great-grandchildren": great_grandchildren,
    "combs": combs,
}


class Proposer(Protocol):
    """A hook: a function that proposes factors for a sentence.

    It is given the sentence, as whoever calls `propose` has it, and the parts that its surviving arcs make up, and
    returns `Factors` or pairs ``([(head, modifier), …], score)``.  It may name arcs that have not survived: no tree has
    them.  A parser also takes, in place of a score, what is to have a learned weight: the name of a feature, or several
    (`treewright.features.hooks`).
    """

    def __call__(self, sentence: Any, parts: Parts, /) -> Factors | Iterable[tuple[Iterable[Sequence[int]], Any]]:
        """Propose factors."""


def propose(hooks: Iterable[Proposer], sentence: Any, parts: Parts) -> Factors:
    """Put together what hooks propose for a sentence; an error names the hook that made it."""
    proposed = []
    for hook in hooks:
        answer = hook(sentence, parts)
        try:
            factors = answer if isinstance(answer, Factors) else Factors.of(answer)
            factors.check_words(parts.n)
        except ValueError as error:
            raise ValueError(f"the hook {getattr(hook, '__name__', hook)!r}: {error}") from error
        proposed.append(factors)
    return Factors.together(proposed)


def _sorted(parts: Parts) -> _Sorted:
    h, m = parts.arc.T
    order = np.lexsort((m, h))
    return _Sorted(h[order], m[order], starts(np.bincount(h, minlength=parts.n + 1)))


def _with_each(first: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Combine each row with each number from its ``first`` up to its ``end``: rows and numbers."""
    counts = end - first
    rows = np.repeat(np.arange(len(first)), counts)
    return rows, np.arange(len(rows)) - (starts(counts)[:-1] - first)[rows]


def _pairs(arcs: _Sorted) -> tuple[Ints, Ints]:
    """Pair each arc with those after it that have the same head."""
    return _with_each(np.arange(1, len(arcs.heads) + 1), arcs.first[arcs.heads + 1])


def _chains(arcs: _Sorted, above: Ints) -> tuple[Ints, Ints]:
    """Combine each of the arcs ``above`` (by its row) with the arcs from its modifier."""
    return _with_each(arcs.first[arcs.modifiers[above]], arcs.first[arcs.modifiers[above] + 1])


def _non_local(arcs: _Sorted, words: Ints, columns: list[Ints]) -> NonLocal:
    """Make factors that all have as many arcs as there are columns."""
    index = np.stack(columns, axis=1).reshape(-1)
    offsets = len(columns) * np.arange(len(words) + 1)
    return NonLocal(words, Factors(offsets, arcs.heads[index], arcs.modifiers[index], np.zeros(len(words))))
