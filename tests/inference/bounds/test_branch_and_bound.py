"""Branch and bound against enumeration and against an integer program: optima, bounds, certificates, named errors."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import lil_array

from tests.inference.instances import KINDS, draw
from tests.inference.parts import PARTS, Oracle, model, shape_of
from treewright.inference import BranchAndBound, Factors, Parts, Scores, Trees
from treewright.inference.bounds import backbones, branch_and_bound
from treewright.inference.bounds.non_local import grandchildren, siblings
from treewright.inference.kinds import FACTORIZATIONS
from treewright.threads import in_order

KINDS_OF_TREES = [
    *((name, Trees(True, single_root, model(name))) for name in PARTS for single_root in (True, False)),
    ("arc", Trees(projective=False)),
    ("arc", Trees(projective=False, single_root=False)),
]
kinds_of_trees = pytest.mark.parametrize(
    ("scored", "trees"),
    KINDS_OF_TREES,
    ids=[
        f"{name if t.projective else 'nonprojective'}-{'single' if t.single_root else 'multi'}"
        for name, t in KINDS_OF_TREES
    ],
)
SIGNS = {"positive": (0.0, 2.0), "negative": (-2.0, 0.0), "mixed": (-2.0, 2.0), "small": (-0.2, 0.2)}


def draw_factors(rng, n, count, sign="mixed", heads=None) -> Factors:
    """Random sets of one to four arcs, some named twice, some impossible together, some empty, some sets twice."""
    pairs = []
    for _ in range(count):
        size = int(rng.integers(0, 5)) if rng.random() < 0.1 else int(rng.integers(2, 5))
        m = rng.integers(1, n + 1, size)
        h = rng.integers(0, n + 1, size)
        if heads is not None and rng.random() < 0.5:  # arcs that are in a tree together
            h = heads[m]
        arcs = [(int(a), int(b)) for a, b in zip(h, m, strict=True) if a != b]
        pairs.append((arcs, float(rng.uniform(*SIGNS[sign]))))
        if rng.random() < 0.1:
            pairs.append(pairs[-1])
    return Factors.of(pairs)


def totals(oracle, factors) -> np.ndarray:
    """The score of every tree, factor by factor."""
    scores = oracle.totals.copy()
    for c in range(len(factors)):
        arcs = slice(factors.offsets[c], factors.offsets[c + 1])
        has = (oracle.trees[:, factors.modifiers[arcs]] == factors.heads[arcs]).all(axis=1)
        scores[has] += factors.scores[c]
    return scores


def check(parse, oracle, factors, scale=1.0) -> None:
    truth = totals(oracle, factors)
    assert parse.certificate
    assert parse.gap == 0
    assert parse.score == pytest.approx(truth.max(), rel=1e-12, abs=1e-12 * scale)
    assert truth[oracle.row(parse.heads)] == pytest.approx(truth.max(), rel=1e-12, abs=1e-12 * scale)


@kinds_of_trees
def test_the_best_of_all_trees_is_found(scored, trees):
    rng = np.random.default_rng(1)
    solver = BranchAndBound(trees)
    for k in range(60):
        n = int(rng.integers(1, 6 if k % 10 else 7))
        scores = draw(rng, "random", n, bool(k % 2), np.float64, scored)
        oracle = Oracle(scores, trees.projective, trees.single_root, scored)
        heads = oracle.trees[rng.integers(len(oracle.trees))]
        factors = draw_factors(rng, n, int(rng.integers(0, 25)), list(SIGNS)[k % 4], heads)
        parse = solver.argmax(scores, factors)
        check(parse, oracle, factors)
        assert (parse.labels is None) == (scores.label is None)
        if scores.label is not None:
            words = np.arange(1, n + 1)
            assert np.array_equal(parse.labels[1:], scores.label[parse.heads[1:], words].argmax(axis=1))


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("projective", [True, False])
def test_the_best_of_all_trees_is_found_among_many_factors(sign, projective):
    rng = np.random.default_rng(2)
    trees = Trees(projective)
    nodes = 0
    for _ in range(80):
        n = int(rng.integers(4, 6))
        scores = draw(rng, "random", n, False, np.float32)
        oracle = Oracle(scores, projective, True, "arc")
        factors = draw_factors(rng, n, 60, sign, oracle.trees[rng.integers(len(oracle.trees))])
        parse = BranchAndBound(trees).argmax(scores, factors)
        check(parse, oracle, factors)
        nodes += parse.nodes
    assert nodes > 80 or sign != "mixed"  # so that some of them did branch


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("projective", [True, False])
def test_scores_of_every_kind(kind, projective):
    rng = np.random.default_rng(3)
    for _ in range(25):
        scores = draw(rng, kind, int(rng.integers(1, 6)), True, np.float64)
        oracle = Oracle(scores, projective, True, "arc")
        factors = draw_factors(rng, scores.n, 15)
        if oracle.possible:
            check(BranchAndBound(Trees(projective)).argmax(scores, factors), oracle, factors)
        else:
            with pytest.raises(ValueError, match="tree is possible"):
                BranchAndBound(Trees(projective)).argmax(scores, factors)


def problems(rng, projective, sizes):
    """Arc scores and factors of various sizes, all trees, and how they score."""
    for k in range(40):
        n = int(rng.integers(3, 6))
        scores = Scores(arc=rng.normal(size=(n + 1, n + 1)) * sizes((n + 1, n + 1)))
        oracle = Oracle(scores, projective, True, "arc")
        heads = oracle.trees[rng.integers(len(oracle.trees))]
        factors = draw_factors(rng, n, 40, list(SIGNS)[k % 4], heads)
        yield scores, oracle, factors.scored(factors.scores * sizes(len(factors)))


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e-200, 1e-100, 1e-10, 1e-5, 1.0, 1e8, 1e299])
@pytest.mark.parametrize("projective", [True, False])
def test_certificates_hold_whatever_the_size_of_the_scores(scale, projective):
    rng = np.random.default_rng(13)
    for scores, oracle, factors in problems(rng, projective, lambda shape: scale):
        check(BranchAndBound(Trees(projective)).argmax(scores, factors), oracle, factors, scale)


@pytest.mark.parametrize("projective", [True, False])
def test_certificates_hold_where_scores_of_all_sizes_meet(projective):
    rng = np.random.default_rng(14)
    for scores, oracle, factors in problems(rng, projective, lambda shape: 10.0 ** rng.uniform(-100, 100, shape)):
        check(BranchAndBound(Trees(projective)).argmax(scores, factors), oracle, factors, 0.0)


def test_without_factors_it_is_the_search_of_the_backbone():
    rng = np.random.default_rng(4)
    for scored, trees in KINDS_OF_TREES:
        scores = draw(rng, "random", 8, False, np.float64, scored)
        for factors in ((), Factors.of([]), [([(0, 1), (0, 1)], 0.0)]):
            parse, best = BranchAndBound(trees).argmax(scores, factors), trees.argmax(scores)
            assert np.array_equal(parse.heads, best.heads)
            assert parse.score == pytest.approx(best.score)
            assert (parse.nodes, parse.calls, parse.certificate) == (1, 1, True)


@pytest.mark.parametrize("stop", [{"max_nodes": 1}, {"max_nodes": 3}, {"time_limit": 0.0}])
def test_stopping_early_leaves_a_valid_bound(stop):
    rng = np.random.default_rng(5)
    open_ends = 0
    for k in range(100):
        n, trees = 5, Trees(projective=bool(k % 2))
        scores = draw(rng, "random", n, False, np.float64)
        oracle = Oracle(scores, trees.projective, True, "arc")
        factors = draw_factors(rng, n, 60, "mixed", oracle.trees[rng.integers(len(oracle.trees))])
        truth = totals(oracle, factors)
        parse = BranchAndBound(trees, **stop).argmax(scores, factors)
        assert parse.upper_bound >= truth.max() - 1e-9
        assert parse.score == pytest.approx(truth[oracle.row(parse.heads)])
        assert parse.gap == parse.upper_bound - parse.score >= 0
        assert parse.nodes <= stop.get("max_nodes", 0)
        if parse.certificate:
            assert parse.score == pytest.approx(truth.max())
        open_ends += not parse.certificate
    assert open_ends > 0


def test_a_time_limit_is_kept(monkeypatch):
    """By a clock that goes on by a tenth of a second each time that it is read: twice a node."""
    ticks = itertools.count()
    monkeypatch.setattr(branch_and_bound, "time", SimpleNamespace(perf_counter=lambda: next(ticks) / 10))
    rng = np.random.default_rng(6)
    scores = Scores(arc=rng.normal(size=(31, 31)))
    factors = draw_factors(rng, 30, 3000, "mixed", Trees().argmax(scores).heads)
    for limit, nodes in ((0.0, 0), (0.25, 1), (1.0, 5), (3.0, 15)):
        parse = BranchAndBound(Trees(), time_limit=limit).argmax(scores, factors)
        assert parse.nodes == nodes
        assert not parse.certificate
        assert parse.gap > 0


@pytest.mark.parametrize("scored", PARTS)
def test_pruned_problems(scored):
    rng = np.random.default_rng(7)
    trees = Trees(factorization=model(scored))
    for _ in range(15):
        n = 5
        dense = {name: rng.normal(size=shape_of(name, n)) for name in PARTS[scored]}
        label = rng.normal(size=(n + 1, n + 1, 3))
        allowed = rng.random((n + 1, n + 1)) < 0.7
        allowed[np.arange(n), np.arange(1, n + 1)] = True
        parts = Parts(allowed)
        vectors = {name: array[tuple(getattr(parts, name).T)] for name, array in dense.items()}
        masked = Scores(**dense, label=label, allowed=allowed)
        sparse = Scores(**vectors, label=label[tuple(parts.arc.T)], parts=parts)
        factors = draw_factors(rng, n, 20)
        oracle = Oracle(masked, True, True, scored)
        for each in (masked, sparse):
            check(BranchAndBound(trees).argmax(each, factors), oracle, factors)


@pytest.mark.parametrize("projective", [True, False])
def test_whole_numbers_tighten_the_bound(projective):
    rng = np.random.default_rng(8)
    calls = {None: 0, 1.0: 0}
    for _ in range(60):
        scores = Scores(arc=rng.integers(-3, 4, (6, 6)))
        oracle = Oracle(scores, projective, True, "arc")
        factors = draw_factors(rng, 5, 40, "mixed", oracle.trees[rng.integers(len(oracle.trees))])
        factors = factors.scored(np.round(factors.scores))
        for resolution in calls:
            parse = BranchAndBound(Trees(projective), resolution=resolution).argmax(scores, factors)
            check(parse, oracle, factors)
            calls[resolution] += parse.calls
        stopped = BranchAndBound(Trees(projective), resolution=1.0, max_nodes=1).argmax(scores, factors)
        assert stopped.upper_bound >= totals(oracle, factors).max() - 1e-9
        assert stopped.gap == pytest.approx(round(stopped.gap))
    assert calls[1.0] < calls[None]


def test_searches_on_threads_do_not_disturb_each_other():
    rng = np.random.default_rng(9)
    scores = [draw(rng, "random", 6, False, np.float64) for _ in range(12)]
    factors = [draw_factors(rng, 6, 20) for _ in scores]
    solver = BranchAndBound(Trees())
    alone = [solver.argmax(one, each) for one, each in zip(scores, factors, strict=True)]
    for threads in (1, 3):
        jobs = zip(scores, factors, strict=True)
        together = in_order(lambda job: solver.argmax(*job), jobs, threads, batch=1)
        assert [parse.heads.tolist() for parse in together] == [parse.heads.tolist() for parse in alone]


def integer_program(arc: np.ndarray, factors: Factors) -> float:
    """The best projective single-root tree, by an integer program: one commodity flows from the root to each word."""
    n = len(arc) - 1
    arcs = [(h, m) for h in range(n + 1) for m in range(1, n + 1) if h != m]
    number = {arc: k for k, arc in enumerate(arcs)}
    count, flows = len(arcs), len(arcs) * n
    size = count + flows + len(factors)
    rows: list[tuple[dict[int, float], float, float]] = []
    rows.append(({number[0, m]: 1.0 for m in range(1, n + 1)}, 1, 1))
    for m in range(1, n + 1):
        rows.append(({number[h, m]: 1.0 for h in range(n + 1) if h != m}, 1, 1))
        for v in range(1, n + 1):  # of commodity m, word v keeps one unit if it is m, and else passes all on
            row = {count + number[h, v] * n + m - 1: 1.0 for h in range(n + 1) if h != v}
            row |= {count + number[v, w] * n + m - 1: -1.0 for w in range(1, n + 1) if w != v}
            rows.append((row, float(v == m), float(v == m)))
        rows += [({count + k * n + m - 1: 1.0, k: -1.0}, -np.inf, 0) for k in range(count)]
    for a, (g, h) in enumerate(arcs):
        for b, (k, m) in enumerate(arcs):
            if min(g, h) < min(k, m) < max(g, h) < max(k, m):
                rows.append(({a: 1.0, b: 1.0}, -np.inf, 1))
    for c in range(len(factors)):
        each = range(factors.offsets[c], factors.offsets[c + 1])
        own = {number[int(factors.heads[k]), int(factors.modifiers[k])] for k in each}
        rows += [({count + flows + c: 1.0, k: -1.0}, -np.inf, 0) for k in own]
        rows.append((dict.fromkeys(own, 1.0) | {count + flows + c: -1.0}, -np.inf, len(own) - 1))
    matrix = lil_array((len(rows), size))
    for k, (row, _, _) in enumerate(rows):
        for column, value in row.items():
            matrix[k, column] = value
    cost = -np.concatenate([[arc[a] for a in arcs], np.zeros(flows), factors.scores])
    limits = LinearConstraint(matrix.tocsr(), [low for _, low, _ in rows], [high for _, _, high in rows])
    whole = np.concatenate([np.ones(count), np.zeros(flows), np.zeros(len(factors))])
    return -milp(cost, integrality=whole, bounds=Bounds(0, 1), constraints=limits).fun


@pytest.mark.parametrize("n", [10, 11, 12])
def test_an_integer_program_agrees(n):
    rng = np.random.default_rng(n)
    arc = rng.normal(size=(n + 1, n + 1))
    heads = Trees().argmax(Scores(arc=arc)).heads
    factors = draw_factors(rng, n, 60, "mixed", heads)
    factors = factors.scored(0.5 * factors.scores)
    parse = BranchAndBound(Trees()).argmax(Scores(arc=arc), factors)
    assert parse.certificate
    assert parse.score == pytest.approx(integer_program(arc, factors), abs=1e-5)


# --- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ({"max_nodes": 0}, "max_nodes is 0"),
        ({"time_limit": -1.0}, r"time_limit is -1\.0"),
        ({"time_limit": np.nan}, "time_limit is nan"),
        ({"tolerance": -1e-9}, "tolerance is -1e-09"),
        ({"resolution": 0.0}, r"resolution is 0\.0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(option, reason):
    with pytest.raises(ValueError, match=reason):
        BranchAndBound(Trees(), **option)


def test_backbones_that_are_hard_to_search_are_refused():
    with pytest.raises(ValueError, match=r"not with 'sibling': use factorization='arc' and factors, or DualDecom"):
        BranchAndBound(Trees(projective=False, factorization="sibling"))


def test_arcs_beyond_the_sentence_are_refused():
    with pytest.raises(ValueError, match=r"^factor 1 names the arc \(4, 1\): there are 3 words"):
        BranchAndBound(Trees()).argmax(Scores(arc=np.zeros((4, 4))), [([(1, 2)], 1.0), ([(1, 2), (4, 1)], 1.0)])


def test_constraints_without_a_tree_are_refused():
    arc = np.zeros((4, 4))
    factors = [([(1, 2), (2, 3)], 1.0)]
    with pytest.raises(ValueError, match="word 3 cannot get a head"):
        BranchAndBound(Trees()).argmax(Scores(arc=arc, allowed=np.arange(4) < np.full((4, 1), 3)), factors)
    with pytest.raises(ValueError, match="tree is possible"):
        BranchAndBound(Trees(projective=False)).argmax(Scores(arc=arc, fixed_heads=[-1, 2, 1, -1]), factors)


def test_fixed_heads_are_kept():
    rng = np.random.default_rng(10)
    for _ in range(20):
        scores = Scores(arc=rng.normal(size=(6, 6)), fixed_heads=[-1, -1, 3, -1, -1, 4])
        oracle = Oracle(scores, True, True, "arc")
        factors = draw_factors(rng, 5, 30, "positive")
        check(BranchAndBound(Trees()).argmax(scores, factors), oracle, factors)


def test_what_a_backbone_knows_of_arcs_makes_bounds_tighter(monkeypatch):
    """Siblings next to each other and outermost grandchildren are scored by the search: those are not bounded."""
    rng = np.random.default_rng(12)
    searches = {True: 0, False: 0}
    for _ in range(30):
        n = 6
        parts = Parts(np.ones((n + 1, n + 1), bool))
        vectors = {name: rng.normal(size=parts.count(name)) for name in FACTORIZATIONS["carreras"].kinds}
        scores = Scores(**vectors, parts=parts)
        factors = Factors.together([siblings(parts).factors, grandchildren(parts).factors])
        factors = factors.scored(rng.normal(size=len(factors)))
        found = {}
        for local in searches:
            with monkeypatch.context() as patch:
                if not local:
                    patch.setattr(backbones, "local_of", lambda x, *rest: backbones.without(x.n))
                found[local] = BranchAndBound().argmax(scores, factors)
            searches[local] += found[local].calls
        assert found[True].certificate
        assert found[True].score == pytest.approx(found[False].score)
        trees = Trees(factorization="carreras")
        assert found[True].score == pytest.approx(
            trees.score(scores, found[True].heads) + factors.score(found[True].heads)
        )
    assert searches[True] < 0.8 * searches[False]
