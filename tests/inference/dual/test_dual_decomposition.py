"""Dual decomposition: certified trees are the best, dual values are bounds, and branching finds the best tree."""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest

from tests.inference.dual.integer_program import best_tree
from tests.inference.enumeration import all_trees, is_projective, is_single_root, is_tree, random_tree
from tests.inference.figures import figure_2
from tests.inference.instances import KINDS, many, never
from tests.inference.instances import draw_arrays as draw_any
from tests.inference.laws_base import EXACT
from tests.inference.parts import Oracle, can_exist, shape_of
from treewright.inference import DualDecomposition, HeadAutomata, Parse, Parts, Scores, Trees
from treewright.inference.dual.automata import STATES

FACTORIZATIONS = ["sibling+last", "grand-sibling+last"]
factorizations = pytest.mark.parametrize("factorization", FACTORIZATIONS)
plain_factorizations = pytest.mark.parametrize("factorization", ["sibling", "grand-sibling"])
roots = pytest.mark.parametrize("single_root", [True, False], ids=["single", "multi"])
shapes = pytest.mark.parametrize("projective", [True, False], ids=["projective", "nonprojective"])
steps = pytest.mark.parametrize("steps", ["aimed", "paper"])


def draw_arrays(rng, kind, n, labelled, dtype, factorization):
    return draw_any(rng, kind, n, labelled, dtype, factorization, projective=False)


def trees_of(factorization, projective=False, single_root=True) -> Trees:
    return Trees(projective, single_root, factorization.removesuffix("+last"))


def check(trace, oracle, trees) -> None:
    """Whether all that is claimed is true."""
    parse = trace.parse
    assert is_tree(parse.heads)
    assert is_projective(parse.heads) or not trees.projective
    assert is_single_root(parse.heads) or not trees.single_root
    assert oracle.score(parse.heads, parse.labels) == pytest.approx(parse.score, **EXACT)
    slack = 1e-9 + 1e-12 * abs(oracle.best)
    assert parse.upper_bound >= oracle.best - slack
    assert (trace.dual >= oracle.best - slack).all()
    assert (trace.primal <= oracle.best + slack).all()
    assert parse.certificate == bool(trace.proof)
    if parse.certificate:
        assert parse.score == pytest.approx(oracle.best, **EXACT)
        assert parse.gap == 0
    else:
        assert parse.gap >= 0
        assert parse.iterations > 0


@factorizations
@roots
@shapes
@steps
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_what_is_claimed_is_true(factorization, single_root, projective, steps, kind):
    trees = trees_of(factorization, projective, single_root)
    solver = DualDecomposition(trees, steps=steps, max_iterations=200)
    for scores in many(kind, kind == "random", np.float64, 2, 5, factorization, projective):
        oracle = Oracle(scores, projective, single_root, factorization)
        if oracle.possible:
            check(solver.trace(scores), oracle, trees)
        else:
            with pytest.raises(ValueError, match="tree is possible"):
                solver.trace(scores)


@factorizations
@roots
@shapes
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_branching_finds_the_best_tree(factorization, single_root, projective, kind):
    trees = trees_of(factorization, projective, single_root)
    solver = DualDecomposition(trees, exact=True, max_iterations=20)
    for scores in many(kind, kind == "random", np.float32, 3, 5, factorization, projective):
        oracle = Oracle(scores, projective, single_root, factorization)
        if oracle.possible:
            trace = solver.trace(scores)
            check(trace, oracle, trees)
            assert trace.parse.certificate
        else:
            with pytest.raises(ValueError, match="tree is possible"):
                solver.argmax(scores)


@factorizations
@shapes
@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e-100, 1e-10, 1e8, 1e250])
def test_certificates_hold_whatever_the_size_of_the_scores(factorization, projective, scale):
    rng, trees = np.random.default_rng(3), trees_of(factorization, projective)
    solver = DualDecomposition(trees, exact=True, max_iterations=30)
    for _ in range(10):
        arrays = draw_any(rng, "random", 5, False, np.float64, factorization, projective)
        scores = Scores(**{name: array * scale for name, array in arrays.items()})
        oracle, parse = Oracle(scores, projective, True, factorization), solver.argmax(scores)
        assert parse.certificate
        assert oracle.score(parse.heads, None) == pytest.approx(oracle.best, rel=1e-12, abs=1e-12 * scale)


