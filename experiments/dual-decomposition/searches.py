"""What is asked of a trained model: dual decomposition in several ways, programs on a sample, random problems."""

from __future__ import annotations

import time

import common
import models
import numpy as np
import programs

from treewright.inference import DualDecomposition, Parts, Scores, Trees

#: K, the most iterations, in the paper.
MOST = 5000
#: Search → its settings; ``projective`` is P-Sib and P-G+S of Table 3; ``tight`` tightens the paper's relaxation.
SEARCHES = {
    "DD-5000": {"max_iterations": MOST, "steps": "paper"},
    "DD-250": {"max_iterations": 250, "steps": "paper"},
    "aimed-5000": {"max_iterations": MOST, "tighten": False},
    "aimed-250": {"max_iterations": 250, "tighten": False},
    "tight-5000": {"max_iterations": MOST},
    "exact": {"max_iterations": MOST, "exact": True},
    "projective": {"max_iterations": MOST},
}
#: Seconds after which branch and bound gives up on a sentence.
TIME_LIMIT = 2.0
#: Seconds after which the programs are given no more sentences.
BUDGET = 60.0
#: The searches with models that all is not asked of.
FEW = ("DD-5000", "aimed-5000", "tight-5000")
#: The values of K of Figure 4, and how many iterations make up a point of Figure 3.
LIMITS = (5, 10, 25, 50, 100, 150, 200, 250, 375, 500, 750, 1000)
BIN = 50

FACTORIZATIONS = {model: factorization for model, (factorization, _) in models.MODELS.items() if model != "MST"}


def timed(function, *arguments):
    """Call a function; give its answer and the seconds of CPU time."""
    start = time.process_time()
    return function(*arguments), time.process_time() - start


def search(store, model, ways, say):
    """Parse dev in all ways: correct heads, certificates, iterations and seconds of each sentence; Figures 3 and 4."""
    treebank, name = model.treebank, model.settings["model"]
    masks = models.pruned(treebank, model.settings["seed"])[0][-1]
    trees = {shape: models.trees_of(treebank, name, projective=shape == "projective") for shape in ("", "projective")}
    solvers = {
        key: DualDecomposition(trees[key if key in trees else ""], time_limit=TIME_LIMIT, **how)
        for key, how in ways.items()
    }
    found = {key: {"correct": [], "certified": [], "iterations": [], "seconds": []} for key in ways}
    curves, choice, scoring = {key: Curves() for key in ("DD-5000", "aimed-5000")}, np.zeros(3, int), 0.0
    scored, warm = iter(models.scored(store, model, treebank.dev, masks)), False
    for index, sentence in enumerate(treebank.dev):
        scores, seconds = timed(next, scored)
        scoring += seconds
        if not warm:  # what is compiled or loaded only once is not part of the times
            warm = all(solver.argmax(scores) for solver in solvers.values())
        for key, solver in solvers.items():
            trace, seconds = timed(solver.trace, scores)
            parse = trace.parse
            correct = int(np.count_nonzero(parse.heads[1:] == sentence.heads))
            for column, value in zip(
                found[key].values(), (correct, int(parse.certificate), parse.iterations, round(seconds, 6)), strict=True
            ):
                column.append(value)
            if key in curves:
                curves[key].add(trace)
                if name == "Sib" and "DD-250" in ways:  # the one of Figure 4
                    curves[key].add_early(solver, scores, sentence, parse)
        choice += quality(solvers["DD-5000"], scores, sentence)
        say(f"sentence {index + 1} of {len(treebank.dev)}", min(0.99, (index + 1) / len(treebank.dev)))
    return {
        "searches": found,
        "curves": {key: curve.summary() for key, curve in curves.items()},
        "choice": choice.tolist(),
        "scoring": scoring,
    }


def quality(solver, scores, sentence):
    """Count the right arcs of z*, its arcs, and the words (section 7.6)."""
    h, m = solver.relaxed(scores)["arc"].T
    return np.array([np.count_nonzero(sentence.heads[m - 1] == h), len(h), len(sentence)])


