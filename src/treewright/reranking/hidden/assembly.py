"""Assembling shared sentences into `HiddenTrees`, with the places of their rows of weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.arrays import Ints, Places
from treewright.errors import UsageError
from treewright.kernels import kernel
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.candidates.offsets import gather, offsets_of
from treewright.reranking.hidden.domains import Domains
from treewright.reranking.hidden.hashing import Hashes64
from treewright.reranking.hidden.junctions import join
from treewright.reranking.hidden.sharing import SharedSentence
from treewright.reranking.hidden.trees import HiddenTrees
from treewright.reranking.options import Ties

__all__ = ["assemble", "count_rows"]

#: The maximum number of entries of a table.
MOST_ENTRIES = 1 << 20


def count_rows(shared: Sequence[SharedSentence], domains: Domains, cutoff: int) -> tuple[Hashes64, Places]:
    """Find the rows that occur in at least ``cutoff`` sentences: their sorted keys, and their widths."""
    starts, _, sizes, _ = domains.arrays()
    keys, widths = [np.empty(0, np.uint64)], [np.empty(0, np.int32)]
    for sentence in shared:
        group = sizes[gather(starts, sentence.node_domain)[1]]
        block = block_shapes(sentence.edge_domains, starts, sizes)
        own = np.concatenate([sentence.node_keys, sentence.edge_keys])
        width = np.concatenate(
            [
                np.repeat(group, np.diff(sentence.group_places)),
                np.repeat(block[:, 2] * block[:, 3], np.diff(sentence.block_places)),
            ]
        )
        unique, first = np.unique(own, return_index=True)
        keys.append(unique)
        widths.append(width[first].astype(np.int32))
    unique, first, counts = np.unique(np.concatenate(keys), return_index=True, return_counts=True)
    kept = counts >= cutoff
    return unique[kept], np.concatenate(widths)[first[kept]]


def assemble(
    shared: Sequence[SharedSentence],
    domains: Domains,
    candidates: Candidates,
    keys: Hashes64,
    places: Places,
    ties: Ties = "all",
) -> HiddenTrees:
    """Assemble the arrays of many sentences; ``keys`` and ``places`` are the known rows."""
    starts, _, sizes, _ = domains.arrays()
    highest = candidates.log_probability[candidates.base()]
    group_places, node_place = _places(shared, "group_places", "node_keys", keys, places)
    block_places, edge_place = _places(shared, "block_places", "edge_keys", keys, places)
    return HiddenTrees(
        candidates=candidates.offsets.copy(),
        group_places=group_places,
        node_place=node_place,
        block_places=block_places,
        edge_place=edge_place,
        base=candidates.log_probability - np.repeat(highest, np.diff(candidates.offsets)),
        is_best=candidates.is_best(ties),
        **_parts(shared, starts, sizes),
    )


def _parts(shared: Sequence[SharedSentence], starts: Ints, sizes: Places) -> dict[str, npt.NDArray[Any]]:
    """Renumber positions, nodes and edges across sentences, and count their values."""
    total = np.add.reduceat(sizes, starts[:-1]) if len(sizes) else sizes  # the values of each domain
    nodes, edges = offsets_of([len(s.node_domain) for s in shared]), offsets_of([len(s.edge_domains) for s in shared])
    node_domain = _join([s.node_domain for s in shared], np.int32)
    edge_domains = _join([s.edge_domains for s in shared], np.int32).reshape(-1, 2)
    node = _join([s.node + first for s, first in zip(shared, nodes.tolist(), strict=False)], np.int32)
    flipped = _join([s.edge_flipped for s in shared], np.bool_)
    positions = offsets_of(_join([s.lengths for s in shared], np.int64))
    parent, other = _join([s.parent for s in shared], np.int32), _join([s.other for s in shared], np.int32)
    others = offsets_of(_join([s.other_counts for s in shared], np.int64))
    own_sizes = total[node_domain[node]].astype(np.int32)
    joined = join(positions, parent, others, other, own_sizes)
    _refuse_large_cliques(int(joined.tables.max()) if len(other) else 0)
    edge_rows = np.where(flipped, total[edge_domains[:, 1]], total[edge_domains[:, 0]])
    return {
        "positions": positions,
        "parent": parent,
        "word": _join([s.word for s in shared], np.int32),
        "node": node,
        "edge": _renumber([s.edge for s in shared], edges),
        "others": others,
        "other": other,
        "other_edge": _renumber([s.other_edge for s in shared], edges),
        "sizes": own_sizes,
        "other_stride": joined.other_stride,
        "tables": offsets_of(joined.tables),
        "rows": offsets_of(joined.rows),
        "lifts": joined.lifts,
        "lift": joined.lift,
        "nodes": nodes,
        "edges": edges,
        "node_values": offsets_of(total[node_domain]),
        "node_groups": offsets_of(np.diff(starts)[node_domain]),
        "group_size": sizes[gather(starts, node_domain)[1]],
        "edge_cells": offsets_of(total[edge_domains].prod(axis=1)),
        "edge_rows": offsets_of(edge_rows),
        "edge_flipped": flipped,
        "edge_blocks": offsets_of(np.diff(starts)[edge_domains].prod(axis=1)),
        "block_shape": block_shapes(edge_domains, starts, sizes),
        "domain": node_domain,
    }


def _refuse_large_cliques(entries: int) -> None:
    if entries > MOST_ENTRIES:
        found = f"{entries:,} joint values; at most {MOST_ENTRIES:,} are summed exactly"
        raise UsageError(f"a clique of connected units has {found}: use fewer hidden values")


def _renumber(numbers: Sequence[Places], firsts: Ints) -> Places:
    """Renumber edges across sentences; -1 for none."""
    renumbered = [np.where(own >= 0, own + first, -1) for own, first in zip(numbers, firsts, strict=False)]
    joined: Places = _join(renumbered, np.int32)
    return joined


def _join(arrays: Sequence[npt.NDArray[Any]], dtype: type[np.generic]) -> npt.NDArray[Any]:
    """Concatenate arrays, of which there may be none."""
    return np.concatenate(arrays).astype(dtype) if arrays else np.empty(0, dtype)


def _places(
    shared: Sequence[SharedSentence], offsets: str, names: str, keys: Hashes64, places: Places
) -> tuple[Ints, Places]:
    """Look up the places of rows, and drop unknown ones."""
    wanted = _join([getattr(s, names) for s in shared], np.uint64)
    counts = _join([np.diff(getattr(s, offsets)) for s in shared], np.int64)
    if not len(keys):
        return np.zeros(len(counts) + 1, np.int64), np.empty(0, np.int32)
    found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    known = keys[found] == wanted
    return offsets_of(known)[offsets_of(counts)], places[found[known]]


@kernel
def block_shapes(edge_domains: Places, starts: Ints, sizes: Places) -> Places:
    """Return the first row, first column, rows and columns of each block of each edge."""
    count = 0
    for e in range(len(edge_domains)):
        u, d = edge_domains[e, 0], edge_domains[e, 1]
        count += (starts[u + 1] - starts[u]) * (starts[d + 1] - starts[d])
    found = np.empty((count, 4), np.int32)
    end = 0
    for e in range(len(edge_domains)):
        u, d = edge_domains[e, 0], edge_domains[e, 1]
        row = 0
        for y in range(starts[u], starts[u + 1]):
            column = 0
            for x in range(starts[d], starts[d + 1]):
                found[end, 0], found[end, 1], found[end, 2], found[end, 3] = row, column, sizes[y], sizes[x]
                column += sizes[x]
                end += 1
            row += sizes[y]
    return found
