"""How long it takes to boost a reranker of the size of Collins and Koo's (2005), and in how much memory.

Run as ``python benchmarks/reranking.py [--sentences 36000] [--features 500000] [--rounds 100000]``; with ``--learners``
all learners on as much data as the article compares ExpLoss and LogLoss on; with ``--lines`` how long it takes to read
JSON lines.

The data are made up, with the sparsity of real ones.  A sentence is some features that all its candidates share, and
twelve decisions between two options of five features each; a candidate takes one option of each decision.  Features
are drawn with the frequencies of Zipf's law.  Every feature has a hidden weight, which makes one option of a decision
right more often than the other; the score of a candidate is how many of its options are right.

The article took 3 to 4 hours and 2 GB for 36,000 sentences, 1,000,000 candidates and 100,000 rounds (1.6 GHz, 2004).
On 5,934 sentences, 200,000 candidates and 52,294 features it took 40 minutes for 10,000 rounds of boosting, and 20
hours for 3,500 rounds of selection on LogLoss, on a machine ten times slower.
"""

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np

from treewright.reranking import (
    Candidates,
    RerankingOptions,
    boost,
    evaluate_choices,
    read_candidates,
    train_reranker,
    write_candidates,
)
from treewright.reranking.learners.differences import find_differences
from treewright.reranking.options import DEFAULT_ROUNDS

CANDIDATES, DECISIONS, OPTION, COMMON, CHUNK = 27, 12, 5, 30, 1000


