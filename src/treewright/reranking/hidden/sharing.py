"""The candidates of one sentence with what they share: each node and each edge once, with the keys of its rows.

Two words of two candidates are the same node if their domains and everything observed at them are the same, which a
hash of it all shows; likewise edges.  The *key* of a row of weights is a hash of what is observed and of the symbol of
a group of values (of two symbols, for an edge).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treewright.arrays import Ints, Mask, Places
from treewright.errors import UsageError
from treewright.kernels import kernel
from treewright.reranking.candidates.offsets import offsets_of
from treewright.reranking.hidden.domains import Domains
from treewright.reranking.hidden.elimination import MOST_UNITS, WIDEST, Elimination, eliminate
from treewright.reranking.hidden.hashing import Hashes64, mix
from treewright.reranking.hidden.observation import Observation

__all__ = ["SharedSentence", "share"]


class SharedSentence(NamedTuple):
    """One sentence: its part of the columns of `HiddenTrees`."""

    lengths: Ints  # the number of words of each candidate
    parent: Places  # this and the next four: of each position of all candidates
    word: Places
    node: Places
    edge: Places
    other_counts: Ints
    other: Places
    other_edge: Places
    node_domain: Places
    group_places: Ints  # the rows of each group, as offsets
    node_keys: Hashes64  # the key of each row
    edge_domains: Places  # the domains of the two words of each edge
    edge_flipped: Mask
    block_places: Ints
    edge_keys: Hashes64


def share(observations: Sequence[Observation], domains: Domains) -> SharedSentence:
    """Share the nodes and edges of the candidates of a sentence."""
    lengths = np.array([len(each.forms) for each in observations], np.int64)
    orders = [_order(each) for each in observations]
    starts, edge_starts = offsets_of(lengths), offsets_of([len(each.edges) for each in observations])
    domain = np.concatenate([domains.assign(each) for each in observations])
    context_counts = np.concatenate([np.diff(each.starts) for each in observations])
    context_starts = offsets_of(context_counts)
    contexts = np.concatenate([each.contexts for each in observations])
    pairs = np.concatenate([each.edge_contexts for each in observations])
    ends = np.concatenate([each.edges + start for each, start in zip(observations, starts, strict=False)])
    flipped = find_flipped(ends, np.concatenate([own.order for own in orders]), starts)
    used, local = np.unique(domain, return_inverse=True)
    starts_of, _, _, hashes = domains.arrays(used.tolist())
    _, node_first, node = np.unique(node_signatures(domain, context_starts, contexts), True, True)
    _, edge_first, edge = np.unique(edge_signatures(domain, ends, flipped, pairs), True, True)
    groups = np.diff(starts_of)[local]
    group_places = offsets_of(np.repeat(context_counts[node_first], groups[node_first]))
    node_keys = keys_of_nodes(node_first, local, context_starts, contexts, starts_of, hashes, group_places[-1])
    blocks = groups[ends[edge_first]].prod(axis=1)
    block_places = offsets_of(np.repeat(np.count_nonzero(pairs[edge_first], axis=1), blocks))
    edge_keys = keys_of_edges(edge_first, local, ends, pairs, starts_of, hashes, block_places[-1])
    return SharedSentence(
        lengths,
        np.concatenate([own.parent for own in orders]),
        np.concatenate([own.order for own in orders]),
        node[np.concatenate([own.order + start for own, start in zip(orders, starts, strict=False)])].astype(np.int32),
        _numbers([own.edge for own in orders], edge_starts, edge),
        np.concatenate([np.diff(own.others) for own in orders]),
        np.concatenate([own.other for own in orders]),
        _numbers([own.other_edge for own in orders], edge_starts, edge),
        domain[node_first],
        group_places,
        node_keys,
        domain[ends[edge_first]],
        flipped[edge_first],
        block_places,
        edge_keys,
    )


def _order(observation: Observation) -> Elimination:
    """Find the order in which the words of a candidate are eliminated."""
    n = len(observation.forms)
    found = eliminate(n, observation.edges)
    if len(found.order) < n:
        if n > MOST_UNITS:
            raise UsageError(f"a graph of {n:,} units has cycles; at most {MOST_UNITS:,} units can have: split it")
        raise UsageError(
            f"a graph of {n} units and {len(observation.edges)} edges is wider than {WIDEST}, the most for which "
            "sums are exact; connect fewer units"
        )
    return found


def _numbers(own: Sequence[Places], starts: Ints, shared: Ints) -> Places:
    """Find the numbers of edges among the shared ones; -1 for none."""
    edges = np.concatenate([np.where(each >= 0, each + start, -1) for each, start in zip(own, starts, strict=False)])
    numbers: Places = np.append(shared, -1)[edges].astype(np.int32)  # -1 is the last
    return numbers


@kernel
def find_flipped(ends: Ints, order: Places, starts: Ints) -> Mask:
    """Find the edges of all candidates whose first word is eliminated before the second."""
    place, flipped = np.empty(len(order), np.int64), np.zeros(len(ends), np.bool_)
    for c in range(len(starts) - 1):
        for t in range(starts[c], starts[c + 1]):
            place[starts[c] + order[t]] = t
    for e in range(len(ends)):
        flipped[e] = place[ends[e, 0]] > place[ends[e, 1]]
    return flipped


@kernel
def node_signatures(domain: Places, starts: Ints, contexts: Hashes64) -> Hashes64:
    """Hash everything that the features of each word observe."""
    found = np.empty(len(domain), np.uint64)
    for w in range(len(domain)):
        found[w] = mix(np.uint64(5), np.uint64(domain[w]))
        for k in range(starts[w], starts[w + 1]):
            found[w] = mix(found[w], contexts[k])
    return found


@kernel
def edge_signatures(domain: Places, ends: Ints, flipped: Mask, pairs: Hashes64) -> Hashes64:
    """Hash everything that the features of each edge observe, and whether it is flipped."""
    found = np.empty(len(ends), np.uint64)
    for e in range(len(ends)):
        both = mix(np.uint64(domain[ends[e, 0]]), np.uint64(domain[ends[e, 1]]))
        found[e] = mix(both, np.uint64(flipped[e]))
        for k in range(pairs.shape[1]):
            found[e] = mix(found[e], pairs[e, k])
    return found


@kernel
def keys_of_nodes(
    nodes: Ints, domain: Ints, starts: Ints, contexts: Hashes64, domain_starts: Ints, symbols: Hashes64, count: int
) -> Hashes64:
    """List the keys of the rows of each group of each node; ``nodes`` are words."""
    keys, end = np.empty(count, np.uint64), 0
    for w in nodes:
        for m in range(domain_starts[domain[w]], domain_starts[domain[w] + 1]):
            for k in range(starts[w], starts[w + 1]):
                keys[end] = mix(symbols[m], contexts[k])
                end += 1
    return keys


@kernel
def keys_of_edges(
    edges: Ints, domain: Ints, ends: Ints, pairs: Hashes64, domain_starts: Ints, symbols: Hashes64, count: int
) -> Hashes64:
    """List the keys of the rows of each block of each edge."""
    keys, end = np.empty(count, np.uint64), 0
    for e in edges:
        u, d = domain[ends[e, 0]], domain[ends[e, 1]]
        for y in range(domain_starts[u], domain_starts[u + 1]):
            for x in range(domain_starts[d], domain_starts[d + 1]):
                both = mix(symbols[y], symbols[x])
                for k in range(pairs.shape[1]):
                    if pairs[e, k]:
                        keys[end] = mix(both, pairs[e, k])
                        end += 1
    return keys
