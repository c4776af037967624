"""Where the public libraries fail, ours is right.

Each test is a failure that enumeration finds in a library that people use today.
"""

import math

import numpy as np
import pytest

from tests.inference.instances import draw_arrays
from tests.inference.laws_base import CLOSE, EXACT, METHODS, assert_same, flat, methods
from tests.inference.parts import MODELS, PARTS, Oracle
from treewright.inference import Scores, Trees

KINDS_OF_TREES = [
    *[(True, single, factorization) for single in (True, False) for factorization in MODELS],
    *[(False, single, "arc") for single in (True, False)],
]
LOWEST = float(np.finfo(np.float32).min)

roots = pytest.mark.parametrize("single_root", [True, False], ids=["single", "multi"])
dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])
every_kind = pytest.mark.parametrize(
    "kind", KINDS_OF_TREES, ids=lambda kind: f"{'projective' if kind[0] else 'nonprojective'}-{kind[1]}-{kind[2]}"
)


def check(kind: tuple[bool, bool, str], scores: Scores) -> None:
    """Compare every answer with enumeration."""
    trees, oracle = Trees(*kind), Oracle(scores, *kind)
    assert trees.argmax(scores).score == pytest.approx(oracle.best, **EXACT)
    ranked = [parse.score for parse in trees.k_best(scores, 6)]
    assert ranked == pytest.approx(oracle.ranking[:6].tolist(), **EXACT)
    assert trees.log_partition(scores) == pytest.approx(oracle.log_partition, rel=1e-12, abs=1e-9)
    marginals = trees.marginals(scores)
    for name in (*PARTS[kind[2]], "label"):
        if getattr(scores, name) is not None:
            array = getattr(marginals, name)
            assert array.min() >= 0
            np.testing.assert_allclose(array, getattr(oracle.marginals, name), err_msg=name, **CLOSE)
    for heads in trees.sample(scores, 10, 1):
        assert oracle.probabilities[oracle.row(heads)] > 1e-12
    assert trees.entropy(scores) == pytest.approx(oracle.entropy, abs=1e-7)
    assert trees.mbr(scores).score == pytest.approx(oracle.mbr, abs=1e-7)
    best = oracle.trees[oracle.totals.argmax()]
    assert trees.log_prob(scores, best) == pytest.approx(oracle.log_prob(best), rel=1e-11, abs=1e-8)
    assert trees.score(scores, best) == pytest.approx(oracle.best, **EXACT)


def random_arcs(seed: int, n: int) -> np.ndarray:
    return np.random.default_rng([seed, n]).normal(size=(n + 1, n + 1))


def _gap(trees, arc):
    """By how much the best tree is better than the second."""
    best, second = trees.k_best(Scores(arc=arc), 2)
    return best.score - second.score


def long_marginals(arc: np.ndarray, single_root: bool) -> np.ndarray:
    """Matrix-tree marginals of a long sentence, after what they must be in any case."""
    marginals = Trees(projective=False, single_root=single_root).marginals(Scores(arc=arc)).arc
    assert marginals.min() >= 0
    assert marginals.max() <= 1 + 1e-9
    np.testing.assert_allclose(marginals[:, 1:].sum(axis=0), 1.0, atol=1e-8)
    assert (np.diag(marginals) == 0).all()
    assert (marginals[:, 0] == 0).all()
    return marginals


@roots
@dtypes
@pytest.mark.parametrize("shift", [-12, 90])
def test_matrix_tree_with_all_scores_shifted(single_root, dtype, shift):
    for n in (2, 4, 5):
        check((False, single_root, "arc"), Scores(arc=(random_arcs(1, n) + shift).astype(dtype)))
    arc = random_arcs(1, 60)
    np.testing.assert_allclose(long_marginals(arc + shift, single_root), long_marginals(arc, single_root), **CLOSE)