@factorizations
@roots
def test_hundreds_of_six_words(factorization, single_root):
    rng, trees = np.random.default_rng(1), trees_of(factorization, single_root=single_root)
    loose, exact = DualDecomposition(trees, max_iterations=100), DualDecomposition(trees, max_iterations=10, exact=True)
    certified = 0
    for _ in range(100):
        scores = Scores(**draw_arrays(rng, "random", 6, False, np.float64, factorization))
        oracle = Oracle(scores, False, single_root, factorization)
        trace = loose.trace(scores)
        check(trace, oracle, trees)
        certified += trace.parse.certificate
        assert exact.argmax(scores).score == pytest.approx(oracle.best, **EXACT)
    assert 10 < certified < 100, "neither kind of answer would have been tested"


@factorizations
@roots
def test_an_integer_program_finds_the_same_trees(factorization, single_root):
    n = 12 if factorization == "sibling+last" else 10
    rng, trees = np.random.default_rng(n), trees_of(factorization, single_root=single_root)
    arrays = draw_arrays(rng, "random", n, False, np.float64, factorization)
    arrays["arc"] *= 2
    best, heads = best_tree(arrays, single_root)
    parse = DualDecomposition(trees, exact=True).argmax(Scores(**arrays))
    assert parse.certificate
    assert parse.score == pytest.approx(best, abs=1e-6)
    assert np.array_equal(parse.heads, heads)


def test_the_integer_program_agrees_with_enumeration():
    for factorization, single_root in itertools.product(FACTORIZATIONS, (True, False)):
        arrays = draw_arrays(np.random.default_rng(3), "masked", 4, False, np.float64, factorization)
        oracle = Oracle(Scores(**arrays), False, single_root, factorization)
        assert best_tree(arrays, single_root)[0] == pytest.approx(oracle.best)


@plain_factorizations
@roots
def test_projective_trees_are_those_of_the_dynamic_program(factorization, single_root):
    rng, trees = np.random.default_rng(4), trees_of(factorization, True, single_root)
    for n in (8, 12):
        arrays = draw_arrays(rng, "random", n, True, np.float64, factorization + "+last")
        arrays["arc"] *= 2
        scores = Scores(**arrays)
        parse, best = DualDecomposition(trees, exact=True).argmax(scores), trees.argmax(scores)
        assert parse.score == pytest.approx(best.score, **EXACT)
        assert np.array_equal(parse.heads, best.heads)
        assert np.array_equal(parse.labels, best.labels)
        assert (best.certificate, best.gap, best.iterations, best.upper_bound) == (True, 0.0, 0, best.score)


@factorizations
def test_trees_ask_for_it(factorization):
    trees, rng = trees_of(factorization), np.random.default_rng(5)
    batch = [Scores(**draw_arrays(rng, "random", n, n % 2 == 0, np.float64, factorization)) for n in (5, 1, 7, 2, 6, 3)]
    for threads in (1, 2):
        for parse, scores in zip(trees.batch(threads).argmax(batch), batch, strict=True):
            alone = DualDecomposition(trees).argmax(scores)
            assert isinstance(parse, Parse)
            assert np.array_equal(parse.heads, alone.heads)
            assert (parse.labels is None) == (scores.label is None)
            assert (parse.score, parse.gap, parse.iterations) == (alone.score, alone.gap, alone.iterations)
            assert parse.score == pytest.approx(trees.score(scores, parse.heads, parse.labels), **EXACT)
    assert trees.batch().argmax([]) == []


