"""Gradients of every order that there is, and what compilers need to know of operators."""

import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck
from torch.library import opcheck

from tests.inference.parts import PARTS, model
from tests.torch.instances import SIZE, random_scores
from treewright.torch import TreeDistribution, operators, risk_loss

factorizations = pytest.mark.parametrize("factorization", ["arc", "sibling", "grand-sibling+last"])
LENGTHS = [SIZE - 1, 2]
HEADS = torch.tensor([[-1, 0, 1, 1], [-1, 2, 0, -1]])


def make(names, tensors, **kind):
    return TreeDistribution(**dict(zip(names, tensors, strict=True)), lengths=LENGTHS, **kind)


#: Trees of every kind, with labels and constraints here and there.
CASES = {
    **{name: (name, {}) for name in PARTS},
    "multi-root": ("arc", {"single_root": False}),
    "nonprojective": ("arc", {"projective": False}),
    "nonprojective-multi-root": ("arc", {"projective": False, "single_root": False}),
    "labels": ("arc", {}),
    "constraints": ("sibling", {"fixed_heads": torch.tensor([[-1, -1, 1, -1]] * 2)}),
}


def case(name):
    parts, kind = CASES[name]
    tensors = random_scores(parts, labels=3 if name == "labels" else 0)
    kind = {"factorization": model(parts), **kind}
    return list(tensors), [tensor.requires_grad_() for tensor in tensors.values()], kind


@pytest.mark.parametrize("name", CASES)
def test_log_partition_can_be_differentiated_twice(name):
    names, tensors, kind = case(name)
    assert gradcheck(lambda *given: make(names, given, **kind).log_partition, tensors, fast_mode=True)
    assert gradgradcheck(lambda *given: make(names, given, **kind).log_partition, tensors, fast_mode=name != "arc")


@pytest.mark.parametrize("name", ["arc", "sibling+last", "tri-sibling", "nonprojective", "labels", "constraints"])
def test_what_is_made_of_marginals_can_be_differentiated(name):
    names, tensors, kind = case(name)
    other = make(names, [torch.randn_like(tensor) for tensor in tensors], **kind)

    def answers(*given):
        trees = make(names, given, **kind)
        marginals = [one for one in vars(trees.marginals).values() if one is not None]
        risk = risk_loss(trees, HEADS, reduction="none")
        return *marginals, risk, trees.entropy(), trees.kl(other), other.kl(trees), trees.cross_entropy(other)

    assert gradcheck(answers, tensors, fast_mode=True)


def test_forbidden_parts_have_no_gradient_and_break_none():
    arc = torch.randn(1, 4, 4, dtype=torch.float64)
    arc[0, 0, 2] = -torch.inf
    label = torch.randn(1, 4, 4, 2, dtype=torch.float64)
    label[0, 1, 2], label[0, 3, 2, 0] = -torch.inf, -torch.inf
    for tensor in (arc, label):
        tensor[:, :, 0] = torch.nan
        tensor.requires_grad_()
    trees = TreeDistribution(arc, label)
    for answer in (trees.log_partition, trees.entropy(), trees.marginals.label.square().sum()):
        for gradient in torch.autograd.grad(answer.sum(), (arc, label), retain_graph=True):
            assert gradient.isfinite().all()
            assert (gradient[:, :, 0] == 0).all()
            assert gradient[0, 0, 2].abs().sum() == 0


def test_a_gradient_of_marginals_that_is_no_number_counts_nowhere():
    arc = torch.randn(4, 4, dtype=torch.float64, requires_grad=True)
    marginal = TreeDistribution(arc).marginals.arc
    (gradient,) = torch.autograd.grad((marginal * marginal.log()).nan_to_num().sum(), arc, retain_graph=True)
    used = torch.where(marginal > 0, marginal, 1.0)
    assert torch.allclose(gradient, torch.autograd.grad((used * used.log()).sum(), arc)[0])


def test_third_derivatives_are_refused():
    arc = torch.randn(4, 4, requires_grad=True)
    (gradient,) = torch.autograd.grad(TreeDistribution(arc).entropy(), arc, create_graph=True)
    with pytest.raises(NotImplementedError, match="third derivatives of log Z"):
        gradient.square().sum().backward()


def test_log_partition_alone_is_computed_where_no_gradient_is_needed(monkeypatch):
    arc = torch.randn(4, 4, requires_grad=True)
    with torch.no_grad():
        expected = TreeDistribution(arc).log_partition
        monkeypatch.setattr(operators, "sums", None)
        assert TreeDistribution(arc).log_partition == expected
    assert TreeDistribution(arc.detach()).log_partition == expected
    with pytest.raises(TypeError):
        _ = TreeDistribution(arc).log_partition


def test_what_was_computed_without_a_gradient_is_computed_again_with_one():
    arc = torch.randn(4, 4, requires_grad=True)
    trees = TreeDistribution(arc)
    with torch.no_grad():
        assert not trees.marginals.arc.requires_grad
    assert trees.marginals.arc.requires_grad
    assert trees.log_partition.requires_grad


@factorizations
def test_operators_keep_their_promises(factorization):
    tensors = [tensor.requires_grad_() for tensor in random_scores(factorization).values()]
    kinds = ",".join(PARTS[factorization])
    batch = (tensors, kinds, torch.tensor(LENGTHS), None, True, True, model(factorization), True)
    direction = [torch.randn_like(tensor) for tensor in tensors]
    plain = ([tensor.detach() for tensor in tensors], *batch[1:])
    opcheck(torch.ops.treewright.sums.default, batch)
    opcheck(torch.ops.treewright.tangents.default, ([one.requires_grad_() for one in direction], *plain))
    opcheck(torch.ops.treewright.log_partition.default, plain)
    opcheck(torch.ops.treewright.argmax.default, plain)
    opcheck(torch.ops.treewright.k_best.default, (2, *plain))
    opcheck(torch.ops.treewright.sample.default, (2, torch.tensor(5), *plain))


def test_compilers_see_one_graph():
    def loss(arc, sibling, label, lengths, heads, labels):
        trees = TreeDistribution(arc, label, sibling, lengths=lengths, factorization="sibling")
        return trees.log_prob(heads, labels).sum() + trees.entropy().sum() + trees.marginals.arc.square().sum()

    tensors = random_scores("sibling", labels=3)
    given = [tensors[name].requires_grad_() for name in ("arc", "sibling", "label")]
    known = torch.tensor(LENGTHS), HEADS, torch.ones_like(HEADS)
    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    answer, expected = compiled(*given, *known), loss(*given, *known)
    assert torch.allclose(answer, expected)
    gradients, others = torch.autograd.grad(answer, given), torch.autograd.grad(expected, given)
    assert all(torch.allclose(one, other) for one, other in zip(gradients, others, strict=True))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_autocast_changes_nothing(dtype):
    arc = torch.randn(2, 5, 5).to(dtype).requires_grad_()
    plain = TreeDistribution(arc)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        trees = TreeDistribution(arc)
        answers = [trees.log_partition, trees.entropy(), trees.log_prob(trees.mode)]
    expected = [plain.log_partition, plain.entropy(), plain.log_prob(plain.mode)]
    assert all(torch.equal(one, other) for one, other in zip(answers, expected, strict=True))
    (gradient,) = torch.autograd.grad(answers[0].sum(), arc)
    assert gradient.dtype == dtype
    assert torch.equal(gradient, plain.marginals.arc.to(dtype))
