"""What stages of a cascade leave, and what each costs: arcs and parts a word against the right heads that are lost.

Usage: ``python benchmarks/cascade.py [FOLDER] [--cascade arc,sibling] [--sentences N]``, where FOLDER holds
``train.conllu.gz`` and ``dev.conllu.gz`` with gold tags.  Stages are trained as `treewright train` trains them;
the last one is then given one beam after the other, and dev is pruned.  CPU time of one thread, the best of three.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from treewright import read
from treewright.dependency.cascade_training import CascadeTraining, compare_pruned
from treewright.dependency.pruning import Cascade
from treewright.dependency.training import check_treebank
from treewright.features import Lexicon
from treewright.inference import Parts, Trees

DEFAULT = Path(__file__).parents[1] / "../shared/data/ud/english-ewt"
BEAMS = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 2e-2, 5e-2)


def parts_in(masks, kind):
    """Count the parts of a kind that projective trees may have."""
    listed = [Parts(mask, projective=True) for mask in masks]
    return sum(parts.count(kind) - len(parts.crossing(kind)) for parts in listed)


def timed(cascade, dev):
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        masks = [cascade.allowed(sentence) for sentence in dev]
        best = min(best, time.process_time() - start)
    return masks, best


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", nargs="?", type=Path, default=DEFAULT)
    arguments.add_argument("--cascade", default="arc")
    arguments.add_argument("--oracle-loss", type=float, default=1.0)
    arguments.add_argument("--sentences", type=int)
    given = arguments.parse_args()
    sentences = check_treebank("training", read(given.folder / "train.conllu.gz"))[: given.sentences]
    dev = check_treebank("dev", read(given.folder / "dev.conllu.gz"))
    words = sum(map(len, dev))
    start = time.process_time()
    stages = tuple(given.cascade.split(","))
    cascade, masks = CascadeTraining(Lexicon.of(sentences), Trees(), stages, given.oracle_loss / 100).run(sentences)
    print(f"{given.folder.name}, {len(sentences)} sentences, {given.cascade}: {time.process_time() - start:.0f} CPU s")
    held_out = compare_pruned(masks, sentences)
    print(f"fitted: beams {[f'{stage.beam:.2g}' for stage in cascade.stages]}, held out {held_out}")
    kinds = ("arc", "sibling", "grandchild", "grand_sibling")
    print(f"| beam of the last stage | lost heads, % | {' | '.join(kinds)} | one tree, % of sentences | µs a word |")
    print("| ---: " * (5 + len(kinds)) + "|")
    *first, last = cascade.stages
    for beam in (*BEAMS, last.beam):
        found, seconds = timed(Cascade([*first, replace(last, beam=beam)]), dev)
        counts = [f"{parts_in(found, kind) / words:.1f}" for kind in kinds]
        single = np.mean([mask.sum() == len(mask) - 1 for mask in found])
        lost = 100 - compare_pruned(found, dev).oracle
        print(f"| {beam:.2g} | {lost:.2f} | {' | '.join(counts)} | {100 * single:.0f} | {1e6 * seconds / words:.1f} |")


if __name__ == "__main__":
    main()