def memory():
    """Give the most memory this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def chunk(random, sentences, frequencies, truth):
    """Make some sentences: rows of features, scores and log-probabilities."""
    shape = (sentences, DECISIONS, 2, OPTION)
    options = np.searchsorted(frequencies, random.random(shape)).astype(np.int32)
    common = np.searchsorted(frequencies, random.random((sentences, COMMON))).astype(np.int32)
    quality = truth[options].sum(3) + random.normal(size=shape[:3])
    right = quality.argmax(2)
    taken = np.where(random.random((sentences, CANDIDATES, DECISIONS)) < 0.75, right[:, None], 1 - right[:, None])
    taken[random.random(taken.shape) < 0.1] = 0
    gold = (taken == right[:, None]).mean(2)
    features = np.take_along_axis(options[:, None], taken[..., None, None], 3).reshape(sentences, CANDIDATES, -1)
    rows = np.concatenate([features, np.repeat(common[:, None], CANDIDATES, 1)], 2).reshape(sentences * CANDIDATES, -1)
    rows.sort(1)
    log_probability = 6 * gold + random.normal(size=gold.shape) - 40
    return rows, gold.reshape(-1), log_probability.reshape(-1)


def make(sentences, feature_count, seed=1):
    """Make the data."""
    random = np.random.default_rng(seed)
    zipf = 1 / (np.arange(feature_count) + 5.0)
    frequencies, truth = np.cumsum(zipf / zipf.sum())[:-1], np.random.default_rng(0).normal(size=feature_count)
    features, counts, golds, bases = [], [], [], []
    for first in range(0, sentences, CHUNK):
        rows, gold, base = chunk(random, min(CHUNK, sentences - first), frequencies, truth)
        new = np.ones(rows.shape, bool)
        new[:, 1:] = rows[:, 1:] != rows[:, :-1]
        features.append(rows[new])
        counts.append(new.sum(1))
        golds.append(gold)
        bases.append(base)
    return Candidates(
        offsets=np.arange(sentences + 1) * CANDIDATES,
        log_probability=np.concatenate(bases),
        gold=np.concatenate(golds),
        feature_offsets=np.concatenate([[0], np.cumsum(np.concatenate(counts))]),
        features=np.concatenate(features),
        size=np.full(sentences * CANDIDATES, float(DECISIONS)),
        feature_count=feature_count,
    )


def full(arguments):
    """Boost on all data, from an archive that is mapped into memory."""
    boost(make(50, 1000), 10, dev=make(10, 1000))  # compiles
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "candidates.npz"
        write_candidates(path, make(arguments.sentences, arguments.features))
        print(f"peak memory of making and writing {memory():.0f} MB; {path.stat().st_size / 1e6:.0f} MB on disk")
        start = time.perf_counter()
        train, dev = read_candidates(path), make(arguments.sentences // 9, arguments.features, seed=2)
        print(f"{train}, {len(train.features):,} features in all; {time.perf_counter() - start:.1f} s to read")
        start = time.process_time()
        differences = find_differences(train)
        each = len(differences.entries) / len(differences)
        seconds = time.process_time() - start
        print(f"{len(differences):,} pairs, {each:.1f} differences each; {seconds:.1f} CPU s to find them", flush=True)
        del differences
        start, cpu = time.perf_counter(), time.process_time()
        boosted = boost(train, arguments.rounds, smoothing=arguments.smoothing, dev=dev)
        wall, cpu = time.perf_counter() - start, time.process_time() - cpu
        print(f"{len(boosted):,} rounds in {wall:.1f} s ({cpu:.1f} CPU s), peak memory {memory():.0f} MB", flush=True)
        describe(boosted)
        times = []
        for rounds in (1, 1 + arguments.naive):
            start = time.process_time()
            slow = boost(train, rounds, smoothing=arguments.smoothing, algorithm="naive")
            times.append(time.process_time() - start)
        same = slow.steps.tolist() == boosted.steps[: len(slow)].tolist()
        each = (times[1] - times[0]) / arguments.naive
        print(
            f"naive: {each:.2f} CPU s a round, {each * len(boosted) / 3600:.1f} hours in all; the same rounds: {same}"
        )


def describe(boosted):
    print(f"alpha {boosted.alpha:.3f}, loss {boosted.totals[0]:,.0f} to {boosted.totals[-1]:,.0f}", end="; ")
    print(f"{np.count_nonzero(boosted.weights(len(boosted))):,} features with a weight")
    print(f"dev: base {boosted.dev_scores[0]:.0f}, best {boosted.dev_scores.max():.0f} at {boosted.best_rounds:,}")
    print(f"Work({len(boosted):,}) = {boosted.passes():.1f} passes; Savings = {boosted.savings():,.0f}")
    for a, b in ((1, 10), (11, 100), (101, 1000), (1001, 10_000), (10_001, 50_000), (50_001, 100_000)):
        if b <= len(boosted):
            print(f"Savings({a:,}, {b:,}) = {boosted.savings(a, b):,.0f}")


def learners():
    """Compare all learners on the smaller data of section 5.3."""
    for learner in DEFAULT_ROUNDS:
        train_reranker(make(50, 1000), RerankingOptions(learner, 3))  # compiles
    train, dev = make(7400, 52_294), make(2000, 52_294, seed=2)
    print(train, flush=True)
    print("| learner | rounds | CPU s | features | dev: base | dev | best possible |\n" + "| --- " * 7 + "|")
    choices = [
        ("boost", 10_000),
        ("log-bound", 10_000),
        ("log-selection", 100),
        ("log-linear", 200),
        ("perceptron", 10),
    ]
    for learner, rounds in choices:
        start = time.process_time()
        options = RerankingOptions(learner, rounds, C=0.05)
        model = train_reranker(train, options, dev if learner in ("boost", "log-bound") else None)
        seconds, outcome = time.process_time() - start, evaluate_choices(dev, model.best(dev))
        scores = f"{outcome.base:.4f} | {outcome.chosen:.4f} | {outcome.oracle:.4f}"
        print(f"| {learner} | {rounds:,} | {seconds:.1f} | {len(model.weights):,} | {scores} |", flush=True)


def lines(sentences=3600):
    """Read JSON lines."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "candidates.jsonl"
        write_candidates(path, make(sentences, 500_000))
        before, start = memory(), time.process_time()
        read = read_candidates(path, cutoff=5)
        size = path.stat().st_size / 1e6
    seconds = time.process_time() - start
    print(f"{read}: {size:.0f} MB in {seconds:.1f} CPU s, {memory():.0f} MB at most ({before:.0f} before)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sentences", type=int, default=36_000)
    parser.add_argument("--features", type=int, default=500_000)
    parser.add_argument("--rounds", type=int, default=100_000)
    parser.add_argument("--smoothing", type=float, default=0.0025)
    parser.add_argument("--naive", type=int, default=20, help="rounds of the naive algorithm")
    parser.add_argument("--learners", action="store_true", help="compare learners instead")
    parser.add_argument("--lines", action="store_true", help="read JSON lines instead")
    arguments = parser.parse_args()
    if arguments.learners:
        learners()
    elif arguments.lines:
        lines()
    else:
        full(arguments)


if __name__ == "__main__":
    main()
