"""What constraints cost: at most one subject and object for each head, and the k best labelled trees.

Usage: ``python benchmarks/constraints.py [--file dev.conllu.gz] [--sentences N]``

Prints how often the best tree breaks the rule ``--at-most-one nsubj,obj``, with the rule and without, the CPU time of
both, LAS, and how long the 100 best trees of sentences of about 40 words take beside the best one.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path

import treewright
from treewright.evaluation import evaluate
from treewright.inference import Constraints

DATA = Path(__file__).parents[2] / "shared" / "data"
RULE = ("nsubj", "obj")
#: Rounds, of which the fastest counts.
ROUNDS = 3


def violations(sentence):
    """Count the pairs of head and relation of the rule that more than one word has."""
    counts = Counter(zip(sentence.heads.tolist(), sentence.deprels, strict=True))
    return sum(count > 1 for (_, relation), count in counts.items() if relation in RULE)


def fastest(ask):
    seconds, answer = [], None
    for _ in range(ROUNDS):
        start = time.process_time()
        answer = ask()
        seconds.append(time.process_time() - start)
    return min(seconds), answer


def compare(parser, dev):
    print("| search | CPU s | sentences that break the rule | without a certificate | LAS | UAS |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, options in (("free", {}), ("at most one", {"constraints": Constraints(at_most_one=RULE)})):
        parser.parse_sentence(dev[0], **options)  # compiles
        seconds, parsed = fastest(lambda options=options: [parser.parse_sentence(one, **options) for one in dev])
        broken = sum(violations(one) > 0 for one in parsed)
        unproved = sum("# certificate = no" in one.comments for one in parsed)
        scores = evaluate(dev, parsed)
        print(f"| {name} | {seconds:.2f} | {broken} | {unproved} | {scores.las.f1:.2f} | {scores.uas.f1:.2f} |")


def compare_k_best(parser, dev, k=100):
    ratios = []
    for sentence in [one for one in dev if 38 <= len(one) <= 42][:20]:
        scores = parser.scores(parser.parse_sentence(sentence))
        once, _ = fastest(lambda scores=scores: [parser.trees.argmax(scores) for _ in range(20)])
        many, _ = fastest(lambda scores=scores: [parser.trees.k_best(scores, k, labelled=True) for _ in range(20)])
        ratios.append(many / once)
    ratios.sort()
    print(f"\n{k} best labelled trees of {len(ratios)} sentences of 38 to 42 words, times the best one:", end=" ")
    print(f"median {ratios[len(ratios) // 2]:.2f}, from {ratios[0]:.2f} to {ratios[-1]:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", type=Path, default=DATA / "ud" / "english-ewt" / "dev.conllu.gz")
    parser.add_argument("--sentences", type=int, default=0, help="default: all")
    parser.add_argument("--model", default="en")
    options = parser.parse_args()
    dev = [one for one in treewright.read(options.file) if len(one)][: options.sentences or None]
    broken = sum(violations(one) > 0 for one in dev)
    print(f"{len(dev)} sentences, {broken} of which break the rule in the gold standard\n")
    model = treewright.load(options.model)
    compare(model, dev)
    compare_k_best(model, dev)


if __name__ == "__main__":
    main()
