"""The baseline PCFG on a treebank: bracket F1, size and speed, by what its symbols remember.

Usage: ``python benchmarks/pcfg.py [FOLDER] [--every N] [--k N] [--oracle]``
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from treewright.constituency.pcfg import Pcfg, train_pcfg
from treewright.evaluation import evaluate_brackets
from treewright.treebank import ConstituentTree, Sentence, read_trees, simplify

DEFAULT = Path(__file__).parents[1] / "../shared/data/wsj-sample"

#: Vertical and horizontal order, and whether tags are annotated.
ORDERS = ((1, None, False), (1, 2, False), (2, 1, False), (2, 2, False), (2, 2, True), (2, 1, True))


def read(path: Path) -> list[ConstituentTree]:
    return [tree for tree in map(simplify, read_trees(path)) if tree is not None]


def seconds(task: Callable[[ConstituentTree], object], trees: Sequence[ConstituentTree]) -> float:
    """Give the CPU time of a task, which other work on the machine changes least."""
    start = time.process_time()
    for number, tree in enumerate(trees, 1):
        task(tree)
        if sys.stderr.isatty():
            print(f"\r{number}/{len(trees)}", end="", file=sys.stderr)
    return time.process_time() - start


def measure(model: Pcfg, dev: Sequence[ConstituentTree], k: int) -> str:
    """Parse without and with gold tags; time parsing, k best and marginals."""
    model.marginals(dev[0].words)  # compiles
    found: list[ConstituentTree] = []
    parsing = seconds(lambda tree: found.extend(model.parse(tree.words)), dev)
    tagged = [model.parse_sentence(Sentence.from_forms(tree.words, xpos=tree.tags), keep_tags=True) for tree in dev]
    short = [tree for tree in dev if 21 <= len(tree) <= 25]
    times = [
        seconds(task, short) / len(short)
        for task in (
            lambda tree: model.parse(tree.words),
            lambda tree: model.k_best(Sentence.from_forms(tree.words), k),
            lambda tree: model.marginals(tree.words),
        )
    ]
    fragments = sum(not np.isfinite(model.log_probability(tree)) for tree in found)
    scores, gold = evaluate_brackets(dev, found).all, evaluate_brackets(dev, tagged).all
    return (
        f"{scores.brackets.f1:.2f} | {scores.tags.f1:.2f} | {gold.brackets.f1:.2f} | {fragments} | "
        f"{len(dev) / parsing:.0f} | " + " | ".join(f"{1000 * each:.0f}" for each in times)
    )


def print_oracle(model: Pcfg, dev: Sequence[ConstituentTree], most: int) -> None:
    """Print the F1 of choosing for each sentence the tree with the best F1 among k: what reranking can gain."""
    lists = [[found.tree for found in model.k_best(Sentence.from_forms(tree.words), most)] for tree in dev]
    f1 = [
        [evaluate_brackets([gold], [tree]).all.brackets.f1 for tree in trees]
        for gold, trees in zip(dev, lists, strict=True)
    ]
    print("| k | oracle F1 |\n| --- | --- |")
    for k in sorted({1, 2, 5, 10, 20, most}):
        chosen = [trees[int(np.argmax(own[:k]))] for trees, own in zip(lists, f1, strict=True)]
        print(f"| {k} | {evaluate_brackets(dev, chosen).all.brackets.f1:.2f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=DEFAULT)
    parser.add_argument("--every", type=int, default=1, help="parse only one in N dev sentences")
    parser.add_argument("--k", type=int, default=50, help="how many best trees")
    parser.add_argument("--oracle", action="store_true", help="print only the oracle F1 of the k best, default model")
    options = parser.parse_args()
    train, dev = read(options.folder / "train.mrg.gz"), read(options.folder / "dev.mrg.gz")[:: options.every]
    print(f"{len(train)} training trees; {len(dev)} dev trees, {sum(map(len, dev)) / len(dev):.1f} words on average")
    if options.oracle:
        print_oracle(train_pcfg(train), dev, options.k)
        return
    print(
        "| v | h | tags annotated | symbols | rules | chains | F1 | tags | F1, gold tags | fragments | sentences/s "
        f"| 21-25 words: parse, ms | {options.k} best, ms | marginals, ms |"
    )
    print("|" + " --- |" * 14)
    for vertical, horizontal, tags in ORDERS:
        model = train_pcfg(train, vertical=vertical, horizontal=horizontal, annotate_tags=tags)
        grammar = model.grammar
        size = f"{grammar.symbols:,} | {len(grammar.weight):,} | {len(grammar.bottom)}"
        order = f"{vertical} | {'all' if horizontal is None else horizontal} | {'yes' if tags else 'no'}"
        print(f"| {order} | {size} | {measure(model, dev, options.k)} |", flush=True)


if __name__ == "__main__":
    main()
