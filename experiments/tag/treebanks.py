"""Treebanks of constituents, with a validation slice, and as dependencies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import common
import numpy as np

from treewright.treebank import ConstituentTree, read_trees, simplify, to_dependencies

#: Folder → title.
TREEBANKS = {"wsj-sample": "WSJ sample", "craft-const": "CRAFT", "gum-const": "GUM"}

#: Treebanks that are always taken whole.
SMALL = ("wsj-sample",)

#: Treebanks of short sentences, of which so many times as many are taken: about as many words.
TIMES = {"gum-const": 2}

#: Longer sentences are left out of training.
LONGEST = 100

#: Tags that are not counted in unlabelled dependency accuracy (the papers' convention).
PUNCTUATION = {"``", "''", ":", ",", "."}


@dataclass(frozen=True, eq=False)
class Trees:
    """Train without its validation slice, the slice, and the dev file."""

    name: str
    train: list[ConstituentTree]
    validation: list[ConstituentTree]
    dev: list[ConstituentTree]

    @property
    def title(self) -> str:
        return TREEBANKS[self.name]

    @cached_property
    def words(self) -> int:
        return sum(map(len, self.train))


def load_trees(options, name) -> Trees | None:
    """Read a treebank; None, and a line that says so, if it is not there."""
    paths = [options.data / name / f"{part}.mrg.gz" for part in ("train", "dev")]
    if not all(path.exists() for path in paths):
        print(f"{name}: skipped, it is not in {options.data} (option --data)")
        return None
    everything, dev = (
        [simple for tree in read_trees(path, spaces="keep") if (simple := simplify(tree)) is not None] for path in paths
    )
    everything = [tree for tree in everything if len(tree) <= LONGEST]
    rest = [tree for index, tree in enumerate(everything) if index % common.SLICE]
    validation = common.spread(everything[:: common.SLICE], 200)
    most = 0 if name in SMALL else options.sentences * TIMES.get(name, 1)
    return Trees(name, common.spread(rest, most), validation, common.spread(dev, options.dev))


def to_sentences(trees):
    """Convert trees by the rules of Yamada and Matsumoto (2003)."""
    return [to_dependencies(tree, "yamada-matsumoto") for tree in trees]


def count_dependencies(trees, gold, system):
    """Count for each sentence the right heads and the words, punctuation aside."""
    correct, words = [], []
    for tree, right, found in zip(trees, gold, system, strict=True):
        counted = np.array([tag not in PUNCTUATION for tag in tree.tags])
        correct.append(int(np.count_nonzero((right == found) & counted)))
        words.append(int(counted.sum()))
    return correct, words