@factorizations
@roots
def test_vectors_say_what_dense_arrays_say(factorization, single_root):
    rng, trees = np.random.default_rng(6), trees_of(factorization, single_root=single_root)
    for n in (2, 5, 9):
        mask = rng.random((n + 1, n + 1)) < 0.6
        heads = random_tree(rng, n, False, single_root)
        mask[heads[1:], np.arange(1, n + 1)] = True
        parts, arrays = Parts(mask), draw_arrays(rng, "random", n, True, np.float32, factorization)
        arrays = {name: np.nan_to_num(array, posinf=0) for name, array in arrays.items()}
        rows = {name: getattr(parts, "arc" if name == "label" else name) for name in arrays}
        vectors = {name: array[tuple(rows[name].T)] for name, array in arrays.items()}
        dense = DualDecomposition(trees).argmax(Scores(**arrays, allowed=mask))
        sparse = DualDecomposition(trees).argmax(Scores(**vectors, parts=parts))
        assert np.array_equal(dense.heads, sparse.heads)
        assert np.array_equal(dense.labels, sparse.labels)
        assert (dense.score, dense.gap) == pytest.approx((sparse.score, sparse.gap))
        both = DualDecomposition(trees).argmax(Scores(**vectors, parts=parts, fixed_heads=heads))
        assert np.array_equal(both.heads, heads)


@factorizations
@roots
@pytest.mark.parametrize("junk", [np.nan, np.inf, -np.inf, 1e30])
def test_entries_that_belong_to_no_tree_never_count(factorization, single_root, junk):
    trees = trees_of(factorization, single_root=single_root)
    arrays = draw_arrays(np.random.default_rng(7), "random", 5, True, np.float64, factorization)
    clean = DualDecomposition(trees).argmax(Scores(**arrays))
    for name, array in arrays.items():
        kind = "arc" if name == "label" else name
        array[~can_exist(kind, 5, False, single_root) & ~never(name, 5)] = -1e30 if np.isnan(junk) else min(junk, 1e30)
        array[never(name, 5)] = junk
        array.flags.writeable = False
    other = DualDecomposition(trees).argmax(Scores(**arrays))
    assert np.array_equal(clean.heads, other.heads)
    assert (clean.score, clean.iterations) == (other.score, other.iterations)


@factorizations
def test_arrays_that_are_missing_count_as_zero(factorization):
    trees, arrays = (
        trees_of(factorization),
        draw_arrays(np.random.default_rng(8), "random", 5, False, float, factorization),
    )
    for missing in [name for name in arrays if name != "arc"]:
        none = DualDecomposition(trees).argmax(Scores(**{**arrays, missing: None}))
        zero = DualDecomposition(trees).argmax(Scores(**{**arrays, missing: np.zeros(shape_of(missing, 5))}))
        assert (none.score, none.gap, none.iterations) == (zero.score, zero.gap, zero.iterations)


@plain_factorizations
@roots
def test_parts_of_zero_leave_the_best_arborescence(factorization, single_root):
    rng = np.random.default_rng(9)
    for n in (1, 2, 12, 30):
        scores = Scores(arc=rng.normal(size=(n + 1, n + 1)))
        parse = trees_of(factorization, single_root=single_root).argmax(scores)
        best = Trees(False, single_root).argmax(scores)
        assert parse.certificate
        assert parse.score == pytest.approx(best.score, **EXACT)
        assert np.array_equal(parse.heads, best.heads)


@plain_factorizations
def test_what_cannot_be_is_named(factorization):
    trees, arc = trees_of(factorization), np.zeros((4, 4))
    with pytest.raises(ValueError, match="word 2 cannot get a head"):
        trees.argmax(Scores(arc=np.where(np.arange(4) == 2, -np.inf, arc)))
    with pytest.raises(ValueError, match="word 1 cannot be reached"):
        trees.argmax(Scores(arc=arc, fixed_heads=np.array([-1, 2, 1, -1])))
    with pytest.raises(ValueError, match="no single-root tree is possible"):
        trees.argmax(Scores(arc=arc, fixed_heads=np.array([-1, 0, 0, -1])))
    with pytest.raises(ValueError, match="no single-root tree is possible"):
        trees.argmax(Scores(arc=arc, sibling=np.full((4, 4, 4), -np.inf)))
    with pytest.raises(ValueError, match="tri_sibling is given"):
        trees.argmax(Scores(arc=arc, tri_sibling=np.zeros((4,) * 4)))


