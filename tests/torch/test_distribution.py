"""What a distribution over trees has beyond its laws: shapes, types, pruned parts, comparisons, refusals."""

import math
import subprocess
import sys

import numpy as np
import pytest
import torch
from torch.distributions import Distribution, kl_divergence

from tests.inference.parts import PARTS, model
from tests.torch.instances import arrays, random_scores
from treewright.inference import Parts, Scores, Trees
from treewright.torch import TreeDistribution
from treewright.torch.cpu import log_partition

models = pytest.mark.parametrize("parts", PARTS)
HEADS = torch.tensor([-1, 0, 1, 1])


def test_it_is_a_distribution():
    trees = TreeDistribution(torch.zeros(2, 3, 4, 4))
    assert isinstance(trees, Distribution)
    assert (trees.batch_shape, trees.event_shape) == ((2, 3), (4,))
    assert trees.sample((5,)).shape == (5, 2, 3, 4)
    assert trees.sample().shape == trees.mode.shape == (2, 3, 4)
    assert trees.support.check(trees.sample((7,)).reshape(7, 6, 4)).all()
    assert repr(trees).startswith("TreeDistribution(batch_shape=(2, 3), event_shape=(4,)")


def test_any_number_of_leading_dimensions():
    tensors = random_scores("sibling", (2, 3), labels=2)
    lengths = torch.tensor([[3, 2, 3], [1, 3, 2]])
    trees = TreeDistribution(**tensors, lengths=lengths, factorization="sibling")
    heads, scores = trees.k_best(2)
    assert (heads.shape, scores.shape) == ((2, 2, 3, 4), (2, 2, 3))
    assert trees.best_labels(heads).shape == heads.shape
    assert trees.marginals.label.shape == tensors["label"].shape
    for row in range(2):
        for column in range(3):
            one = {name: tensor[row, column] for name, tensor in tensors.items()}
            single = TreeDistribution(**one, lengths=lengths[row, column], factorization="sibling")
            assert single.batch_shape == ()
            assert torch.allclose(single.log_partition, trees.log_partition[row, column])
            assert torch.allclose(single.entropy(), trees.entropy()[row, column])
            assert torch.equal(single.mode, trees.mode[row, column])
            assert torch.equal(single.mbr(), trees.mbr()[row, column])
            assert torch.allclose(single.marginals.sibling, trees.marginals.sibling[row, column])


def test_trees_that_are_missing_score_minus_infinity():
    heads, scores = TreeDistribution(torch.zeros(2, 3, 3), lengths=[2, 1]).k_best(3)
    assert scores.tolist() == [[0.0, 0.0], [0.0, -math.inf], [-math.inf, -math.inf]]
    assert heads[1:, 1].unique().tolist() == heads[2].unique().tolist() == [-1]


def test_samples_have_log_probabilities():
    trees = TreeDistribution(torch.randn(2, 6, 6), lengths=[5, 3])
    samples = trees.sample((4, 3))
    chances = trees.log_prob(samples)
    assert chances.shape == (4, 3, 2)
    for index in np.ndindex(4, 3):
        assert torch.equal(chances[index], trees.log_prob(samples[index]))


def test_expanding_repeats():
    tensors = random_scores("arc", (2,), labels=2)
    trees = TreeDistribution(**tensors, lengths=[3, 2]).expand((3, 2))
    assert trees.batch_shape == (3, 2)
    assert torch.equal(trees.log_partition, TreeDistribution(**tensors, lengths=[3, 2]).log_partition.expand(3, 2))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
@pytest.mark.parametrize("parts", ["arc", "grand-sibling"])
def test_short_floats_are_computed_in_float32(dtype, parts):
    tensors = {name: tensor.to(dtype) for name, tensor in random_scores(parts, size=6, labels=2).items()}
    exact = TreeDistribution(**{name: tensor.double() for name, tensor in tensors.items()}, factorization=parts)
    trees = TreeDistribution(**tensors, factorization=parts)
    wide = dtype if dtype == torch.float64 else torch.float32
    for name in ("log_partition", "entropy"):
        answer, expected = (getattr(one, name) for one in (trees, exact))
        answer, expected = (one() if callable(one) else one for one in (answer, expected))
        assert answer.dtype == wide
        assert torch.allclose(answer.double(), expected, atol=2e-5)
    for name, marginal in vars(trees.marginals).items():
        if marginal is not None:
            assert marginal.dtype == wide
            assert torch.allclose(marginal.double(), getattr(exact.marginals, name), atol=1e-6)
    assert torch.equal(trees.mode, exact.mode)


def test_one_wide_tensor_makes_all_of_them_wide():
    tensors = random_scores("sibling")
    trees = TreeDistribution(tensors["arc"].float(), sibling=tensors["sibling"], factorization="sibling")
    assert trees.log_partition.dtype == torch.float64


# --- pruned ---------------------------------------------------------------------------------------------------------


