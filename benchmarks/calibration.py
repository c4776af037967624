"""How far to trust the probabilities of `parse --confidence`: heads, relations, tags, whole trees, expected errors.

    python benchmarks/calibration.py --data ../shared/data/ud --model en english-ewt english-gum
    python benchmarks/calibration.py --data ../shared/data/ud --train --sentences 2000 swedish-talbanken turkish-imst
    python benchmarks/calibration.py --data ../shared/data --embedded af cs da

Parses the dev sets of treebanks, by a model, by a first-order parser trained on the train section of each (--train), or
by embedded models, each on the dev set of its own treebank (--embedded), and compares what `parse --confidence` writes
with the gold standard.  The floor of the ECE is what a perfectly calibrated parser would have with the same
probabilities, on average, and the ceiling is what it would stay below in 95 of 100 draws; the ECE of equal mass is over
bins of equal numbers of cases.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr
from udpipe import folders

import treewright
from treewright import TrainingOptions, read, train_parser
from treewright.evaluation import draw_calibrations, measure_calibrations
from treewright.treebank import Sentence

HEADER = "| treebank | of | cases | stated | correct | ECE | floor | ceiling | equal mass | Brier | log loss |"


def expected_errors(sentence: Sentence) -> float:
    [value] = [line.split("=")[1] for line in sentence.comments if line.startswith("# expected_errors")]
    return float(value)


def report(name: str, gold: list[Sentence], system: list[Sentence], figure: Path | None) -> None:
    """Print the table of one treebank."""
    found = measure_calibrations(gold, system)
    for of, one in found.items():
        eces = one.ece, one.ece_floor, one.ece_ceiling, one.ece_equal_mass
        numbers = (one.confidence, one.accuracy, *eces, one.brier, one.log_loss)
        print(f"| {name} | {of} | {one.cases:,} | {' | '.join(f'{number:.4f}' for number in numbers)} |", flush=True)
    wrong = [
        sum(h != k or r != s for h, k, r, s in zip(a.heads, b.heads, a.deprels, b.deprels, strict=True))
        for a, b in zip(gold, system, strict=True)
    ]
    errors = [expected_errors(sentence) for sentence in system]
    print(
        f"{name}: {np.mean(errors):.2f} errors a sentence are expected, {np.mean(wrong):.2f} happen; "
        f"Spearman {spearmanr(errors, wrong).statistic:.3f}\n",
        flush=True,
    )
    if figure is not None:
        figure.write_text(draw_calibrations(found), encoding="utf-8")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("treebanks", nargs="+")
    arguments.add_argument("--data", type=Path, required=True, help="the folder of UD treebanks")
    arguments.add_argument("--model", default="en")
    arguments.add_argument("--embedded", action="store_true", help="judge the embedded models of these names")
    arguments.add_argument("--train", action="store_true", help="train a first-order parser on each treebank")
    arguments.add_argument("--tags", choices=["predicted", "gold"], default="predicted", help="with --train")
    arguments.add_argument("--sentences", type=int, default=0, help="learn from this many sentences; 0 means all")
    arguments.add_argument("--every", type=int, default=1, help="parse every so manyth sentence of the dev set")
    arguments.add_argument("--calibrate", choices=["folds", "twice", "aside"], help="with --train (default: by size)")
    arguments.add_argument("--epochs", type=int, default=5)
    arguments.add_argument("--figures", type=Path, help="a folder for reliability diagrams")
    chosen = arguments.parse_args()
    parser = None if chosen.train or chosen.embedded else treewright.load(chosen.model)
    print(HEADER + "\n| --- | --- |" + " ---: |" * 9)
    for name in chosen.treebanks:
        folder = chosen.data / (folders()[name] if chosen.embedded else name)
        gold = [sentence for sentence in read(folder / "dev.conllu.gz") if len(sentence)][:: chosen.every]
        if chosen.embedded:
            parser = treewright.load(name)
        elif chosen.train:
            sentences = [sentence for sentence in read(folder / "train.conllu.gz") if len(sentence)]
            options = TrainingOptions(
                factorization="arc", epochs=chosen.epochs, folds=5, tags=chosen.tags, calibrate=chosen.calibrate
            )
            parser = train_parser(sentences[: chosen.sentences or None], gold, options)
        system = list(parser.parse_all(gold, confidence=True, keep_tags=chosen.tags == "gold", threads=0))
        report(name, gold, system, chosen.figures and chosen.figures / f"calibration-{name}.svg")


if __name__ == "__main__":
    main()
