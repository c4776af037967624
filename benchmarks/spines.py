"""What derivations keep of trees, how many spines treebanks have, and how fast it goes.

As in Carreras, Collins and Koo (2008), section 4.2, training and development trees are turned into derivations and
back, with levels that r-adjunction cannot bring back given up (flat) or kept in the spines (all).  Then: how many words
of the development part have a spine that was seen in training with their tag.

Usage: ``python benchmarks/spines.py [NAME ...] [--data FOLDER]``
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from treewright.constituency.spines import Derivation, Grammar, SpineTable, build_tree, extract_derivation
from treewright.constituency.spines.spines import round_trip
from treewright.treebank import ConstituentTree, read_trees, simplify
from treewright.treebank.constituents.simplification import EmptyElements

DATA = Path(__file__).parents[1] / "../shared/data"


class Treebank(NamedTuple):
    rules: str = "collins"
    empty: EmptyElements = "penn"


TREEBANKS = {
    "wsj-sample": Treebank(),
    "craft-const": Treebank(),
    "gum-const": Treebank(),
    "icepahc-const": Treebank("default", "historical"),
}


def read_part(path: Path, empty: EmptyElements) -> list[ConstituentTree]:
    found = (simplify(tree, empty=empty) for tree in read_trees(path, spaces="keep"))
    return [tree for tree in found if tree is not None]


def measure_coverage(derivations: list[Derivation], grammar: Grammar) -> tuple[float, float]:
    covered = [grammar.covers(derivation) for derivation in derivations]
    return 100 * float(np.concatenate(covered).mean()), 100 * float(np.mean([own.all() for own in covered]))


def measure_speed(trees: list[ConstituentTree], rules: str) -> tuple[float, float]:
    """Give the trees per second of CPU time, to derivations and back."""
    table, start = SpineTable(), time.process_time()
    derivations = [extract_derivation(tree, rules, table) for tree in trees]
    middle = time.process_time()
    for derivation in derivations:
        build_tree(derivation, table)
    return len(trees) / (middle - start), len(trees) / (time.process_time() - middle)


def report(name: str, data: Path) -> None:
    rules, empty = TREEBANKS[name]
    parts = {part: read_part(data / name / f"{part}.mrg.gz", empty) for part in ("train", "dev")}
    for levels in ("flat", "all"):
        table = SpineTable()
        for part, trees in parts.items():
            found = round_trip(trees, rules, levels=levels, empty=empty, table=table)
            score, identical = found.scores.brackets, 100 * found.identical / found.trees
            row = f"{name:14}{levels:5}{part:6}{found.trees:>7,}{score.precision:>10.3f}{score.recall:>10.3f}"
            row += f"{identical:>10.2f}"
            if part == "train":
                grammar = Grammar.count(found.derivations, table)
                mean = len(grammar.candidates) / len(grammar.tags)
                words = np.concatenate([derivation.tags for derivation in found.derivations])
                mean_of_words = np.mean([len(grammar.candidates_of(tag)) for tag in words.tolist()])
                row += f"{len(grammar.spines):>8,}{len(grammar.tags):>6,}{mean:>8.1f}{mean_of_words:>8.1f}"
            else:
                row += "{:>10.2f}{:>10.2f}".format(*measure_coverage(found.derivations, grammar))
            print(row, flush=True)
    print("{:14}trees/s to derivations and back: {:,.0f}, {:,.0f}".format(name, *measure_speed(parts["dev"], rules)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TREEBANKS))
    parser.add_argument("--data", type=Path, default=DATA)
    arguments = parser.parse_args()
    print(f"{'':14}{'':5}{'':6}{'trees':>7}{'precision':>10}{'recall':>10}{'identical':>10}", end="")
    print("  train: spines, tags, spines/tag, spines/word; dev: words and sentences covered (%)")
    for name in arguments.names or TREEBANKS:
        report(name, arguments.data)


if __name__ == "__main__":
    main()
