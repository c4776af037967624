"""Which feature templates earn their place: train without one group of them at a time, and compare on dev.

Usage: ``python benchmarks/drop_one.py [FOLDER] [--factorization arc|grand-sibling] [--sentences 3000] …``, where FOLDER
holds ``train.conllu.gz`` and ``dev.conllu.gz`` with gold tags.  All models learn (MIRA) from the same sentences, pruned
once by the same cascade.  Each result is a line of ``--results FILE``; what is there is not trained again, so that a
stopped run goes on.  Differences are tested by the paired bootstrap.  Speed is CPU time for scores alone.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from treewright import Parser, TrainingOptions, read
from treewright.dependency.cascade_training import CascadeTraining
from treewright.dependency.problem import ParsingProblem
from treewright.dependency.training import check_treebank
from treewright.evaluation.bootstrap import paired_bootstrap
from treewright.features import DependencyFeatures, LinearScorer, Weights
from treewright.features.settings import HIGHER
from treewright.inference import Parts, Trees
from treewright.learning import Mira, train

DEFAULT = Path(__file__).parents[1] / "../shared/data/ud/english-ewt"
ARC, LABEL = ("arc_alone", "arc_pair", "between"), ("label_alone", "label_pair")
LARGER = tuple(HIGHER)

#: Group → the lists that it is in, and the pattern of its templates.
GROUPS = {
    "lemmas": (ARC + LABEL, r"lemma"),
    "morphology": (ARC + LABEL, r"feats|case|agreement"),
    "affixes": (ARC + LABEL, r"fix"),
    "neighbouring words": (ARC + LABEL, r"word[+-]"),
    "tags two words away": (ARC + LABEL, r"pos[+-]2"),
    "coarse tags of arcs": (("arc_pair", "arc_alone"), r"upos"),
    "neighbouring tags of both ends": (("arc_pair",), r"pos[+-]1.*\|.*pos[+-]1"),
    "neighbouring tags of one end": (("arc_pair",), r"^[^|+-]*\|.*pos[+-]1|pos[+-]1.*\|[^|+-]*$"),
    "counts in between": (("between",), r"upos|shape"),
    "labels: both ends": (("label_pair",), r""),
    "labels: one end": (("label_alone",), r""),
    "larger: coarse tags": (LARGER, r"upos"),
    "larger: neighbouring tags": (LARGER, r"pos[+-]"),
    "larger: lemmas and morphology": (LARGER, r"lemma|feats"),
    "siblings": (("sibling",), r""),
    "grandchildren": (("grandchild",), r""),
    "grand-siblings": (("grand_sibling",), r""),
    "coordination": (("coordination",), r""),
}


def without(settings, group):
    """Leave a group of templates out."""
    lists, pattern = GROUPS[group]
    kept = {name: [one for one in getattr(settings, name) if not re.search(pattern, one)] for name in lists}
    return replace(settings, **kept)


def counts_of(dev, parsed, labels):
    """Count, for each sentence, the right words, and all words twice: what the bootstrap asks for."""
    rows = []
    for gold, own in zip(dev, parsed, strict=True):
        right = gold.heads == own.heads
        if labels:
            right &= [
                one.split(":")[0] == other.split(":")[0] for one, other in zip(gold.deprels, own.deprels, strict=True)
            ]
        rows.append([int(right.sum()), len(gold), len(gold)])
    return rows


def microseconds(scorer, dev, masks):
    """Time hashing and scores, the best of three, in µs a word."""
    best = float("inf")
    listed = [Parts(mask, projective=True) for mask in masks]
    for _ in range(3):
        start = time.process_time()
        for sentence, parts in zip(dev, listed, strict=True):
            scorer.score(sentence, parts)
        best = min(best, time.process_time() - start)
    return 1e6 * best / sum(map(len, dev))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", nargs="?", type=Path, default=DEFAULT)
    arguments.add_argument("--factorization", default="arc")
    arguments.add_argument("--sentences", type=int, default=3000)
    arguments.add_argument("--epochs", type=int, default=5)
    arguments.add_argument("--results", type=Path, default=Path("drop_one.jsonl"))
    arguments.add_argument("--groups", nargs="*", default=list(GROUPS))
    given = arguments.parse_args()
    options = TrainingOptions(factorization=given.factorization, tags="gold")
    sentences = check_treebank("training", read(given.folder / "train.conllu.gz"))
    sentences = sentences[:: max(1, len(sentences) // given.sentences)][: given.sentences]
    dev = check_treebank("dev", read(given.folder / "dev.conllu.gz"))
    trees = Trees(factorization=given.factorization)
    about = [given.folder.name, given.factorization, len(sentences), given.epochs]
    lines = given.results.read_text().splitlines() if given.results.exists() else []
    done = {one["group"]: one for one in map(json.loads, lines) if one["about"] == about}
    features = DependencyFeatures.of(sentences, kinds=options.kinds)
    wanted = [group for group in given.groups if without(features.settings, group) != features.settings]
    missing = [group for group in ("all", *wanted) if group not in done]
    if missing:
        cascade, masks = CascadeTraining(features.lexicon, trees).run(sentences)
        of_dev = [cascade.allowed(sentence) for sentence in dev]
    for group in missing:
        settings = features.settings if group == "all" else without(features.settings, group)
        own = DependencyFeatures(settings, features.lexicon)
        result = train(ParsingProblem(sentences, own, trees, masks), Mira(), epochs=given.epochs, seed=1)
        parser = Parser(LinearScorer(own, Weights.compress(result.weights.values)), trees, None, {}, cascade)
        parsed = list(parser.parse_all(dev, keep_tags=True, threads=1))
        done[group] = {"about": about, "group": group, "time": microseconds(parser.scorer, dev, of_dev)}
        done[group] |= {"UAS": counts_of(dev, parsed, False), "LAS": counts_of(dev, parsed, True)}
        with given.results.open("a") as file:
            file.write(json.dumps(done[group]) + "\n")
    print(f"| {', '.join(map(str, about))}: without | UAS | p | LAS | p | µs a word |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for group in ("all", *wanted):
        cells = [group]
        for score in ("UAS", "LAS"):
            rows, whole = np.array(done[group][score]), np.array(done["all"][score])
            cells += [f"{100 * rows[:, 0].sum() / rows[:, 1].sum():.2f}"]
            cells += ["" if group == "all" else f"{paired_bootstrap(rows, whole).p:.3f}"]
        print(f"| {' | '.join(cells)} | {done[group]['time']:.1f} |")


if __name__ == "__main__":
    main()