def pruned(parts, seed=0):
    """Two sentences with half of their arcs: dense scores, and the same without what has been pruned."""
    rng = np.random.default_rng(seed)
    tensors = random_scores(parts, (2,), labels=2, size=6, seed=seed)
    lists, lengths = [], [5, 4]
    for n in lengths:
        allowed = rng.random((n + 1, n + 1)) < 0.5
        allowed[np.arange(n), np.arange(1, n + 1)] = True
        lists.append(Parts(allowed))
    vectors = {}
    for name, tensor in tensors.items():
        kind = "arc" if name == "label" else name
        rows = [tensor[k][tuple(torch.from_numpy(one.rows(kind).T))] for k, one in enumerate(lists)]
        vectors[name] = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=math.nan)
    allowed = torch.zeros(2, 6, 6, dtype=torch.bool)
    for mask, one in zip(allowed, lists, strict=True):
        mask[: one.n + 1, : one.n + 1] = torch.from_numpy(one.arcs.number >= 0)
    kind = {"factorization": model(parts), "lengths": lengths}
    return TreeDistribution(**tensors, allowed=allowed, **kind), TreeDistribution(**vectors, parts=lists, **kind)


@models
def test_pruned_parts_are_the_others_forbidden(parts):
    dense, sparse = pruned(parts)
    assert torch.allclose(sparse.log_partition, dense.log_partition)
    assert torch.allclose(sparse.entropy(), dense.entropy())
    assert torch.equal(sparse.mode, dense.mode)
    assert torch.equal(sparse.mbr(), dense.mbr())
    assert torch.equal(sparse.k_best(3).heads, dense.k_best(3).heads)
    assert torch.equal(sparse.best_labels(sparse.mode), dense.best_labels(dense.mode))
    for heads in (dense.mode, *dense.sample((3,))):
        assert torch.allclose(sparse.log_prob(heads), dense.log_prob(heads))
        labels = dense.best_labels(heads)
        assert torch.allclose(sparse.log_prob(heads, labels), dense.log_prob(heads, labels))
    for k, one in enumerate(sparse.problem.parts):
        for name in sparse.scores:
            rows = torch.from_numpy(one.rows("arc" if name == "label" else name).T)
            expected = getattr(dense.marginals, name)[k][tuple(rows)]
            found = getattr(sparse.marginals, name)[k]
            assert torch.allclose(found[: len(expected)], expected)
            assert (found[len(expected) :] == 0).all()


def test_pruned_trees_have_gradients_constraints_and_copies():
    dense, sparse = pruned("sibling")
    for trees in (dense, sparse):
        trees.scores["arc"].requires_grad_()
    chain = torch.tensor([[-1, 0, -1, 2, -1, -1], [-1, -1, 1, -1, 3, -1]])
    gradients = []
    for trees in (dense, sparse):
        again = trees.replace().given(chain)
        (gradient,) = torch.autograd.grad(again.entropy().sum() + again.log_partition.sum(), trees.scores["arc"])
        gradients.append(gradient)
    for k, one in enumerate(sparse.problem.parts):
        expected = gradients[0][k][tuple(torch.from_numpy(one.arc.T))]
        assert torch.allclose(gradients[1][k, : len(expected)], expected)
    assert torch.equal(sparse.expand((2, 2)).log_partition, sparse.log_partition.expand(2, 2))


def test_a_tree_with_a_pruned_arc_is_impossible():
    parts = Parts(np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], bool))
    trees = TreeDistribution(torch.zeros(1, 3), parts=[parts], single_root=False)
    assert trees.log_prob(torch.tensor([[-1, 2, 0]])).item() == -math.inf


# --- comparisons ----------------------------------------------------------------------------------------------------


def test_kl_is_registered():
    p, q = (TreeDistribution(torch.randn(2, 4, 4)) for _ in range(2))
    assert torch.equal(kl_divergence(p, q), p.kl(q))
    assert torch.allclose(p.kl(q), p.cross_entropy(q) - p.entropy(), atol=1e-5)


def test_trees_that_the_other_forbids_are_infinitely_far():
    arc = torch.zeros(1, 3, 3)
    p, q = TreeDistribution(arc), TreeDistribution(arc, fixed_heads=torch.tensor([-1, 0, -1]))
    assert p.kl(q).item() == p.cross_entropy(q).item() == math.inf
    assert q.kl(p).item() == pytest.approx(math.log(2))


def test_projective_trees_are_among_all_trees():
    arc = torch.randn(1, 4, 4, dtype=torch.float64)
    projective, all_trees = (TreeDistribution(arc, projective=one) for one in (True, False))
    assert torch.allclose(projective.kl(all_trees), all_trees.log_partition - projective.log_partition)
    with pytest.raises(ValueError, match="the first distribution has trees that the second does not"):
        all_trees.kl(projective)


def test_what_cannot_be_compared():
    one = TreeDistribution(**random_scores("arc"))
    for other, message in [
        (TreeDistribution(**random_scores("arc", (3,))), "must be of the same batch"),
        (TreeDistribution(**random_scores("arc", labels=2)), "has labels, and the other does not"),
        (pruned("arc")[1], "must be of the same batch"),
    ]:
        with pytest.raises(ValueError, match=message):
            one.kl(other)
    models = [TreeDistribution(**random_scores(name), factorization=name) for name in ("carreras", "grand-sibling")]
    with pytest.raises(NotImplementedError, match="no factorization has the parts of both 'carreras' and 'grand-si"):
        models[0].kl(models[1])


