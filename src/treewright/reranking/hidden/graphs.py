"""Graphs of units as candidates (Koo and Collins 2005, section 6.1): any units with labels, connected in any way.

The units may be the words of two languages, connected by an alignment, or phonemes, or characters, each connected with
several before it.  The features are those of Figure 2 that make sense in a graph: a unit, its label, and the labels of
what it is connected with in place of paths and rules; for two connected units their labels, with what connects them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from treewright.arrays import Ints, Places
from treewright.errors import UsageError
from treewright.kernels import kernel
from treewright.reranking.hidden.hashing import Hashes64, hash_texts, mix
from treewright.reranking.hidden.observation import Observation

__all__ = ["UnitGraph", "observe_graph"]


class UnitGraph(NamedTuple):
    """Units with labels, and the pairs of units whose hidden values are scored together.

    Attributes
    ----------
    forms, tags : sequences of str
        The units, and a label of each.
    edges : sequence of tuples
        Two units, counted from 0, and optionally the name of what connects them.
    """

    forms: Sequence[str]
    tags: Sequence[str]
    edges: Sequence[tuple[Any, ...]]

    @classmethod
    def markov(cls, forms: Sequence[str], tags: Sequence[str], order: int) -> UnitGraph:
        """Connect each unit of a sequence with those up to ``order`` before it.

        Examples
        --------
        >>> UnitGraph.markov(["a", "b", "c"], ["X", "Y", "Z"], 2).edges
        [(0, 1, '1'), (0, 2, '2'), (1, 2, '1')]
        """
        n = len(forms)
        return cls(forms, tags, [(u, v, str(v - u)) for u in range(n) for v in range(u + 1, min(u + order + 1, n))])


def observe_graph(graph: UnitGraph) -> Observation:
    """Observe a graph of units.

    Examples
    --------
    >>> observe_graph(UnitGraph(["a", "b"], ["X", "Y"], [(1, 0)])).edges.tolist()
    [[1, 0]]
    """
    n = len(graph.forms)
    if len(graph.tags) != n:
        raise UsageError(f"{n} units need as many labels, not {len(graph.tags)}")
    if any(len(edge) not in (2, 3) for edge in graph.edges):
        raise UsageError("an edge is two units, and optionally a name; one of a graph has more or fewer entries")
    _check([(u, v) for u, v, *_ in graph.edges], n)
    edges = np.array([edge[:2] for edge in graph.edges], np.int32).reshape(-1, 2)
    names = hash_texts([edge[2] if len(edge) > 2 else "" for edge in graph.edges])
    starts, contexts, pairs = graph_features(hash_texts(list(graph.forms)), hash_texts(list(graph.tags)), edges, names)
    return Observation(graph.forms, graph.tags, graph.tags, ["_"] * n, edges, starts, contexts, pairs)


def _check(edges: Sequence[tuple[int, int]], n: int) -> None:
    seen = set()
    for u, v in edges:
        if not (0 <= u < n and 0 <= v < n) or u == v:
            raise UsageError(f"units {u} and {v} cannot be connected; name two different units from 0 to {n - 1}")
        if (min(u, v), max(u, v)) in seen:
            raise UsageError(f"units {u} and {v} are connected twice; connect them once")
        seen.add((min(u, v), max(u, v)))


@kernel
def graph_features(words: Hashes64, tags: Hashes64, edges: Places, names: Hashes64) -> tuple[Ints, Hashes64, Hashes64]:
    """List what is observed at each unit, with where it begins, and at each edge."""
    n = len(words)
    starts = np.zeros(n + 1, np.int64)
    for e in range(len(edges)):
        starts[edges[e, 0] + 1] += 2
        starts[edges[e, 1] + 1] += 2
    for w in range(n):
        starts[w + 1] += starts[w] + 4
    contexts, pairs, ends = np.empty(starts[n], np.uint64), np.zeros((len(edges), 3), np.uint64), starts[:-1].copy()
    for w in range(n):
        contexts[ends[w]] = np.uint64(70)
        contexts[ends[w] + 1] = mix(tags[w], np.uint64(71))
        ends[w] += 2
    for e in range(len(edges)):
        u, v = edges[e]
        both = mix(mix(tags[u], tags[v]), names[e])
        contexts[ends[u]], contexts[ends[v]] = mix(both, np.uint64(72)), mix(both, np.uint64(73))
        ends[u] += 1
        ends[v] += 1
        pairs[e, 0] = mix(names[e], np.uint64(74))
        pairs[e, 1] = mix(both, np.uint64(75))
        pairs[e, 2] = mix(pairs[e, 1], np.uint64(min(max(v - u, -5), 5) + 80))
    for w in range(n):
        half = ends[w] - starts[w]
        for k in range(half):  # each once more, with the unit itself
            contexts[ends[w] + k] = mix(contexts[starts[w] + k], words[w])
    return starts, contexts, pairs