class Curves:
    """Figure 3, the share of automata decoded in each iteration; Figure 4, what is found within K iterations."""

    def __init__(self):
        self.decoded, self.running = np.zeros(MOST), np.zeros(MOST, int)
        self.within = np.zeros((len(LIMITS), 3), int)  # correct heads, certificates, trees as with 5,000

    def add(self, trace):
        """Add what happened in the search for a sentence."""
        length = len(trace.recomputed)
        self.decoded[:length] += trace.recomputed / len(trace.parse.heads)
        self.running[:length] += 1

    def add_early(self, solver, scores, sentence, parse):
        """Add what would have been found earlier than the given parse."""
        for row, limit in zip(self.within, LIMITS, strict=True):
            early = parse
            if parse.iterations > limit:
                early = DualDecomposition(solver.trees, max_iterations=limit, steps=solver.steps).argmax(scores)
            same = np.array_equal(early.heads, parse.heads)
            row += [np.count_nonzero(early.heads[1:] == sentence.heads), early.certificate, same]

    def summary(self):
        """Give both curves; that of Figure 3 in percent, averaged over BIN iterations, without the very first."""
        self.decoded[0] = self.running[0] = 0
        decoded, running = (array.reshape(-1, BIN).sum(axis=1) for array in (self.decoded, self.running))
        share = 100 * decoded / np.maximum(running, 1)
        return {"recomputed": share.round(3).tolist(), "running": running.tolist(), "within": self.within.tolist()}


def solve_programs(store, model, sample, limit, say):
    """Parse a sample of dev by linear and integer programs; also compare them with the exact search.

    The sentences come in random order, so that those that fit into BUDGET are a sample, too.
    """
    treebank, name = model.treebank, model.settings["model"]
    masks = models.pruned(treebank, model.settings["seed"])[0][-1]
    order = np.random.default_rng(0).permutation(common.spread(list(range(len(treebank.dev))), sample)).tolist()
    sentences, masks = ([part[index] for index in order] for part in (treebank.dev, masks))
    exact = DualDecomposition(models.trees_of(treebank, name), exact=True, time_limit=TIME_LIMIT)
    found = {key: {"correct": [], "integral": [], "seconds": []} for key in programs.PROGRAMS}
    apart, done, start = 0, 0, time.process_time()
    for scores, sentence in zip(models.scored(store, model, sentences, masks), sentences, strict=True):
        best = exact.argmax(scores)
        for key, columns in found.items():
            solution = programs.solve(scores, treebank.single_root, key, limit)
            heads = best.heads * 0 if solution.heads is None else solution.heads
            columns["correct"].append(int(np.count_nonzero(heads[1:] == sentence.heads)))
            columns["integral"].append(int(solution.integral))
            columns["seconds"].append(round(solution.seconds, 4))
            if solution.integral and best.certificate:
                apart += abs(solution.value - best.score) > 1e-4 * max(1.0, abs(best.score))
        done += 1
        say(f"sentence {done} of {len(order)}", min(0.99, done / len(order)))
        if time.process_time() - start > BUDGET:
            break
    return {"sample": order[:done], "programs": found, "apart": int(apart)}


def solve_random(name, instances, words, say):
    """Find how often random problems are solved: the last column of Table 2.

    Every transition of every automaton, START and END among them, scores a standard normal number.
    """
    parts, rng = Parts(np.ones((words + 1, words + 1), bool)), np.random.default_rng(0)
    kinds = ("sibling", "last") if name == "Sib" else ("grand_sibling", "last")
    trees = Trees(False, False, FACTORIZATIONS[name])
    ways = {key: DualDecomposition(trees, **how) for key, how in SEARCHES.items() if key != "projective"}
    relaxations = [key for key, (_, whole) in programs.PROGRAMS.items() if not whole]
    found = dict.fromkeys([*relaxations, *ways], 0)
    for done in range(instances):
        drawn = {kind: rng.normal(size=parts.count(kind)) for kind in kinds}
        scores = Scores(arc=np.zeros(len(parts.arc)), **drawn, parts=parts)
        for key, solver in ways.items():
            found[key] += solver.argmax(scores).certificate
        for key in relaxations:
            found[key] += programs.solve(scores, False, key, np.inf).integral
        say(f"problem {done + 1} of {instances}", min(0.99, (done + 1) / instances))
    return {"random": {key: 100 * count / instances for key, count in found.items()}}
