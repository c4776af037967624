"""How fast bracketed trees are read and written, against NLTK in the same run, and turned into dependencies.

Usage: ``python benchmarks/trees.py [FILE] [--repeat N]``
"""

from __future__ import annotations

import argparse
import gc
import io
import time
import timeit
from collections.abc import Callable
from pathlib import Path

import nltk

from treewright.files import open_input
from treewright.treebank import HeadRules, read_trees, simplify, to_dependencies, write_trees

DEFAULT = Path(__file__).parents[1] / "../shared/data/craft-const/train.mrg.gz"


def read_ours(path: Path) -> int:
    return sum(map(len, read_trees(path, spaces="keep")))


def copy_ours(path: Path) -> int:
    return write_trees(read_trees(path, spaces="keep"), io.BytesIO())


def simplify_ours(path: Path) -> int:
    return sum(simplify(tree) is not None for tree in read_trees(path, spaces="keep"))


def convert_ours(path: Path) -> int:
    rules = HeadRules.load("collins")
    return sum(len(to_dependencies(tree, rules)) for tree in read_trees(path, spaces="keep"))


def read_nltk(path: Path) -> int:
    with open_input(path) as raw, io.TextIOWrapper(raw, encoding="utf-8", newline="\n") as file:
        return sum(len(nltk.Tree.fromstring(line).leaves()) for line in file)


def copy_nltk(path: Path) -> int:
    output = io.StringIO()
    with open_input(path) as raw, io.TextIOWrapper(raw, encoding="utf-8", newline="\n") as file:
        return sum(output.write(nltk.Tree.fromstring(line).pformat(margin=1 << 30) + "\n") for line in file)


def best_time(function: Callable[[Path], int], path: Path, repeat: int) -> float:
    return min(timeit.repeat(lambda: function(path), "gc.enable()", time.process_time, repeat, 1, {"gc": gc}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    trees, words = copy_ours(arguments.file), read_ours(arguments.file)
    print(f"{arguments.file.name}: {trees:,} trees, {words:,} words, CPU time, best of {arguments.repeat}")
    print(f"{'':20}{'trees/s':>10}{'words/s':>12}{'NLTK words/s':>14}{'ratio':>8}")
    for label, ours, theirs in (
        ("read", read_ours, read_nltk),
        ("read, write", copy_ours, copy_nltk),
        ("read, simplify", simplify_ours, None),
        ("read, dependencies", convert_ours, None),
    ):
        seconds = best_time(ours, arguments.file, arguments.repeat)
        row = f"{label:20}{trees / seconds:>10,.0f}{words / seconds:>12,.0f}"
        if theirs is not None:
            slow = best_time(theirs, arguments.file, 1)
            row += f"{words / slow:>14,.0f}{slow / seconds:>7.1f}x"
        print(row)


if __name__ == "__main__":
    main()
