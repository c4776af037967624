"""Candidate lists of the PCFG: speed of features, what the best of k is worth, how many features there are.

Usage: ``python benchmarks/candidates.py [FOLDER] [--every N] [--most N] [--k N] [--chunks N]``
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from treewright.constituency.pcfg import PcfgTrainer
from treewright.evaluation import evaluate_brackets, score_alternatives
from treewright.reranking import CandidatesBuilder
from treewright.reranking.candidates.builder import count_sentences
from treewright.reranking.candidates.kinds import Constituents
from treewright.reranking.candidates.listing import CandidateList, list_candidates
from treewright.reranking.candidates.scored_lists import add_lists
from treewright.reranking.features import KINDS, ConstituentTreeFeatures
from treewright.treebank import ConstituentTree, read_trees, simplify

DEFAULT = Path(__file__).parents[1] / "../shared/data/wsj-sample"

Lists = Sequence[CandidateList[ConstituentTree]]


def read(path: Path) -> list[ConstituentTree]:
    return [tree for tree in map(simplify, read_trees(path, spaces="keep")) if tree is not None]


def progress(title: str):
    said = [time.monotonic()]

    def tell(share: float) -> None:
        if time.monotonic() - said[0] > 20:
            said[0] = time.monotonic()
            print(f"{title}: {100 * share:.0f} %", file=sys.stderr, flush=True)

    return tell


def lists_of(
    treebank: Sequence[ConstituentTree], others: Sequence[ConstituentTree] | None, k: int, chunks: int
) -> Lists:
    start = time.process_time()
    lists = list(
        list_candidates(
            PcfgTrainer(), Constituents(), treebank, others, k=k, chunks=chunks, on_progress=progress("parsing")
        )
    )
    seconds = time.process_time() - start
    trees = sum(len(one.trees) for one in lists)
    print(f"{len(lists):,} lists, {trees / len(lists):.1f} candidates each, {seconds:.0f} s of CPU time with training")
    return lists


def print_oracle(dev: Sequence[ConstituentTree], lists: Lists, most: int) -> None:
    """Print the F1 of choosing for each sentence the tree with the best F1 among k."""
    f1 = [[score.f1 for score in score_alternatives(gold, one.trees)] for gold, one in zip(dev, lists, strict=True)]
    print("| k | F1 of the best of k |\n| --- | --- |")
    for k in sorted({1, 10, 30, most}):
        chosen = [one.trees[int(np.argmax(own[:k]))] for one, own in zip(lists, f1, strict=True)]
        print(f"| {k} | {evaluate_brackets(dev, chosen).all.brackets.f1:.2f} |")


def print_speed(lists: Lists) -> None:
    trees = [tree for one in lists for tree in one.trees]
    words = sum(map(len, trees)) / len(trees)
    print("| features | trees/s | features of a tree |\n| --- | --- | --- |")
    for title, kinds in (("all", KINDS), ("without distances and closed classes", KINDS[:-2])):
        features = ConstituentTreeFeatures(kinds=kinds)
        start = time.process_time()
        count = sum(len(features(tree)) for tree in trees)
        seconds = time.process_time() - start
        print(f"| {title} | {len(trees) / seconds:,.0f} | {count / len(trees):.0f} |")
    start = time.process_time()
    for one in lists:
        score_alternatives(one.trees[0], one.trees)
    print(
        f"{len(trees):,} trees of {words:.1f} words; bracket scores {len(trees) / (time.process_time() - start):,.0f}/s"
    )


def print_features(treebank: Sequence[ConstituentTree], lists: Lists) -> None:
    """Print how many features there are in all, and in the lists of five sentences or more."""
    builder = CandidatesBuilder()
    start = time.process_time()
    add_lists(builder, treebank, _counted(lists), Constituents(), ConstituentTreeFeatures(), texts=False)
    made = builder.build()
    seconds = time.process_time() - start
    counts = count_sentences(made.offsets, made.feature_offsets, made.features, made.feature_count)
    all_kinds: Counter[str] = Counter()
    frequent: Counter[str] = Counter()
    for name, count in zip(made.names or (), counts.tolist(), strict=True):
        kind = name.partition(" ")[0]
        all_kinds[kind] += 1
        frequent[kind] += count >= 5
    print("| kind | features | in the lists of 5 sentences |\n| --- | --- | --- |")
    for kind in [*all_kinds, "all"]:
        one, two = (all_kinds[kind], frequent[kind]) if kind != "all" else (all_kinds.total(), frequent.total())
        print(f"| {kind} | {one:,} | {two:,} |")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{len(made):,} candidates put together in {seconds:.0f} s of CPU time; {memory:.1f} GB at most")


def _counted(lists: Lists) -> Iterator[CandidateList[ConstituentTree]]:
    tell = progress("features")
    for number, one in enumerate(lists, 1):
        yield one
        tell(number / len(lists))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=DEFAULT)
    parser.add_argument("--every", type=int, default=1, help="parse only one in N dev sentences")
    parser.add_argument("--most", type=int, default=None, help="list candidates of the first N training trees alone")
    parser.add_argument("--k", type=int, default=50, help="how many best trees")
    parser.add_argument("--train-k", type=int, default=30, help="how many best trees of training sentences")
    parser.add_argument("--chunks", type=int, default=20, help="how many chunks of training sentences; 0 for none")
    options = parser.parse_args()
    train, dev = read(options.folder / "train.mrg.gz"), read(options.folder / "dev.mrg.gz")[:: options.every]
    print(f"{len(train)} training trees; {len(dev)} dev trees, {sum(map(len, dev)) / len(dev):.1f} words on average")
    lists = lists_of(train, dev, options.k, options.chunks)
    print_oracle(dev, lists, options.k)
    print_speed(lists)
    if options.chunks:
        treebank = train[: options.most]
        print_features(treebank, lists_of(treebank, None, options.train_k, options.chunks))


if __name__ == "__main__":
    main()