@roots
@dtypes
@pytest.mark.parametrize("factor", [30, 1000])
def test_matrix_tree_with_all_scores_multiplied(single_root, dtype, factor):
    for n in (2, 4, 5):
        for seed in range(10):
            check((False, single_root, "arc"), Scores(arc=(random_arcs(seed, n) * factor).astype(dtype)))
    trees = Trees(projective=False, single_root=single_root)
    arc = next(arc for arc in (random_arcs(seed, 60) for seed in range(2, 99)) if _gap(trees, arc) > 0.03)
    marginals = long_marginals(arc * factor, single_root)
    if factor == 1000:  # scores this far apart leave one tree
        best = trees.argmax(Scores(arc=arc)).heads
        np.testing.assert_allclose(marginals[best[1:], np.arange(1, 61)], 1.0, atol=1e-6)


@roots
@dtypes
@pytest.mark.parametrize("weight", [20.0, 40.0])
def test_matrix_tree_with_heavy_root_arcs_and_zeros(single_root, dtype, weight):
    for n in (2, 4, 5):
        arc = np.zeros((n + 1, n + 1), dtype)
        arc[0] = weight
        check((False, single_root, "arc"), Scores(arc=arc))
    arc = np.zeros((41, 41), dtype)
    arc[0] = weight
    marginals = long_marginals(arc, single_root)
    expected = 1 / 40 if single_root else marginals[0, 1]
    np.testing.assert_allclose(marginals[0, 1:], expected, atol=1e-9)
    log_partition = Trees(projective=False, single_root=single_root).log_partition(Scores(arc=arc))
    if single_root:
        assert log_partition == pytest.approx(weight + 39 * math.log(40))  # there are nⁿ⁻¹ trees
    else:  # Cayley: Σ over trees of xᵏ, k words below the root, is x (x + n)ⁿ⁻¹
        assert log_partition == pytest.approx(weight + 39 * math.log(math.exp(weight) + 40))


@every_kind
@methods
@pytest.mark.parametrize("junk", [1e4, 1e30, np.inf, np.nan])
def test_a_huge_diagonal_never_counts(kind, method, junk):
    arc = random_arcs(3, 5)
    answer = METHODS[method](Trees(*kind), Scores(arc=arc))
    arc = arc.copy()
    arc[np.diag_indices(6)] = junk
    assert_same(METHODS[method](Trees(*kind), Scores(arc=arc)), answer)


@roots
@dtypes
def test_matrix_tree_with_one_arc_at_minus_40(single_root, dtype):
    kind = (False, single_root, "arc")
    for n in (2, 4, 5):
        for h, m in [(0, 1), (1, 2), (2, 1)]:
            for arc in (np.zeros((n + 1, n + 1), dtype), random_arcs(4, n).astype(dtype)):
                arc[h, m] = -40.0
                scores = Scores(arc=arc)
                check(kind, scores)
                marginal = Trees(*kind).marginals(scores).arc[h, m]
                assert marginal == pytest.approx(Oracle(scores, *kind).marginals.arc[h, m], rel=1e-6)
                assert marginal < 1e-15


@every_kind
@pytest.mark.parametrize("mask", [-np.inf, LOWEST], ids=["-inf", "lowest"])
@dtypes
def test_masks_in_every_method(kind, mask, dtype):
    rng = np.random.default_rng(5)
    projective, single_root, factorization = kind
    for n in (1, 2, 4, 5):
        for labelled in (False, True):
            arrays = draw_arrays(rng, "random", n, labelled, dtype, factorization)
            forbidden = rng.random((n + 1, n + 1)) < 0.4
            forbidden[np.arange(n), np.arange(1, n + 1)] = False
            arrays["arc"][forbidden] = mask
            check((projective, single_root, factorization), Scores(**arrays))


