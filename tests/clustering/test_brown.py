"""Brown clusters are those of the reference: the same merges, the same bits, the same information."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.clustering import reference
from treewright.clustering import brown_clusters, count_bigrams, mutual_information
from treewright.clustering.brown import _vocabulary, find_merges
from treewright.clustering.losses import UNIT, join_contexts, make_window
from treewright.clustering.window import advance
from treewright.errors import UsageError

TEXTS = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=8).map(" ".join), min_size=1, max_size=12)


def counted(bigrams):
    pairs = bigrams.pairs.tocoo()
    counts = {(int(u), int(v)): int(n) for u, v, n in zip(pairs.row, pairs.col, pairs.data, strict=True)}
    return counts, bigrams.frequencies.tolist()


def check(bigrams, clusters):
    leaves, pairs, losses = reference.brown(*counted(bigrams), clusters)
    merges = find_merges(bigrams, clusters)
    assert merges.pairs.tolist() == [list(pair) for pair in pairs]
    assert (merges.losses * UNIT).tolist() == losses
    assert merges.leaves.tolist() == leaves
    assert merges.bit_strings() == reference.bit_strings(leaves, pairs)


def zipfian(words, sentences, seed):
    """Make a text of words as frequent as words are, with classes that follow each other."""
    random.seed(seed)
    weights = [1 / (i + 1) for i in range(words)]
    text = []
    for _ in range(sentences):
        sentence = random.choices(range(words), weights, k=random.randint(1, 10))
        text.append(" ".join(f"w{word - word % 2 if i % 2 else word}" for i, word in enumerate(sentence)))
    return text


@settings(deadline=None, max_examples=150)
@given(TEXTS, st.integers(2, 8))
def test_tiny_texts_full_of_ties(text, clusters):
    bigrams = count_bigrams(text)
    if len(bigrams) >= clusters:
        check(bigrams, clusters)


@pytest.mark.parametrize(("words", "clusters", "seed"), [(40, 6, 1), (30, 12, 2), (25, 2, 3), (14, 14, 4), (30, 29, 5)])
def test_texts_that_look_like_texts(words, clusters, seed):
    check(count_bigrams(zipfian(words, 150, seed)), min(clusters, words))


def test_no_pair_at_all_is_one_great_tie():
    bigrams = count_bigrams(["a", "b", "c", "d", "e"])
    check(bigrams, 3)
    assert brown_clusters(bigrams, 2).groups() == {"0": ["a", "b", "c", "d"], "1": ["e"]}


def test_every_merge_is_the_best_in_plain_floating_point():
    """Rounding to units changes no merge by more than the rounding itself."""
    bigrams = count_bigrams(zipfian(30, 300, 7))
    pairs, frequencies = counted(bigrams)

    def value(partition):
        joint = Counter()
        where = {word: i for i, cluster in enumerate(partition) for word in cluster}
        for (u, v), count in pairs.items():
            if u in where and v in where:
                joint[where[u], where[v]] += count
        sizes = [sum(frequencies[word] for word in cluster) for cluster in partition]
        return sum(n * math.log(n / (sizes[u] * sizes[v])) for (u, v), n in joint.items())

    merges = find_merges(bigrams, 5)
    partition = []
    steps = iter(zip(merges.pairs.tolist(), merges.losses.tolist(), strict=True))
    for word in range(len(bigrams)):
        partition.append(frozenset([word]))
        if len(partition) <= 5:
            continue
        before = value(partition)
        losses = {
            frozenset((min(s), min(t))): before - value([c for c in partition if c not in (s, t)] + [s | t])
            for s in partition
            for t in partition
            if s != t
        }
        pair, loss = next(steps)
        assert loss == pytest.approx(losses[frozenset(pair)], abs=1e-5)
        assert loss == pytest.approx(min(losses.values()), abs=1e-5)
        merged = [cluster for cluster in partition if min(cluster) in pair]
        partition = [cluster for cluster in partition if cluster not in merged] + [merged[0] | merged[1]]


def test_losses_kept_up_to_date_are_losses_computed_anew():
    """Bit for bit, in the middle of a text large enough for every path through the kernels."""
    bigrams = count_bigrams(zipfian(400, 3000, 8))
    words, window = _vocabulary(bigrams, 31), make_window(31, int(bigrams.frequencies.sum()))
    advance(words, window, 0, 200, 30)
    pairs, frequencies = counted(bigrams)
    slots = [s for s in range(31) if window.rank[s] < 400]
    clusters = {s: frozenset(np.flatnonzero(words.slot == s).tolist()) for s in slots}
    partition = list(clusters.values())
    before = reference.value(partition, pairs, frequencies)
    assert len(slots) == 30
    for s in slots[::3]:
        losses = {}
        for t in slots:
            if t != s:
                joined = [c for c in partition if c not in (clusters[s], clusters[t])] + [clusters[s] | clusters[t]]
                losses[t] = before - reference.value(joined, pairs, frequencies)
        assert [window.losses[s, t] for t in losses] == list(losses.values())
        assert [window.losses[t, s] for t in losses] == list(losses.values())
        lower = [(loss, window.rank[t], t) for t, loss in losses.items() if window.rank[t] < window.rank[s]]
        if lower:
            assert (window.least[s], window.best[s]) == min(lower)[::2]


def test_a_best_partner_that_rounding_makes_worse_is_looked_for_again():
    """Contexts in proportion change no loss, but their rounding may by a unit or two: upwards, too."""

    def h(x, y):
        return reference.f(x + y) - reference.f(x) - reference.f(y)

    def change(x, y, k):
        return h(x + k * x, y + k * y) - h(x, y) - h(k * x, k * y)

    x, y, k = next((x, y, k) for x in range(1, 9) for y in range(1, 9) for k in (2, 3) if change(x, y, k) < 0)
    window, (a, b, s, t) = make_window(4, 100), range(4)
    window.rank[:] = 0, 1, 2, 3
    window.best[t] = s
    window.flipped[:2, 2:] = [[x, k * x], [y, k * y]]
    join_contexts(window, a, b, window.flipped, np.zeros(4, np.int64))
    assert window.losses[t, s] == window.losses[s, t] == -change(x, y, k)
    assert window.best[t] == a  # which is no more, so that a merge looks again
    assert window.least[t] < -(1 << 62)  # and nothing is taken for better before


def test_counts_beyond_the_table():
    """Frequent words, for which x log x is computed and not looked up."""
    bigrams = count_bigrams(zipfian(12, 60, 9))
    bigrams.pairs.data *= 200_000
    bigrams.frequencies[:] *= 200_000
    check(bigrams, 4)


def test_mutual_information_is_that_of_the_definition():
    text = zipfian(30, 200, 10)
    bigrams = count_bigrams(text, min_count=3)
    clusters = brown_clusters(bigrams, 6)
    kept = set(bigrams.words)
    adjacent = Counter()
    for line in text:
        words = line.split()
        for u, v in pairwise(words):
            if u in kept and v in kept:
                adjacent[clusters[u], clusters[v]] += 1
    total = sum(adjacent.values())
    left, right = Counter(), Counter()
    for (u, v), count in adjacent.items():
        left[u] += count
        right[v] += count
    expected = sum(n / total * math.log(n * total / (left[u] * right[v])) for (u, v), n in adjacent.items())
    assert mutual_information(bigrams, clusters) == pytest.approx(expected, rel=1e-12)
    with pytest.raises(UsageError, match="'new' is in no cluster"):
        mutual_information(count_bigrams(["w0 new"]), clusters)


def test_classes_are_found():
    random.seed(11)
    kinds = ["the a this", "dog cat cow", "runs sleeps eats"]
    text = [" ".join(random.choice(kind.split()) for kind in kinds) for _ in range(500)]
    clusters = brown_clusters(count_bigrams(text), 3)
    assert {frozenset(group) for group in clusters.groups().values()} == {frozenset(kind.split()) for kind in kinds}


def test_the_order_of_lines_does_not_matter():
    text = zipfian(60, 400, 12)
    assert brown_clusters(count_bigrams(text), 8) == brown_clusters(count_bigrams(text[::-1]), 8)


def test_progress_goes_from_something_to_one():
    shares = []
    find_merges(count_bigrams(zipfian(60, 400, 13)), 8, shares.append)
    assert shares == sorted(shares)
    assert shares[0] > 0
    assert shares[-1] == 1


@pytest.mark.parametrize(
    ("text", "clusters", "reason"),
    [
        ([], 2, "no words"),
        (["", "  "], 2, "no words"),
        (["a b c"], 4, "3 words do not make 4 clusters"),
        (["a b c"], 1, "at least 2"),
    ],
)
def test_what_cannot_be_clustered(text, clusters, reason):
    with pytest.raises(UsageError, match=reason):
        brown_clusters(count_bigrams(text), clusters)


def test_too_long_a_text_is_refused():
    bigrams = count_bigrams(["a b"])
    bigrams.frequencies[:] = 1 << 30
    with pytest.raises(UsageError, match=r"more than 1,073,741,824 words"):
        brown_clusters(bigrams, 2)