@plain_factorizations
def test_a_word_must_have_modifiers_where_none_is_forbidden(factorization):
    arc, last = np.random.default_rng(10).normal(size=(6, 6)), np.zeros((6, 6, 2))
    last[2, 2] = -np.inf  # modifiers on both sides
    last[4, 4, 0] = last[5, :5, 0] = -np.inf  # one on the left of 4, and none on the left of 5
    for trees in (trees_of(factorization), trees_of(factorization, projective=True)):
        heads = trees.argmax(Scores(arc=arc, last=last)).heads.tolist()
        assert 2 in heads[1:2] + heads[:2]
        assert 2 in heads[3:]
        assert 4 in heads[:4]
        assert 5 not in heads[:5]


def test_parts_of_projective_trees_are_refused():
    parts = Parts(np.ones((4, 4), bool), projective=True)
    scores = Scores(arc=np.zeros(9), grandchild=np.zeros(parts.count("grandchild")), parts=parts)
    with pytest.raises(ValueError, match="listed for projective trees"):
        trees_of("grand-sibling").argmax(scores)
    assert DualDecomposition(trees_of("grand-sibling", projective=True)).argmax(scores).certificate


def test_no_tree_though_every_word_has_heads_by_search():
    """The relaxation is possible, and no tree is: only branching can tell."""
    arc, sibling = np.full((4, 4), -np.inf), np.zeros((4, 4, 4))
    arc[0, 1] = arc[1, 2] = arc[1, 3] = arc[2, 3] = 0.0
    sibling[1, 2, 3] = sibling[2, 2, 3] = sibling[1, 1, 3] = -np.inf
    with pytest.raises(ValueError, match="each contains a forbidden part"):
        trees_of("sibling").argmax(Scores(arc=arc, sibling=sibling))


def test_a_limit_leaves_a_gap():
    arrays = draw_arrays(np.random.default_rng(11), "random", 10, False, np.float64, "grand-sibling+last")
    trees, scores = trees_of("grand-sibling"), Scores(**arrays)
    best = DualDecomposition(trees, exact=True).argmax(scores)
    for stopped in (
        DualDecomposition(trees, max_iterations=30),
        DualDecomposition(trees, exact=True, max_iterations=30, max_nodes=3),
        DualDecomposition(trees, exact=True, max_iterations=30, time_limit=0.0),
    ):
        parse = stopped.argmax(scores)
        assert not parse.certificate
        assert parse.score <= best.score <= parse.upper_bound
        assert parse.gap > 0
        assert 30 <= parse.iterations < best.iterations


@steps
def test_a_trace_tells_what_happened(steps):
    arrays = draw_arrays(np.random.default_rng(12), "random", 9, False, np.float64, "sibling+last")
    trace = DualDecomposition(trees_of("sibling"), steps=steps, max_iterations=60).trace(Scores(**arrays))
    assert len(trace.dual) == len(trace.primal) == len(trace.recomputed) == trace.parse.iterations
    assert trace.recomputed[0] == 10
    assert trace.recomputed.max() <= 10
    assert trace.recomputed[1:].min() < 10, "nothing was lazy"
    assert trace.parse.score == trace.primal.max()
    if trace.parse.certificate:
        assert trace.dual.min() == pytest.approx(trace.parse.score)


@plain_factorizations
@pytest.mark.parametrize("tighten", [False, True])
def test_a_trace_tells_what_was_chosen(factorization, tighten):
    rng, iterations = np.random.default_rng(12), 0
    for _ in range(10):
        scores = Scores(**draw_arrays(rng, "random", 7, False, np.float64, factorization))
        search = DualDecomposition(trees_of(factorization), tighten=tighten, max_iterations=60)
        trace = search.trace(scores, choices=True)
        assert trace.dual.tolist() == search.trace(scores).dual.tolist()
        assert len(trace.trees) == len(trace.chosen) == len(trace.dual)
        for k in range(len(trace.dual)):
            tree = {(int(h), m) for m, h in enumerate(trace.trees[k]) if m}
            chosen = set(map(tuple, trace.arcs[trace.chosen[k]].tolist()))
            assert is_tree(trace.trees[k])
            assert set(trace.disputed(k)) == tree ^ chosen
        if trace.proof == "agreement":
            assert trace.disputed(-1) == []
            assert trace.trees[-1].tolist() == trace.parse.heads.tolist()
        iterations += len(trace.dual)
    assert iterations > 50
    assert len(search.trace(scores).trees) == 0