# --- refusals -------------------------------------------------------------------------------------------------------


def test_hard_trees_have_a_mode():
    tensors = random_scores("sibling")
    trees = TreeDistribution(**tensors, projective=False, factorization="sibling")
    searcher = Trees(projective=False, factorization="sibling")
    expected = [searcher.argmax(Scores(**arrays(tensors, k))).heads.tolist() for k in range(2)]
    assert trees.mode.tolist() == expected
    for ask in (lambda: trees.log_partition, lambda: trees.sample(), lambda: trees.marginals, lambda: trees.k_best(2)):
        with pytest.raises(NotImplementedError, match="is intractable; mode is found"):
            ask()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"arc": torch.zeros(2, 3, 4)}, r"arc has shape \(2, 3, 4\): it must be \(…, n\+1, n\+1\)"),
        ({"arc": torch.zeros(2, 4, 4).long()}, "arc holds torch.int64: scores must be floating-point numbers"),
        (
            {"sibling": torch.zeros(2, 4, 4)},
            r"sibling has shape \(2, 4, 4\): beside this arc it must be \(2, 4, 4, 4\)",
        ),
        ({"label": torch.zeros(2, 4, 4)}, r"label has shape \(2, 4, 4\): beside this arc it must be \(2, 4, 4, L\)"),
        ({"tri_sibling": torch.zeros(2, 4, 4, 4, 4)}, "tri_sibling is given, but the factorization 'sibling' does not"),
        ({"allowed": torch.ones(3, 3)}, r"allowed has shape \(3, 3\): beside this arc it must be \(2, 4, 4\)"),
        ({"fixed_heads": torch.tensor([[-1, 0, 9, -1]] * 2)}, r"sentence 0: fixed_heads\[2\] is 9: a head is another"),
        ({"lengths": [3, 4]}, "sentence 1: it has 4 words, but there is space for 1 to 3"),
        ({"lengths": [0, 3]}, "sentence 0: it has 0 words"),
        ({"parts": [Parts(np.ones((3, 3)))]}, "but there are parts of 1 sentences"),
    ],
)
def test_wrong_arguments(changes, message):
    arguments = {"arc": torch.zeros(2, 4, 4), "factorization": "sibling", "validate_args": True, **changes}
    with pytest.raises(ValueError, match=message):
        TreeDistribution(**arguments)


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([-1, 0, 1, 4], "sentence 1: the tree has a head that is not another word"),
        ([-1, 0, 2, 1], "sentence 1: the tree has a head that is not another word"),
        ([-1, 0, 3, 2], "sentence 1: the tree has a cycle"),
        ([-1, 0, 0, 2], "sentence 1: the tree has several roots, but single_root is True"),
        ([-1, 3, 0, 2], "sentence 1: the tree has arcs that cross, but projective is True"),
    ],
)
def test_what_is_no_tree_has_no_probability(heads, message):
    trees = TreeDistribution(torch.zeros(2, 4, 4), validate_args=True)  # compilers switch the default off
    both = torch.stack([HEADS, torch.tensor(heads)])
    with pytest.raises(ValueError, match=message):
        trees.log_prob(both)
    assert trees.support.check(both).tolist() == [True, False]
    with pytest.raises(ValueError, match=r"must be whole numbers of shape \(…, 2, 4\)"):
        trees.log_prob(both[:, :3])


def test_errors_name_the_sentence():
    arc = torch.zeros(3, 4, 4)
    arc[1, :, 2] = -math.inf
    trees = TreeDistribution(arc)
    for ask in (lambda: trees.log_partition, lambda: trees.mode, lambda: trees.sample(), lambda: trees.k_best(1)):
        with pytest.raises(ValueError, match="sentence 1: no tree is possible: word 2 cannot get a head"):
            ask()
    arc[1, 0, 2] = math.nan
    with pytest.raises(ValueError, match=r"sentence 1: arc\[0, 2\] is nan"):
        _ = TreeDistribution(arc).log_partition
    with pytest.raises(ValueError, match="labels are given, but there are no label scores"):
        TreeDistribution(torch.zeros(4, 4)).log_prob(HEADS, HEADS)


def test_threads_are_those_of_pytorch():
    trees, threads = TreeDistribution(torch.randn(9, 8, 8)), torch.get_num_threads()
    expected = log_partition(trees.problem.batch())
    torch.set_num_threads(1 if threads > 1 else 2)
    try:
        assert torch.equal(log_partition(trees.problem.batch()), expected)
    finally:
        torch.set_num_threads(threads)


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_nothing_else_imports_pytorch():
    code = "import sys, treewright, treewright.inference, treewright.cli.parse; print('torch' in sys.modules)"
    assert run(code).stdout == "False\n"


def test_without_pytorch_there_is_one_clear_line():
    done = run("import sys; sys.modules['torch'] = None; import treewright.torch")
    assert done.stderr.splitlines()[-1].endswith("treewright.torch needs PyTorch: pip install treewright[torch]")
