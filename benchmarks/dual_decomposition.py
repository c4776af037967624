"""Dual decomposition: how often trees are certified, in how many iterations, and how fast.

Usage: ``python benchmarks/dual_decomposition.py [--instances 500] [--quick]``.

1. Random problems of 10 words, as in the last column of Table 2 of Koo et al. (2010): every transition of every head
   automaton, START and END among them, scores a standard normal number; any number of roots.
2. Pruned problems of 20 words with 5 heads for each, as a trained model would make them: the arcs of one tree score 3
   to 8 more than noise.

One thread, CPU time, from `Scores` to `Parse`.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from treewright.inference import DualDecomposition, Parts, Scores, Trees

PAPER = {("sibling", 5000): 35.6, ("sibling", 250): 10.2, ("grand-sibling", 5000): 6.8, ("grand-sibling", 250): 0.0}


def random_problem(rng, n, factorization):
    """Scores on transitions only."""
    arrays = {"arc": np.zeros((n + 1, n + 1)), "last": rng.normal(size=(n + 1, n + 1, 2))}
    name, rank = ("sibling", 3) if factorization == "sibling" else ("grand_sibling", 4)
    return Scores(**arrays, **{name: rng.normal(size=(n + 1,) * rank)})


def random_tree(rng, n):
    """Draw a projective tree with one root: each span is split at a random word."""
    heads, pending = np.full(n + 1, -1), [(0, 1, n)]
    while pending:
        h, first, last = pending.pop()
        if first <= last:
            m = int(rng.integers(first, last + 1))
            heads[m] = h
            pending += [(m, first, m - 1), (m, m + 1, last)]
    return heads


def pruned_problem(rng, n, factorization, candidates=5):
    """Scores of the parts that a few heads for each word make up, near ones more often."""
    gold, mask = random_tree(rng, n), np.zeros((n + 1, n + 1), bool)
    for m in range(1, n + 1):
        others = [h for h in range(n + 1) if h not in (m, gold[m])]
        others.sort(key=lambda h: abs(h - m) + rng.exponential(4.0))
        mask[[gold[m], *others[: candidates - 1]], m] = True
    parts = Parts(mask)
    names = ["sibling", "last"] + (["grandchild", "grand_sibling"] if factorization == "grand-sibling" else [])
    is_gold = gold[parts.arc[:, 1]] == parts.arc[:, 0]
    arc = rng.normal(size=len(is_gold)) + is_gold * rng.uniform(3, 8, len(is_gold))
    return Scores(arc=arc, **{name: 0.5 * rng.normal(size=len(getattr(parts, name))) for name in names}, parts=parts)


def run(solver, problems):
    """Parse all problems; give the parses and the seconds of CPU time."""
    for problem in problems[:2]:
        solver.argmax(problem)
    start = time.process_time()
    return [solver.argmax(problem) for problem in problems], time.process_time() - start


def report(name, solver, problems, paper=""):
    parses, seconds = run(solver, problems)
    certified = 100 * np.mean([parse.certificate for parse in parses])
    iterations = np.array([parse.iterations for parse in parses])
    words = sum(len(parse.heads) - 1 for parse in parses)
    print(
        f"| {name} | {certified:.1f} % | {paper} | {np.median(iterations):.0f} | {iterations.mean():.0f} | "
        f"{1e3 * seconds / len(parses):.2f} | {words / seconds:,.0f} |",
        flush=True,
    )


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--instances", type=int, default=500)
    arguments.add_argument("--quick", action="store_true", help="a tenth of the instances")
    options = arguments.parse_args()
    count = options.instances // 10 if options.quick else options.instances
    print("| | certified | paper | iterations, median | mean | ms | words/s |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for factorization in ("sibling", "grand-sibling"):
        rng, trees = np.random.default_rng(0), Trees(False, False, factorization)
        problems = [random_problem(rng, 10, factorization) for _ in range(count)]
        for limit in (250, 5000):
            for steps in ("paper", "aimed"):
                solver = DualDecomposition(trees, max_iterations=limit, steps=steps)
                paper = f"{PAPER[factorization, limit]} %"
                report(f"10 random words, {factorization}, K = {limit}, steps {steps}", solver, problems, paper)
        solver = DualDecomposition(trees, exact=True)
        report(f"10 random words, {factorization}, exact", solver, problems, "100 % (ILP)")
    for factorization in ("sibling", "grand-sibling"):
        rng, trees = np.random.default_rng(0), Trees(False, True, factorization)
        problems = [pruned_problem(rng, 20, factorization) for _ in range(count)]
        for settings in ({"steps": "paper"}, {}, {"exact": True}):
            words = ", ".join(f"{key} {value}" for key, value in settings.items()) or "steps aimed"
            report(f"20 pruned words, {factorization}, {words}", DualDecomposition(trees, **settings), problems)


if __name__ == "__main__":
    main()