@factorizations
@roots
def test_every_iteration_is_that_of_the_figures(factorization, single_root):
    rng, trees, compared = np.random.default_rng(16), trees_of(factorization, single_root=single_root), 0
    for _ in range(20):
        arrays = draw_arrays(rng, "random", 4, False, np.float64, factorization)
        trace = DualDecomposition(trees, steps="paper", max_iterations=40).trace(Scores(**arrays))
        dual, primal, recomputed = figure_2(arrays, factorization, single_root, trace.parse.iterations)
        assert trace.dual[: len(dual)] == pytest.approx(dual)
        assert trace.primal[: len(dual)] == pytest.approx(primal)
        assert trace.recomputed[: len(dual)].tolist() == recomputed
        compared += len(dual)
    assert compared > 100


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"trees": Trees()}, "not for 'arc'"),
        ({"trees": Trees(factorization="tri-sibling")}, "not for 'tri-sibling'"),
        ({"steps": "large"}, "steps is 'large'"),
        ({"max_iterations": 0}, "max_iterations is 0"),
        ({"max_nodes": -1}, "max_nodes is -1"),
        ({"gamma": 1.5}, "gamma is 1.5"),
    ],
)
def test_settings_that_make_no_sense(wrong, says):
    with pytest.raises(ValueError, match=says):
        DualDecomposition(**wrong)


CACHED = """
import numpy as np
from treewright.inference import DualDecomposition, Scores, Trees
for projective in (False, True):
    for factorization in ("sibling", "grand-sibling"):
        DualDecomposition(Trees(projective, True, factorization)).argmax(Scores(arc=np.zeros((3, 3))))
"""


def test_kernels_are_compiled_once():
    environment = {**os.environ, "NUMBA_DEBUG_CACHE": "1"}
    for _ in range(2):
        command = [sys.executable, "-c", CACHED]
        output = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    assert "data loaded" in output
    assert "data saved" not in output


# --- automata with states ---------------------------------------------------------------------------------------------


def draw_automata(rng, n, states, density=1.0):
    mask = rng.random((n + 1, n + 1)) < density
    mask[np.arange(n), np.arange(1, n + 1)] = True
    parts = Parts(mask)
    transition = rng.normal(size=(len(parts.arc), states, states))
    start, end = rng.normal(size=(2, n + 1, 2, states))
    return HeadAutomata(parts, transition, start, end)


def score_of(automata, heads) -> float:
    """The score of a tree, by listing all sequences of states."""
    n, total = automata.parts.n, 0.0
    transition, start, end = automata.data
    states = start.shape[1]
    for h in range(n + 1):
        for side in (1,) if h == 0 else (0, 1):
            taken = sorted((m for m in range(1, n + 1) if heads[m] == h and (m > h) == side), key=lambda m: abs(m - h))
            arcs = [int(automata.parts.arcs.number[h, m]) for m in taken]
            total += max(
                start[2 * h + side, path[0]]
                + sum(transition[a, s, t] for a, s, t in zip(arcs, path[:-1], path[1:], strict=True))
                + end[2 * h + side, path[-1]]
                for path in itertools.product(range(states), repeat=len(arcs) + 1)
            )
    return total


def test_automata_choose_the_best_modifiers():
    rng = np.random.default_rng(13)
    for states in (1, 2, 3):
        automata = draw_automata(rng, 4, states)
        gain = rng.normal(size=len(automata.parts.arc))
        for h in range(5):
            found, modifiers = automata.best(h, gain)
            arcs = [a for a, (head, _) in enumerate(automata.parts.arc.tolist()) if head == h]
            rest = score_of(automata, [-1] * 5)
            totals = {}
            for chosen in itertools.chain.from_iterable(itertools.combinations(arcs, k) for k in range(len(arcs) + 1)):
                heads = [-1] * 5
                for a in chosen:
                    heads[automata.parts.arc[a, 1]] = h
                own = score_of(automata, heads) - rest + gain[list(chosen)].sum()
                totals[tuple(sorted(automata.parts.arc[list(chosen), 1].tolist()))] = own
            best = max(totals, key=totals.get)
            nothing = found - totals[best]
            assert modifiers == list(best)
            assert nothing == pytest.approx(automata.best(h, np.full(len(gain), -np.inf))[0])