@every_kind
@pytest.mark.parametrize("method", [name for name in METHODS if name != "mbr"])
def test_a_mask_at_the_lowest_float_is_a_mask_at_minus_infinity(kind, method):
    """But for MBR: a tree with an improbable arc may still have most arcs expected right."""
    rng = np.random.default_rng(6)
    arc, forbidden = rng.normal(size=(6, 6)), rng.random((6, 6)) < 0.2
    forbidden[np.arange(5), np.arange(1, 6)] = False
    low, none = (Scores(arc=np.where(forbidden, mask, arc)) for mask in (LOWEST, -np.inf))
    assert len(Oracle(none, *kind).ranking) >= 4
    assert_same(METHODS[method](Trees(*kind), low), METHODS[method](Trees(*kind), none))


@roots
@pytest.mark.parametrize("factorization", MODELS)
@dtypes
def test_projective_log_partition_of_scores_near_minus_30_000(single_root, factorization, dtype):
    kind = (True, single_root, factorization)
    for n in (2, 4, 5):
        check(kind, Scores(arc=(random_arcs(7, n) - 3e4).astype(dtype)))
    arc = random_arcs(7, 25)
    shifted, plain = (Trees(*kind).log_partition(Scores(arc=a)) for a in (arc - 3e4, arc))
    assert shifted == pytest.approx(plain - 25 * 3e4, rel=1e-13)


@every_kind
@pytest.mark.parametrize("instance", ["positive", "root-heavy", "tied"])
def test_single_root_trees_have_one_root(kind, instance):
    projective, _, factorization = kind
    trees = Trees(projective=projective, single_root=True, factorization=factorization)
    rng = np.random.default_rng(8)
    for n in (2, 3, 5, 5, 9):
        scores = Scores(**draw_arrays(rng, instance, n, False, np.float64, factorization))
        found = [trees.argmax(scores).heads, trees.mbr(scores).heads, *trees.sample(scores, 5, 1)]
        for heads in [*found, *(parse.heads for parse in trees.k_best(scores, 5))]:
            assert (heads[1:] == 0).sum() == 1
        assert trees.marginals(scores).arc[0, 1:].sum() == pytest.approx(1.0)
        if n <= 5:
            check((projective, True, factorization), scores)


@every_kind
def test_k_best_beyond_the_number_of_trees_are_the_trees_there_are(kind):
    rng = np.random.default_rng(9)
    for n in (1, 2, 3, 4):
        for instance in ("random", "tied", "positive"):
            scores = Scores(**draw_arrays(rng, instance, n, False, np.float64, kind[2]))
            oracle = Oracle(scores, *kind)
            parses = Trees(*kind).k_best(scores, len(oracle.trees) + 100)
            assert sorted(tuple(parse.heads) for parse in parses) == sorted(map(tuple, oracle.trees))


@every_kind
def test_k_best_and_samples_of_negative_scores(kind):
    rng = np.random.default_rng(10)
    for n in (2, 3, 4, 5):
        arrays = draw_arrays(rng, "random", n, True, np.float64, kind[2])
        arrays = {name: array - 50.0 for name, array in arrays.items()}
        check(kind, Scores(**arrays))
        parses = Trees(*kind).k_best(Scores(**arrays), 7)
        assert all(parse.score < 0 for parse in parses)


LONG = 1_100  # words: beyond Python's limit of 1,000 calls


@roots
@pytest.mark.parametrize("projective", [True, False], ids=["projective", "nonprojective"])
def test_a_long_chain_needs_no_recursion(projective, single_root):
    n = LONG
    arc = np.zeros((n + 1, n + 1), np.float32)
    chain = np.arange(-1, n)
    arc[chain[1:], np.arange(1, n + 1)] = 1.0
    parse = Trees(projective, single_root).argmax(Scores(arc=arc))
    assert parse.score == n
    assert np.array_equal(parse.heads, chain)


@pytest.mark.parametrize("projective", [True, False], ids=["projective", "nonprojective"])
def test_a_long_chain_is_sampled_without_recursion(projective):
    scores, chain = _chain(LONG)
    assert (Trees(projective).sample(scores, 2, 1) == chain).all()


