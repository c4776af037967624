"""Brown clustering as slow and as plain as can be: every candidate is scored from scratch.

Numbers are rounded as `treewright.clustering.losses` says, and summed as Python's integers.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import log

from treewright.clustering.losses import UNIT


def f(x):
    return round(x * log(x) * UNIT) if x else 0


def value(partition, pairs, frequencies):
    """Liang's mutual information of the clusters of a partition, up to a constant; words in no cluster do not count."""
    cluster_of = {word: i for i, cluster in enumerate(partition) for word in cluster}
    joint, degree = Counter(), Counter()
    for (u, v), count in pairs.items():
        if u in cluster_of and v in cluster_of:
            joint[cluster_of[u], cluster_of[v]] += count
            degree[cluster_of[u]] += count
            degree[cluster_of[v]] += count
    sizes = [sum(frequencies[word] for word in cluster) for cluster in partition]
    return sum(map(f, joint.values())) - sum(degree[i] * round(log(size) * UNIT) for i, size in enumerate(sizes))


def merge_best(partition, pairs, frequencies):
    """Merge the two clusters that lose the least, the first such pair by rank; give partition, pair and loss."""
    before = value(partition, pairs, frequencies)
    candidates = []
    for s, t in combinations(sorted(partition, key=min), 2):
        merged = [*(cluster for cluster in partition if cluster not in (s, t)), s | t]
        candidates.append((before - value(merged, pairs, frequencies), min(s), min(t), merged))
    loss, low, high, merged = min(candidates, key=lambda candidate: candidate[:3])
    return merged, (low, high), loss


def brown(pairs, frequencies, clusters):
    """Give the leaf of each word, all merges and their losses in units."""
    partition, merges, losses, leaves = [], [], [], {}
    for word in range(len(frequencies)):
        partition = [*partition, frozenset([word])]
        if len(partition) > clusters:
            partition, pair, loss = merge_best(partition, pairs, frequencies)
            merges.append(pair)
            losses.append(loss)
    leaves = {word: min(cluster) for cluster in partition for word in cluster}
    while len(partition) > 1:
        partition, pair, loss = merge_best(partition, pairs, frequencies)
        merges.append(pair)
        losses.append(loss)
    return [leaves[word] for word in range(len(frequencies))], merges, losses


def bit_strings(leaves, merges):
    """Walk down the tree of the last merges."""
    children = {}
    names = {leaf: ("leaf", leaf) for leaf in leaves}
    for number, (low, high) in enumerate(merges[len(merges) - len(names) + 1 :]):
        node = ("node", number)
        children[node] = names[low], names.pop(high)
        names[low] = node
    [root] = names.values()
    paths = {}

    def walk(node, path):
        if node[0] == "leaf":
            paths[node[1]] = path
        else:
            for bit, child in zip("01", children[node], strict=True):
                walk(child, path + bit)

    walk(root, "")
    return [paths[leaf] for leaf in leaves]
