"""The candidates of one sentence with what they share: each node and each edge once, with the keys of its rows.

Two words of two candidates are the same node if their domains and everything observed at them are the same, which a
hash of it all shows; likewise edges.  The *key* of a row of weights is a hash of what is observed and of the symbol of
a group of values (of two symbols, for an edge).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treewright.arrays import Ints, Places
from treewright.kernels import kernel
from treewright.reranking.candidates.offsets import offsets_of
from treewright.reranking.hidden.domains import Domains
from treewright.reranking.hidden.hashing import Hashes64, mix
from treewright.reranking.hidden.observation import Observation
from treewright.reranking.hidden.tree_features import order_words

__all__ = ["SharedSentence", "share"]


class SharedSentence(NamedTuple):
    """One sentence: its part of the columns of `HiddenTrees`."""

    lengths: Ints  # the number of words of each candidate
    parent: Places  # this and the next three: of each position of all candidates
    word: Places
    node: Places
    edge: Places
    node_domain: Places
    group_places: Ints  # the rows of each group, as offsets
    node_keys: Hashes64  # the key of each row
    edge_domains: Places  # the domains of the parent and of the word
    block_places: Ints
    edge_keys: Hashes64


def share(observations: Sequence[Observation], domains: Domains) -> SharedSentence:
    """Share the nodes and edges of the candidates of a sentence."""
    lengths = np.array([len(each.forms) for each in observations], np.int64)
    orders = [order_words(each.parent) for each in observations]
    starts = offsets_of(lengths)
    domain = np.concatenate([domains.assign(each) for each in observations])
    context_counts = np.concatenate([np.diff(each.starts) for each in observations])
    context_starts = offsets_of(context_counts)
    contexts = np.concatenate([each.contexts for each in observations])
    pairs = np.concatenate([each.edge_contexts for each in observations])
    above = np.concatenate(
        [np.where(each.parent >= 0, each.parent + start, -1) for each, start in zip(observations, starts, strict=False)]
    ).astype(np.int64)
    used, local = np.unique(domain, return_inverse=True)
    starts_of, _, _, hashes = domains.arrays(used.tolist())
    _, node_first, node = np.unique(node_signatures(domain, context_starts, contexts), True, True)
    _, edge_first, edge = np.unique(edge_signatures(domain, above, pairs), True, True)
    edge, edge_first = _without_roots(above, edge, edge_first)
    groups = np.diff(starts_of)[local]
    group_places = offsets_of(np.repeat(context_counts[node_first], groups[node_first]))
    node_keys = keys_of_nodes(node_first, local, context_starts, contexts, starts_of, hashes, group_places[-1])
    blocks = groups[edge_first] * groups[above[edge_first]]
    block_places = offsets_of(np.repeat(np.count_nonzero(pairs[edge_first], axis=1), blocks))
    edge_keys = keys_of_edges(edge_first, local, above, pairs, starts_of, hashes, block_places[-1])
    order = np.concatenate([own + start for own, start in zip(orders, starts, strict=False)])
    return SharedSentence(
        lengths,
        np.concatenate([_reordered(each.parent, own) for each, own in zip(observations, orders, strict=True)]),
        np.concatenate(orders),
        node[order].astype(np.int32),
        edge[order].astype(np.int32),
        domain[node_first],
        group_places,
        node_keys,
        np.column_stack([domain[above[edge_first]], domain[edge_first]]),
        block_places,
        edge_keys,
    )


def _reordered(parent: Places, order: Places) -> Places:
    """Return the parents of words in another order, as places in that order."""
    place = np.empty(len(order) + 1, np.int32)
    place[order] = np.arange(len(order))
    place[-1] = -1  # the parent -1 is the last place
    return place[parent[order]]


def _without_roots(above: Ints, edge: Ints, first: Ints) -> tuple[Ints, Ints]:
    """Remove the edge of words without a parent, whose signature 0 sorts before all others."""
    roots = above < 0
    if not roots.any():
        return edge, first
    return edge - 1, first[1:]


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
def edge_signatures(domain: Places, above: Ints, pairs: Hashes64) -> Hashes64:
    """Hash everything that the features of each edge observe; 0 if there is no edge."""
    found = np.zeros(len(domain), np.uint64)
    for w in range(len(domain)):
        if above[w] < 0:
            continue
        found[w] = mix(np.uint64(domain[above[w]]), np.uint64(domain[w]))
        for k in range(pairs.shape[1]):
            found[w] = mix(found[w], pairs[w, k])
        found[w] |= np.uint64(1)  # so that it is not 0
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
    edges: Ints, domain: Ints, above: Ints, pairs: Hashes64, domain_starts: Ints, symbols: Hashes64, count: int
) -> Hashes64:
    """List the keys of the rows of each block of each edge; ``edges`` are words."""
    keys, end = np.empty(count, np.uint64), 0
    for w in edges:
        d, u = domain[w], domain[above[w]]
        for y in range(domain_starts[u], domain_starts[u + 1]):
            for x in range(domain_starts[d], domain_starts[d + 1]):
                both = mix(symbols[y], symbols[x])
                for k in range(pairs.shape[1]):
                    if pairs[w, k]:
                        keys[end] = mix(both, pairs[w, k])
                        end += 1
    return keys