def _chain(n):
    arc = np.zeros((n + 1, n + 1))
    chain = np.arange(-1, n)
    arc[chain[1:], np.arange(1, n + 1)] = 40.0
    return Scores(arc=arc), chain


@pytest.mark.parametrize("projective", [True, False], ids=["projective", "nonprojective"])
def test_a_chain_is_ranked(projective):
    scores, chain = _chain(60)
    best, second = Trees(projective).k_best(scores, 2)
    assert np.array_equal(best.heads, chain)
    assert second.score == pytest.approx(best.score - 40.0)


@every_kind
@methods
def test_inputs_are_never_written_to(kind, method):
    rng = np.random.default_rng(11)
    for dtype in (np.float32, np.float64):
        arrays = draw_arrays(rng, "random", 4, True, dtype, kind[2])
        copies = {name: array.copy() for name, array in arrays.items()}
        METHODS[method](Trees(*kind), Scores(**arrays))
        for name, array in arrays.items():
            assert np.array_equal(array, copies[name], equal_nan=True), name


@every_kind
def test_float64_in_float64_out(kind):
    """Two trees that float32 cannot tell apart."""
    arc = np.full((3, 3), 1.0)
    arc[0, 1] = 1.0 + 1e-9  # the chain from the left, not that from the right
    arc[0, 2] = arc[2, 1] = arc[1, 2] = 1.0
    scores = Scores(arc=arc)
    trees = Trees(kind[0], True, kind[2])
    assert trees.argmax(scores).heads.tolist() == [-1, 0, 1]
    assert trees.argmax(scores).score == 2.0 + 1e-9
    assert trees.log_partition(scores) == pytest.approx(math.log(2) + 2.0 + 0.5e-9, abs=1e-12, rel=0)
    marginals = trees.marginals(scores).arc
    assert marginals.dtype == np.float64
    assert marginals[0, 1] - marginals[0, 2] == pytest.approx(0.5e-9, rel=1e-4)


@methods
def test_two_trees_objects_never_share_state(method):
    rng = np.random.default_rng(12)
    problems = [
        (Trees(*kind), Scores(**draw_arrays(rng, "random", n, False, np.float64, kind[2])))
        for kind in KINDS_OF_TREES
        for n in (5, 2)
    ]
    first = [METHODS[method](trees, scores) for trees, scores in problems]
    copies = [[array.copy() for array in flat(answer)] for answer in first]
    for k in np.random.default_rng(13).permutation(len(problems)):
        trees, scores = problems[k]
        assert_same(METHODS[method](trees, scores), first[k], rtol=0, atol=0)
    for answer, copy in zip(first, copies, strict=True):
        assert all(np.array_equal(array, old) for array, old in zip(flat(answer), copy, strict=True))


@every_kind
@methods
@pytest.mark.parametrize("threads", [1, 2])
def test_padding_never_leaks_between_problems_of_a_batch(kind, method, threads):
    """A short problem among long ones with huge scores answers what it answers alone."""
    rng = np.random.default_rng(14)
    short = [Scores(**draw_arrays(rng, "random", n, True, np.float64, kind[2])) for n in (1, 2, 3)]
    long = [Scores(**draw_arrays(rng, "extreme", n, True, np.float64, kind[2])) for n in (9, 7)]
    trees = Trees(*kind)
    batch = [long[0], short[0], short[1], long[1], short[2]]
    answers = METHODS[method](trees.batch(threads), batch)
    if method == "sample":
        for scores, samples in zip(batch, answers, strict=True):
            assert samples.shape == (20, scores.n + 1)
            assert all(math.isfinite(trees.log_prob(scores, heads)) for heads in samples)
    else:
        for scores, answer in zip(batch, answers, strict=True):
            assert_same(answer, METHODS[method](trees, scores))
