"""How fast branch and bound is on synthetic sentences of 20 to 25 words, pruned to ten heads for each word.

Gold heads score 3 to 8 above the noise; 2,000 factors (drawn from all siblings and grandchildren) and the combs
have scores from a normal distribution, whose width is what makes a problem hard.  Run:
``python benchmarks/branch_and_bound.py [backbone …]``; times are CPU times of one thread, with kernels compiled.
"""

import sys
import time

import numpy as np

from treewright.inference import BranchAndBound, Factors, Parts, Scores, Trees
from treewright.inference.bounds.non_local import combs, grandchildren, siblings

SENTENCES, FACTORS, HEADS = 40, 2_000, 10
WIDTHS = (0.1, 0.3, 0.5, 0.7)


def random_tree(rng, n):
    """Draw a projective tree."""
    heads = np.full(n + 1, -1)
    pending = [(0, 1, n, True)]
    while pending:
        h, i, j, together = pending.pop()
        while i <= j:
            end = j if together else int(rng.integers(i, j + 1))
            m = int(rng.integers(i, end + 1))
            heads[m] = h
            pending += [(m, i, m - 1, False), (m, m + 1, end, False)]
            i = end + 1
    return heads


def problem(rng, factorization, width, projective):
    """Draw a sentence: scores of the backbone, and factors."""
    n = int(rng.integers(20, 26))
    gold = random_tree(rng, n)
    arc = 2.0 * rng.normal(size=(n + 1, n + 1))
    words = np.arange(1, n + 1)
    arc[gold[1:], words] += rng.uniform(3, 8, n)
    np.fill_diagonal(arc, -np.inf)
    near = arc - 0.1 * abs(np.subtract.outer(np.arange(n + 1), np.arange(n + 1)))
    allowed = near >= np.sort(near, axis=0)[-HEADS]
    allowed[gold[1:], words] = True
    parts = Parts(allowed)
    vectors = {"arc": arc[tuple(parts.arc.T)]}
    for name in ("sibling", "grandchild"):
        if name in factorization or (projective and factorization == "carreras"):
            vectors[name] = 0.5 * rng.normal(size=len(getattr(parts, name)))
    pairs = Factors.together([siblings(parts).factors, grandchildren(parts).factors])
    drawn = np.sort(rng.permutation(len(pairs))[:FACTORS])
    chosen = (2 * drawn[:, None] + np.arange(2)).reshape(-1)
    some = Factors(2 * np.arange(len(drawn) + 1), pairs.heads[chosen], pairs.modifiers[chosen], np.zeros(len(drawn)))
    factors = Factors.together([some, combs(parts).factors])
    return Scores(**vectors, parts=parts), factors.scored(width * rng.normal(size=len(factors)))


def main():
    columns = "backbone", "width of scores", "certified", "in one node", "nodes", "searches", "µs a search"
    print("| " + " | ".join([*columns, "ms a sentence", "tokens/s"]) + " |")
    print("| --- " * 9 + "|")
    for name in sys.argv[1:] or ("carreras", "arc", "nonprojective"):
        projective = name != "nonprojective"
        solver = BranchAndBound(Trees(projective, True, name if projective else "arc"), max_nodes=200)
        for width in WIDTHS:
            rng = np.random.default_rng(0)
            problems = [problem(rng, name, width, projective) for _ in range(SENTENCES)]
            solver.argmax(*problems[0])
            began = time.process_time()
            parses = [solver.argmax(*each) for each in problems]
            seconds = time.process_time() - began
            words, searches = sum(scores.n for scores, _ in problems), sum(parse.calls for parse in parses)
            certified = np.mean([parse.certificate for parse in parses])
            tight = np.mean([parse.nodes == 1 for parse in parses])
            nodes = np.mean([parse.nodes for parse in parses])
            print(
                f"| {name} | {width} | {certified:.0%} | {tight:.0%} | {nodes:.1f} | {searches / SENTENCES:.1f} | "
                f"{1e6 * seconds / searches:.0f} | {1e3 * seconds / SENTENCES:.1f} | {words / seconds:,.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
