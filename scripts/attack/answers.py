"""Answers about random problems against enumeration: trees, sums, samples, certificates, and threads.

Where scores are too far apart for an answer, it may be refused; whatever is answered must be right to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from scripts.attack.case import Case
from scripts.attack.problems import Exact, Problem, draw_problem
from tests.inference.bounds.test_branch_and_bound import draw_factors, totals
from tests.inference.enumeration import is_projective, is_single_root, is_tree
from tests.inference.laws_base import METHODS, arrays_of, flat
from tests.inference.laws_sums import chance_of

from treewright.arrays import Heads
from treewright.inference import BranchAndBound, DualDecomposition, Parse, Scores

__all__ = ["attack"]

#: Samples so odd that a right sampler draws them once in this many cases are wrong.
RARE = 1e-9
SAMPLES = 2_000
THREADS = 8
#: Scores as large as this are refused, and so are sums of scores further apart than these, or for the entropy.
LARGEST, WIDEST, WIDEST_ENTROPY = 1e300, 1e9, 1e5
#: One case in this many is asked of many threads at once.
THREADED = 25


def attack(case: Case) -> None:
    """Ask everything about one random problem."""
    problem = draw_problem(case.rng)
    scores, error = case.ask("scores", problem.scores)
    if scores is None:
        if error is not None:
            case.note("scores", "refused" if _is_too_large(problem) else "wrong", f"{error} ({problem.name})")
        return
    if _is_too_large(problem):
        case.note("scores", "wrong", f"scores were accepted that are too large ({problem.name})")
        return
    truth = problem.truth()
    questions: dict[str, Callable[[], Any]] = {"argmax": lambda: _argmax(problem, scores, truth)}
    if not problem.trees.is_hard:
        questions |= {name: _bind(ask, problem, scores, truth) for name, ask in SUMS.items()}
        questions["branch and bound"] = lambda: _branch_and_bound(case, problem, scores, truth)
    if problem.trees.factorization in ("sibling", "grand-sibling"):
        questions["dual decomposition"] = lambda: _dual_decomposition(case, problem, scores, truth)
    for what, question in questions.items():
        _put(case, what, question, problem, truth)
    if case.number % THREADED == THREADED - 1:
        _put(case, "eight threads", lambda: _threads(case), problem, truth)


def _put(case: Case, what: str, question: Callable[[], str], problem: Problem, truth: Exact) -> None:
    """Count the answer to a question: an empty string if it is right, or what is wrong with it."""
    fault, error = case.ask(what, question)
    if fault is not None:
        case.check(what, not fault, f"{fault} ({problem.name})")
    elif error is not None:
        case.note(what, "refused" if _is_due(error, truth) else "wrong", f"{error} ({problem.name})")


def _bind(ask: Callable[..., str], *arguments: object) -> Callable[[], str]:
    return lambda: ask(*arguments)


def _is_too_large(problem: Problem) -> bool:
    """Whether some score is one that `Scores` refuses."""
    scored = {name: array for name, array in problem.arrays.items() if name not in ("allowed", "fixed_heads")}
    return not all((a.astype(np.float64)[problem.exists(name)] < LARGEST).all() for name, a in scored.items())


def _is_due(error: Exception, truth: Exact) -> bool:
    """Whether a refusal is right: there is no tree, or the scores are indeed far apart."""
    if "tree is possible" in str(error):
        return not truth.possible
    limit = WIDEST_ENTROPY if "entropy" in str(error) else WIDEST
    reach = truth.spread * (truth.parts if "log-probabilities" in str(error) else 1)  # it limits log Z, too
    return "too far apart for" in str(error) and reach > limit


# --- single trees -----------------------------------------------------------------------------------------------------


def _fault_of_tree(problem: Problem, truth: Exact, parse: Parse, score: float, tolerance: float) -> str:
    """Say what is wrong with a tree that ought to score this, if anything."""
    heads, trees = parse.heads, problem.trees
    if not is_tree(heads) or (trees.projective and not is_projective(heads)):
        return f"{heads} is no such tree"
    if trees.single_root and not is_single_root(heads):
        return f"{heads} has several roots"
    own = truth.score(heads, parse.labels)
    if not (_near(parse.score, score, tolerance) and _near(own, score, tolerance)):
        return f"{heads} claims {parse.score!r} and scores {own!r}, not {score!r}"
    return ""


def _near(value: float, other: float, tolerance: float) -> bool:
    return value == other or abs(value - other) <= tolerance


def _argmax(problem: Problem, scores: Scores, truth: Exact) -> str:
    parse = problem.trees.argmax(scores)
    if not parse.certificate:
        return "" if parse.upper_bound >= truth.best - truth.rounding else f"bound {parse.upper_bound} of {truth.best}"
    return _fault_of_tree(problem, truth, parse, truth.best, truth.rounding)


def _k_best(problem: Problem, scores: Scores, truth: Exact) -> str:
    k = min(12, len(truth.ranking) + 3)
    parses = problem.trees.k_best(scores, k)
    if len({tuple(parse.heads) for parse in parses}) != len(parses) or len(parses) != min(k, len(truth.ranking)):
        return f"{len(parses)} trees of {len(truth.ranking)} for k = {k}"
    for parse, score in zip(parses, truth.ranking.tolist(), strict=False):
        tolerance = truth.rounding + 16 * np.finfo(float).eps * abs(score)
        fault = _fault_of_tree(problem, truth, parse, score, tolerance)
        if fault:
            return fault
    return ""


def _mbr(problem: Problem, scores: Scores, truth: Exact) -> str:
    parse = problem.trees.mbr(scores)
    if truth.has_masks:
        return ""
    found = float(truth.expected_arcs(parse.heads[None])[0])
    tolerance = problem.n * _tolerance(truth)
    if not (is_tree(parse.heads) and truth.allowed(parse.heads[None])[0]):
        return f"{parse.heads} is no tree, or forbidden"
    return (
        ""
        if _near(found, truth.mbr, tolerance) and _near(parse.score, truth.mbr, tolerance)
        else (f"{parse.heads} has {found} arcs right and claims {parse.score}, not {truth.mbr}")
    )


# --- sums -------------------------------------------------------------------------------------------------------------


def _tolerance(truth: Exact) -> float:
    """Return what a probability may be off by: the rounding of the scores that it is the exponential of."""
    return 1e-8 + 4 * truth.rounding


def _log_partition(problem: Problem, scores: Scores, truth: Exact) -> str:
    found, wanted = problem.trees.log_partition(scores), truth.exact_log_partition
    tolerance = 1e-9 + truth.rounding + (1e-8 * abs(wanted) if truth.has_masks else 0.0)
    return "" if _near(found, wanted, tolerance) else f"{found!r} for {wanted!r}"


def _marginals(problem: Problem, scores: Scores, truth: Exact) -> str:
    marginals = arrays_of(problem.trees.marginals(scores))
    for name, array in marginals.items():
        if not ((array >= 0) & (array <= 1 + 1e-6)).all():
            return f"{name} has probabilities that are none"
        off = np.abs(array - getattr(truth.marginals, name)).max()
        if not truth.has_masks and not off <= _tolerance(truth):
            return f"{name} is off by {off}"
    return ""


def _entropy(problem: Problem, scores: Scores, truth: Exact) -> str:
    found = problem.trees.entropy(scores)
    tolerance = 1e-7 + truth.rounding * (1 + 2 * min(truth.spread, 1e6))
    return "" if truth.has_masks or _near(found, truth.entropy, tolerance) else f"{found} for {truth.entropy}"


def _log_prob(problem: Problem, scores: Scores, truth: Exact) -> str:
    row = int(truth.masses.argmax())
    found = problem.trees.log_prob(scores, truth.trees[row])
    wanted = math.log(truth.probabilities[row])
    return "" if truth.has_masks or _near(found, wanted, _tolerance(truth)) else f"{found} for {wanted}"


def _sample(problem: Problem, scores: Scores, truth: Exact) -> str:
    samples: Heads = problem.trees.sample(scores, SAMPLES, 7)
    known = {tuple(heads): row for row, heads in enumerate(truth.trees.tolist())}
    rows = [known.get(tuple(heads), -1) for heads in samples.tolist()]
    if -1 in rows:
        return f"{samples[rows.index(-1)]} is no such tree"
    counts, chances = np.bincount(rows, minlength=len(known)), truth.probabilities
    if truth.has_masks or truth.rounding > 1e-4:
        return ""
    if (counts[chances < 1e-12] > 0).any():
        return "a tree was drawn that has no probability"
    likely = chances * SAMPLES >= 5
    if likely.sum() < 2:
        return ""
    chance = chance_of(counts, chances)
    return "" if chance > RARE else f"samples as odd as these have a chance of {chance:.1e}"


SUMS: dict[str, Callable[[Problem, Scores, Exact], str]] = {
    "k best": _k_best,
    "log Z": _log_partition,
    "marginals": _marginals,
    "entropy": _entropy,
    "log-probability": _log_prob,
    "MBR": _mbr,
    "samples": _sample,
}

# --- certificates, threads --------------------------------------------------------------------------------------------


def _dual_decomposition(case: Case, problem: Problem, scores: Scores, truth: Exact) -> str:
    exact = bool(case.rng.random() < 0.5)
    solver = DualDecomposition(problem.trees, max_iterations=int(case.rng.choice([5, 200])), exact=exact)
    return _fault_of_bound(problem, truth, solver.argmax(scores), truth.best, exact)


def _fault_of_bound(problem: Problem, truth: Exact, parse: Parse, best: float, certain: bool) -> str:
    tolerance = 4 * truth.rounding
    if not parse.upper_bound >= best - tolerance:
        return f"the bound {parse.upper_bound!r} is below the best tree, {best!r}"
    if certain and not parse.certificate:
        return "no certificate"
    if parse.certificate and not _near(parse.score, best, tolerance):
        return f"certified {parse.score!r}, though the best is {best!r}"
    return ""


def _branch_and_bound(case: Case, problem: Problem, scores: Scores, truth: Exact) -> str:
    rng = case.rng
    if not truth.possible or truth.has_masks:
        BranchAndBound(problem.trees).argmax(scores)
        return ""
    factors = draw_factors(
        rng, problem.n, int(rng.integers(0, 15)), "mixed", truth.trees[rng.integers(len(truth.trees))]
    )
    size = max(truth.top, abs(truth.best)) or 1.0
    factors = replace(factors, scores=factors.scores * size)
    parse = BranchAndBound(problem.trees, max_nodes=2_000).argmax(scores, factors)
    truth.rounding = max(truth.rounding, 64 * np.finfo(float).eps * size * (truth.parts + len(factors)))
    return _fault_of_bound(problem, truth, parse, float(totals(truth, factors).max()), False)


def _threads(case: Case) -> str:
    """Ask every question about some problems of eight threads at once, and compare with one thread."""
    jobs = []
    for _ in range(THREADS):
        problem = draw_problem(case.rng)
        jobs += [(problem, ask) for name, ask in METHODS.items() if name == "argmax" or not problem.trees.is_hard]
    alone = [_answer(job) for job in jobs]
    with ThreadPoolExecutor(THREADS) as pool:
        together = list(pool.map(_answer, jobs))
    different = sum(one != other for one, other in zip(alone, together, strict=True))
    return f"{different} of {len(jobs)} answers differ" if different else ""


def _answer(job: tuple[Problem, Callable[[Any, Any], Any]]) -> list[bytes]:
    problem, ask = job
    try:
        return [array.tobytes() for array in flat(ask(problem.trees, problem.scores()))]
    except ValueError as error:
        return [str(error).encode()]
