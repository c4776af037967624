"""How fast a treebank is read and written, against the library ``conllu`` in the same run.

Usage: ``python benchmarks/treebank.py [FILE] [--repeat N]``
"""

from __future__ import annotations

import argparse
import gc
import io
import time
import timeit
from collections.abc import Callable
from pathlib import Path

import conllu

from treewright.files import open_input
from treewright.treebank import read, write

DEFAULT = Path(__file__).parents[1] / "../shared/data/ud/english-ewt/train.conllu.gz"


def read_ours(path: Path) -> int:
    return sum(map(len, read(path)))


def copy_ours(path: Path) -> int:
    write(read(path), io.BytesIO())
    return 0


def read_conllu(path: Path) -> int:
    with open_input(path) as raw, io.TextIOWrapper(raw, encoding="utf-8", newline="\n") as file:
        return sum(isinstance(token["id"], int) for sentence in conllu.parse_incr(file) for token in sentence)


def copy_conllu(path: Path) -> int:
    output = io.StringIO()
    with open_input(path) as raw, io.TextIOWrapper(raw, encoding="utf-8", newline="\n") as file:
        output.writelines(sentence.serialize() for sentence in conllu.parse_incr(file))
    return 0


def best_time(function: Callable[[Path], int], path: Path, repeat: int) -> float:
    return min(timeit.repeat(lambda: function(path), "gc.enable()", time.process_time, repeat, 1, {"gc": gc}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    tokens = read_ours(arguments.file)
    if tokens != read_conllu(arguments.file):
        raise SystemExit("the two readers do not agree on the number of words")
    print(f"{arguments.file.name}: {tokens:,} words, CPU time, best of {arguments.repeat}")
    print(f"{'':12}{'treewright':>16}{'conllu':>16}{'ratio':>8}")
    for label, ours, theirs in (("read", read_ours, read_conllu), ("read, write", copy_ours, copy_conllu)):
        fast = tokens / best_time(ours, arguments.file, 2 * arguments.repeat)
        slow = tokens / best_time(theirs, arguments.file, arguments.repeat)
        print(f"{label:12}{fast:>10,.0f} tok/s{slow:>10,.0f} tok/s{fast / slow:>7.1f}x")


if __name__ == "__main__":
    main()
