"""Brown clustering: a hierarchy of words by their contexts.

The algorithm is that of Brown et al. (1992), *Class-Based n-gram Models of Natural Language*, section 3, as
implemented by Liang (2005) in ``wcluster``: a window of c + 1 clusters, losses by the mutual information of the words
in the window, and a bit string for each of the c clusters (`treewright.clustering.window`).  In a merge, the cluster
with the more frequent word goes left (0) and the other one right (1).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from treewright.arrays import Floats, Ints
from treewright.clustering.corpus import Bigrams
from treewright.clustering.losses import MOST_WORDS, UNIT, make_window
from treewright.clustering.paths import Clusters
from treewright.clustering.window import Links, Vocabulary, advance
from treewright.errors import UsageError

__all__ = ["Merges", "brown_clusters", "find_merges", "mutual_information"]

#: Seconds between two reports of progress.
_PAUSE = 0.2

#: The fixed cost of a step, and the cost of merging two of the last clusters, in units of one neighbour of a word.
_STEP, _LAST = 40, 200


@dataclass(frozen=True, slots=True)
class Merges:
    """The merges that make clusters of words, and then one cluster of all."""

    leaves: Ints  # (V,): the cluster of each word when c are left, named by the rank of its most frequent word
    pairs: Ints  # (V - 1, 2): the clusters that merged, in order; the lower rank, which names the new one, is first
    losses: Floats  # (V - 1,): the loss of each merge, in nats for the whole text

    def bit_strings(self) -> list[str]:
        """Return the path from the root of the hierarchy to each word."""
        paths = {0: ""}
        for low, high in reversed(self.pairs[len(self.pairs) + 1 - len(np.unique(self.leaves)) :].tolist()):
            paths[low], paths[high] = paths[low] + "0", paths[low] + "1"
        return [paths[leaf] for leaf in self.leaves.tolist()]


def brown_clusters(
    bigrams: Bigrams, clusters: int = 1000, on_progress: Callable[[float], None] = lambda share: None
) -> Clusters:
    """Cluster words by their neighbours.

    Parameters
    ----------
    bigrams : Bigrams
        From `treewright.clustering.count_bigrams`.
    clusters : int
        The number of clusters, and so of different bit strings.
    on_progress : function of float
        Called from time to time with the share of the work that is done.

    Raises
    ------
    UsageError
        If there are fewer words than clusters.

    Examples
    --------
    >>> from treewright.clustering import count_bigrams
    >>> text = ["the dog runs", "the cat runs", "a dog sleeps", "a cat sleeps", "the dog sleeps", "a cat runs"]
    >>> clusters = brown_clusters(count_bigrams(text), clusters=3)
    >>> for bits, words in clusters.groups().items():
    ...     print(bits, words)
    00 ['a', 'the']
    01 ['runs', 'sleeps']
    1 ['cat', 'dog']
    """
    merges = find_merges(bigrams, clusters, on_progress)
    return Clusters(bigrams.words, merges.bit_strings(), bigrams.frequencies.tolist())


def find_merges(bigrams: Bigrams, clusters: int, on_progress: Callable[[float], None] = lambda share: None) -> Merges:
    """Find the merges that make ``clusters`` clusters, and then one; see `brown_clusters`."""
    _check(bigrams, clusters)
    words, window = _vocabulary(bigrams, clusters + 1), make_window(clusters + 1, int(bigrams.frequencies.sum()))
    done = np.cumsum(_costs(words, clusters))
    step, free, last, leaves = 0, clusters, len(done), words.slot
    pace = 1.0  # in steps; it grows to what can be done between two reports
    while step < last:
        stop = len(bigrams) if step < len(bigrams) else last
        until, start = min(step + int(pace), stop), time.monotonic()
        free = advance(words, window, step, until, free)
        pace *= min(2.0, _PAUSE / max(time.monotonic() - start, 1e-9)) if until < stop else 1.0
        pace, step = max(pace, 1.0), until
        if step == len(bigrams):
            leaves = window.rank[words.slot]
        on_progress(float(done[step - 1] / done[-1]))
    return Merges(leaves, words.merges[:, :2].copy(), words.merges[:, 2] / UNIT)


def mutual_information(bigrams: Bigrams, clusters: Clusters) -> float:
    """Compute the average mutual information of the clusters of adjacent words, in nats (Brown et al., Equation 9).

    Examples
    --------
    >>> from treewright.clustering import count_bigrams
    >>> bigrams = count_bigrams(["a x b y", "b y a x", "a y b x"])
    >>> round(mutual_information(bigrams, Clusters("abxy", ["0", "0", "1", "1"], [3] * 4)), 4)
    0.6365
    """
    missing = next((word for word in bigrams.words if word not in clusters), None)
    if missing is not None:
        raise UsageError(f"{missing!r} is in no cluster: the clusters are from another text")
    names, cluster = np.unique([clusters[word] for word in bigrams.words], return_inverse=True)
    belongs = csr_array((np.ones(len(cluster)), (np.arange(len(cluster)), cluster)), shape=(len(cluster), len(names)))
    joint = (belongs.T @ bigrams.pairs @ belongs).toarray() / max(bigrams.total, 1)
    apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    seen = joint > 0
    return float(np.sum(joint[seen] * np.log(joint[seen] / apart[seen])))


def _check(bigrams: Bigrams, clusters: int) -> None:
    if clusters < 2:
        raise UsageError(f"{clusters} clusters do not distinguish any words: ask for at least 2")
    if not len(bigrams):
        raise UsageError("there are no words to cluster: the text is empty, or no word is frequent enough")
    if len(bigrams) < clusters:
        raise UsageError(
            f"{len(bigrams):,} words do not make {clusters:,} clusters: "
            "ask for fewer clusters, use more text, or keep less frequent words"
        )
    if bigrams.frequencies.sum() > MOST_WORDS:
        raise UsageError(f"the text has more than {MOST_WORDS:,} words, which is too many: use a part of it")


def _vocabulary(bigrams: Bigrams, slots: int) -> Vocabulary:
    flipped = bigrams.pairs.T.tocsr()
    flipped.sort_indices()
    number = len(bigrams)
    return Vocabulary(
        frequencies=bigrams.frequencies,
        after=_links(bigrams.pairs),
        before=_links(flipped),
        slot=np.full(number, -1),
        next=np.full(number, -1),
        first=np.full(slots, -1),
        last=np.full(slots, -1),
        merges=np.zeros((number - 1, 3), np.int64),
    )


def _links(pairs: csr_array[np.int64]) -> Links:
    return Links(pairs.indptr.astype(np.int64), pairs.indices.astype(np.int32), pairs.data.astype(np.int64))


def _costs(words: Vocabulary, clusters: int) -> Ints:
    """Estimate how long each step takes, from the number of neighbours of its word."""
    neighbours = np.diff(words.after.starts) + np.diff(words.before.starts)
    return np.concatenate([_STEP + np.minimum(neighbours, 2 * clusters), np.full(clusters - 1, _LAST)])