@roots
@steps
def test_trees_under_automata(single_root, steps):
    rng, trees = np.random.default_rng(14), trees_of("sibling", single_root=single_root)
    certified = 0
    for n, states in itertools.product((1, 2, 3, 4, 5), (1, 2, 3)):
        automata = draw_automata(rng, n, states, 0.8)
        scores = Scores(arc=rng.normal(size=(n + 1, n + 1)))
        allowed = np.full((n + 1, n + 1), -np.inf)
        allowed[tuple(automata.parts.arc.T)] = scores.arc[tuple(automata.parts.arc.T)]
        totals = []
        for heads in all_trees(n, False, single_root):
            arcs = allowed[heads[1:], np.arange(1, n + 1)].sum()
            totals.append(arcs + score_of(automata, heads) if arcs > -np.inf else -np.inf)
        best = max(totals)
        trace = DualDecomposition(trees, steps=steps, max_iterations=200).trace(scores, automata)
        assert (trace.dual >= best - 1e-9).all()
        assert trace.parse.score == pytest.approx(best) or not trace.parse.certificate
        certified += trace.parse.certificate
        exact = DualDecomposition(trees, exact=True).argmax(scores, automata)
        assert exact.certificate
        assert exact.score == pytest.approx(best)
    assert certified > 5


def test_bigrams_are_automata_whose_states_are_modifiers():
    rng, n, trees = np.random.default_rng(15), 6, trees_of("sibling")
    arrays = draw_arrays(rng, "random", n, False, np.float64, "sibling+last")
    parts = Parts(np.ones((n + 1, n + 1), bool))
    transition = np.full((len(parts.arc), n + 1, n + 1), -np.inf)
    for a, (h, m) in enumerate(parts.arc.tolist()):
        for s in range(n + 1):
            if s == h or min(h, m) < s < max(h, m):
                transition[a, s, m] = arrays["sibling"][h, s, m]
    start, end = np.full((n + 1, 2, n + 1), -np.inf), np.full((n + 1, 2, n + 1), -np.inf)
    start[np.arange(n + 1), :, np.arange(n + 1)] = 0.0
    for h, s, side in itertools.product(range(n + 1), range(n + 1), (0, 1)):
        if can_exist("last", n, False, False)[h, s, side] or h == s == 0:
            end[h, side, s] = 0.0 if h == s == 0 else arrays["last"][h, s, side]
    automata = HeadAutomata(parts, transition, start, end)
    solver = DualDecomposition(trees, exact=True)
    parse, other = solver.argmax(Scores(arc=arrays["arc"]), automata), solver.argmax(Scores(**arrays))
    assert np.array_equal(parse.heads, other.heads)
    assert parse.score == pytest.approx(other.score)
    assert not STATES.choose_heads


def test_automata_that_do_not_fit():
    parts = Parts(np.ones((4, 4), bool))
    good = np.zeros((9, 2, 2)), np.zeros((4, 2, 2)), np.zeros((4, 2, 2))
    automata = HeadAutomata(parts, *good)
    with pytest.raises(ValueError, match="automata of 3 words are given beside scores of 2 words"):
        DualDecomposition().argmax(Scores(arc=np.zeros((3, 3))), automata)
    with pytest.raises(ValueError, match="scores of 3 words and of sibling"):
        DualDecomposition().argmax(Scores(arc=np.zeros((4, 4)), sibling=np.zeros((4, 4, 4))), automata)
    for k, name in enumerate(("transition", "start", "end")):
        for change in (lambda array: array[1:], lambda array: array[..., :1], lambda array: array[0]):
            with pytest.raises(ValueError, match=f"(transition|start|{name}) has shape"):
                HeadAutomata(parts, *(change(array) if i == k else array for i, array in enumerate(good)))
        bad = [array.copy() for array in good]
        bad[k][1, 1, 0] = np.nan
        with pytest.raises(ValueError, match=rf"{name}\[1, 1, 0\] is nan"):
            HeadAutomata(parts, *bad)
