"""Parsing with non-local features, end to end: speed, accuracy, and what branch and bound takes, on one treebank.

Usage: ``python benchmarks/non_local.py [FOLDER] [--model FILE] [--save FILE] [--every N] [--nodes N]``, where
FOLDER holds ``train.conllu.gz`` and ``dev.conllu.gz``.  An unlabelled model with all siblings, all grandchildren and
combs on top of ``carreras`` is trained by the averaged perceptron, or opened; every N-th sentence of dev is parsed.
CPU time of one thread, with gold tags and kernels compiled; pruning, features and search are all counted.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from parsing import DEFAULT, Epochs
from treewright import Parser, TrainingOptions, read, train_parser
from treewright.dependency.search import MOST_NODES, best_with_factors
from treewright.inference import Parts

OPTIONS = TrainingOptions(
    factorization="carreras",
    non_local=("siblings", "grandchildren", "combs"),
    labels=False,
    learner="perceptron",
    tags="gold",
    beam=0.0,
    max_heads=10,
    threads=1,
)
#: What is measured: heads of each word, and beam.
PRUNING = ((10, 0.0), (10, 1e-4), (5, 0.0), (3, 0.0))


def parsed(parser, sentences, nodes):
    """Parse sentences: CPU seconds of each step, how many heads are right, and the parses."""
    spent, right, parses, scorer = (
        dict.fromkeys(["pruning", "scores", "factors", "search"], 0.0),
        0,
        [],
        parser.scorer,
    )

    def timed(name, function, *arguments):
        began = time.process_time()
        result = function(*arguments)
        spent[name] += time.process_time() - began
        return result

    for sentence in sentences:
        parts = Parts(timed("pruning", parser.pruner.allowed, sentence), projective=True)
        scores = timed("scores", scorer.score, sentence, parts)
        factors = timed("factors", scorer.factors, sentence, parts)
        parses.append(timed("search", best_with_factors, parser.trees, scorer.resolution, scores, factors, nodes))
        right += int(np.count_nonzero(parses[-1].heads[1:] == sentence.heads))
    return spent, right, parses


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", nargs="?", type=Path, default=DEFAULT)
    arguments.add_argument("--model", type=Path)
    arguments.add_argument("--save", type=Path)
    arguments.add_argument("--every", type=int, default=1)
    arguments.add_argument("--sentences", type=int, default=2_500)
    arguments.add_argument("--epochs", type=int, default=3)
    arguments.add_argument("--nodes", type=int, default=MOST_NODES)
    given = arguments.parse_args()
    dev = list(read(given.folder / "dev.conllu.gz"))[:: given.every]
    if given.model is None:
        everything = list(read(given.folder / "train.conllu.gz"))
        chosen = [everything[i] for i in np.linspace(0, len(everything) - 1, given.sentences).astype(int)]
        parser = train_parser(chosen, dev[::5], replace(OPTIONS, epochs=given.epochs), report=Epochs())
    else:
        parser = Parser.open(given.model)
    if given.save is not None:
        parser.save(given.save)
    words = sum(map(len, dev))
    print(
        "| heads | beam | UAS | tokens/s | nodes | searches | in one node | certified | µs a word |\n"
        + "| --- " * 9
        + "|"
    )
    for heads, beam in PRUNING:
        parser.pruner = parser.pruner.with_limits(beam, heads)
        parsed(parser, dev[:20], given.nodes)
        spent, right, parses = parsed(parser, dev, given.nodes)
        nodes, searches = (np.array([getattr(parse, name) for parse in parses]) for name in ("nodes", "calls"))
        certified = np.mean([parse.certificate for parse in parses])
        steps = ", ".join(f"{name} {1e6 * seconds / words:.0f}" for name, seconds in spent.items())
        print(
            f"| {heads} | {beam:g} | {100 * right / words:.2f} | {words / sum(spent.values()):,.0f} | "
            f"{nodes.mean():.1f} | {searches.mean():.1f} | {(nodes == 1).mean():.0%} | {certified:.1%} | {steps} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
