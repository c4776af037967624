"""Belief propagation over hidden values: candidate trees a second, and where the time goes.

Sums, marginals and the gradient of candidates of 25 words with five hidden values each, on one thread: the k best
parses of a treebank, which have much in common; random trees, which have little; and the k best with the domains of
Koo and Collins (2005).

Usage: ``python benchmarks/hidden_variables.py [FILE] [--k N] [--sentences N]``
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import treewright
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.hidden.features import HiddenFeatures
from treewright.reranking.hidden.likelihood import add_gradient, candidate_scores, move_rows, score_parts
from treewright.reranking.hidden.supersenses import Supersenses
from treewright.reranking.hidden.trees import HiddenTrees
from treewright.reranking.options import HiddenSettings
from treewright.treebank import Sentence

DATA = Path(__file__).parents[1] / "../shared/data"
LENGTH = 25


def k_best(path: Path, k: int, most: int) -> list[list[Sentence]]:
    """List the k best parses of sentences of 25 words, or nearly."""
    parser = treewright.load("en")
    chosen = [s for s in treewright.read(path) if abs(len(s) - LENGTH) <= 1][:most]
    return [[tree for tree, _ in parser.k_best(s, k, keep_tags=True)] for s in chosen]


def random_trees(lists: Sequence[Sequence[Sentence]], seed: int = 1) -> list[list[Sentence]]:
    """Give every candidate random heads and relations instead of its own."""
    generator = np.random.default_rng(seed)
    relations = np.array(sorted({relation for trees in lists for relation in trees[0].deprels}))
    return [[_random_tree(tree, relations, generator) for tree in trees] for trees in lists]


def _random_tree(tree: Sentence, relations: np.ndarray, generator: np.random.Generator) -> Sentence:
    n = len(tree)
    order, heads = generator.permutation(n), np.zeros(n, np.int32)
    for place in range(1, n):
        heads[order[place]] = order[generator.integers(place)] + 1
    return tree.replace(heads=heads, deprels=relations[generator.integers(len(relations), size=n)].tolist())


def arrays(lists: Sequence[Sequence[Sentence]], settings: HiddenSettings) -> tuple[HiddenFeatures, HiddenTrees, float]:
    offsets = np.cumsum([0, *map(len, lists)])
    n = int(offsets[-1])
    base = -np.random.default_rng(2).random(n)
    candidates = Candidates(offsets, base, base, np.zeros(n + 1, np.int64), np.zeros(0, np.int32))
    table = DATA / "wordnet-supersenses/supersenses.tsv.gz"
    features = HiddenFeatures(settings, Supersenses.load(table) if "supersense" in settings.domains else None)
    features.read(lists[:1], candidates.take([0]), learn=True)  # compiles
    start = time.process_time()
    return features, features.read(lists, candidates, learn=True), time.process_time() - start


def seconds(task: Callable[[int], object], trees: HiddenTrees, repeats: int = 7) -> float:
    """Give the CPU time of a task for all sentences, the best of several runs."""
    times = []
    for _ in range(repeats + 1):
        start = time.process_time()
        for s in range(len(trees.candidates) - 1):
            task(s)
        times.append(time.process_time() - start)
    return min(times[1:])


def measure(name: str, lists: Sequence[Sequence[Sentence]], settings: HiddenSettings) -> str:
    features, trees, reading = arrays(lists, settings)
    weights = np.random.default_rng(3).normal(0, 0.1, features.size)
    target = np.zeros_like(weights)
    count = int(trees.candidates[-1])
    sums = [score_parts(trees, s, weights, 1.0) for s in range(len(trees.candidates) - 1)]
    scoring = seconds(lambda s: score_parts(trees, s, weights, 1.0), trees)
    both = seconds(lambda s: candidate_scores(trees, s, weights, 1.0, 1.0), trees)
    whole = seconds(lambda s: add_gradient(trees, s, weights, 1.0, 1.0, target, 1.0), trees)
    adding = seconds(lambda s: move_rows(trees, s, sums[s].node, sums[s].edge, target, 1.0, True), trees)
    shared = f"{trees.nodes[-1] / trees.positions[-1]:.2f} | {trees.edges[-1] / np.count_nonzero(trees.edge >= 0):.2f}"
    values = np.diff(trees.node_values)[trees.node].mean()
    parts = (scoring, both - scoring, whole - both - adding, adding, reading)
    each = " | ".join(f"{1e6 * part / count:.1f}" for part in parts)
    return f"| {name} | {values:.1f} | {shared} | **{count / whole:,.0f}** | {1e6 * whole / count:.1f} | {each} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, nargs="?", default=DATA / "ud/english-ewt/dev.conllu.gz")
    parser.add_argument("--k", type=int, default=50, help="candidates for each sentence")
    parser.add_argument("--sentences", type=int, default=30)
    options = parser.parse_args()
    lists = k_best(options.file, options.k, options.sentences)
    print(f"{len(lists)} sentences, {sum(map(len, lists))} candidates")
    print(
        "| candidates | values a word | distinct nodes | distinct edges | trees/s | µs a tree | scores | sums "
        "| marginals | adding to the gradient | reading |\n|" + " --- |" * 11
    )
    print(measure("random trees, tag", random_trees(lists), HiddenSettings("tag", "head", 1)), flush=True)
    for domains in ("tag", "lexical", "highest", "supersense"):
        for structure in ("head", "sibling"):
            settings = HiddenSettings(domains, structure, 1)  # type: ignore[arg-type]
            print(measure(f"k best, {domains}, {structure}", lists, settings), flush=True)


if __name__ == "__main__":
    main()
