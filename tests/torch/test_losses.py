"""Losses against lists of all trees."""

import numpy as np
import pytest
import torch

from tests.inference.parts import Oracle, model
from tests.torch.instances import SIZE, arrays, random_scores
from treewright.inference import Scores
from treewright.torch import (
    TreeDistribution,
    distillation_loss,
    entropy_loss,
    forest_loss,
    hinge_loss,
    nll_loss,
    risk_loss,
)

KINDS = [("arc", True), ("arc", False), ("sibling+last", True)]
kinds = pytest.mark.parametrize(("parts", "projective"), KINDS, ids=["arc", "nonprojective", "sibling"])
labelled = pytest.mark.parametrize("labels", [0, 2], ids=["unlabelled", "labelled"])
GOLD = torch.tensor([[-1, 0, 1, 1], [-1, 2, 0, 2]])
LABELS = torch.tensor([[-1, 0, 1, 1], [-1, 1, 1, 0]])


def problems(parts, projective, labels=0, seed=0):
    """A distribution over the trees of two sentences, and the truth about each."""
    tensors = random_scores(parts, labels=labels, seed=seed)
    trees = TreeDistribution(**tensors, projective=projective, factorization=model(parts))
    oracles = [Oracle(Scores(**arrays(tensors, k)), projective, True, parts) for k in range(2)]
    return trees, oracles


def check(loss, expected):
    np.testing.assert_allclose(loss.numpy(), expected, rtol=1e-9, atol=1e-9)


@kinds
@labelled
def test_negative_log_likelihood(parts, projective, labels):
    trees, oracles = problems(parts, projective, labels)
    expected = [-oracle.log_prob(heads) for oracle, heads in zip(oracles, GOLD.numpy(), strict=True)]
    check(nll_loss(trees, GOLD, reduction="none"), expected)
    check(nll_loss(trees, GOLD), np.mean(expected))
    check(nll_loss(trees, GOLD, reduction="sum"), np.sum(expected))
    if labels:
        rows = zip(oracles, GOLD.numpy(), LABELS.numpy(), strict=True)
        check(nll_loss(trees, GOLD, LABELS, reduction="none"), [-oracle.log_prob(*row) for oracle, *row in rows])


@kinds
def test_the_likelihood_of_what_is_known_is_that_of_all_trees_that_agree(parts, projective):
    trees, oracles = problems(parts, projective)
    known = GOLD.clone()
    known[0, 2:], known[1, 1:3] = -1, -1
    expected = []
    for oracle, heads in zip(oracles, known.numpy(), strict=True):
        agree = ((oracle.trees == heads) | (heads < 0))[:, 1:].all(axis=1)
        assert 1 < agree.sum() < len(agree)
        expected.append(-np.log(oracle.probabilities[agree].sum()))
    check(forest_loss(trees, known, reduction="none"), expected)
    check(forest_loss(trees, GOLD), nll_loss(trees, GOLD).item())
    check(forest_loss(trees, torch.full_like(GOLD, -1)), 0.0)


def test_the_likelihood_of_labels_that_are_known():
    trees, _ = problems("arc", True, 2)
    check(forest_loss(trees, GOLD, LABELS), nll_loss(trees, GOLD, LABELS).item())
    check(forest_loss(trees, GOLD, torch.full_like(LABELS, -1)), nll_loss(trees, GOLD).item())
    some = torch.tensor([-1, 0, -1, -1]).expand(2, -1)
    either = [
        nll_loss(trees, GOLD, torch.tensor([-1, 0, a, b]).expand(2, -1), reduction="none")
        for a in (0, 1)
        for b in (0, 1)
    ]
    check(forest_loss(trees, GOLD, some, reduction="none"), -torch.stack([-one for one in either]).logsumexp(0).numpy())


def test_what_was_forbidden_stays_so_beside_what_is_known():
    arc = torch.zeros(3, 3)
    trees = TreeDistribution(arc, allowed=torch.tensor([[0, 0, 1], [0, 0, 1], [0, 1, 0]]).bool())
    assert trees.given(torch.tensor([-1, -1, 0])).log_partition == 0.0
    with pytest.raises(ValueError, match="sentence 0: no tree is possible: word 1 cannot get a head"):
        _ = trees.given(torch.tensor([-1, 0, -1])).log_partition


@kinds
def test_risk_is_the_expected_number_of_wrong_heads(parts, projective):
    trees, oracles = problems(parts, projective)
    known = GOLD.clone()
    known[1, 3] = -1
    expected = []
    for oracle, heads in zip(oracles, known.numpy(), strict=True):
        wrong = ((oracle.trees != heads) & (heads >= 0))[:, 1:].sum(axis=1)
        expected.append((oracle.probabilities * wrong).sum())
    check(risk_loss(trees, known, reduction="none"), expected)


@kinds
@labelled
def test_hinge_is_the_worst_violation(parts, projective, labels):
    trees, oracles = problems(parts, projective, labels)
    expected = []
    for oracle, heads in zip(oracles, GOLD.numpy(), strict=True):
        wrong = (oracle.trees != heads)[:, 1:].sum(axis=1)
        expected.append((oracle.totals + 2.0 * wrong).max() - oracle.score(heads))
    check(hinge_loss(trees, GOLD, cost=2.0, reduction="none"), expected)
    assert (torch.tensor(expected) > 0).all()


def test_hinge_counts_wrong_labels():
    trees, oracles = problems("arc", True, 2)
    scores = [arrays(trees.scores, k) for k in range(2)]
    for one, heads, labels in zip(scores, GOLD.numpy(), LABELS.numpy(), strict=True):
        for m in range(1, SIZE):
            one["arc"][np.arange(SIZE) != heads[m], m] += 1.0
            one["label"][heads[m], m, np.arange(2) != labels[m]] += 1.0
    worst = [Oracle(Scores(**one), True, True, "arc").best for one in scores]
    trees, oracles = problems("arc", True, 2)
    rows = zip(oracles, GOLD.numpy(), LABELS.numpy(), strict=True)
    gold = [oracle.score(*row) for oracle, *row in rows]
    check(hinge_loss(trees, GOLD, LABELS, reduction="none"), np.subtract(worst, gold))


def test_hinge_has_a_subgradient_and_is_there_for_hard_searches():
    tensors = {name: tensor.requires_grad_() for name, tensor in random_scores("sibling").items()}
    trees = TreeDistribution(**tensors, projective=False, factorization="sibling")
    hinge_loss(trees, GOLD, reduction="sum").backward()
    augmented = tensors["arc"].detach() + 1.0
    augmented[torch.arange(2)[:, None], GOLD[:, 1:], torch.arange(1, SIZE)] -= 1.0
    best = trees.replace(arc=augmented).mode
    expected = torch.zeros_like(augmented)
    for sign, heads in ((1.0, best), (-1.0, GOLD)):
        expected[torch.arange(2)[:, None], heads[:, 1:], torch.arange(1, SIZE)] += sign
    assert torch.equal(tensors["arc"].grad, expected)


def test_entropy_loss_is_the_entropy():
    trees, oracles = problems("sibling+last", True, 2)
    check(entropy_loss(trees), np.mean([oracle.entropy for oracle in oracles]))


@pytest.mark.parametrize(
    ("student", "teacher"), [("arc", "arc"), ("sibling", "arc"), ("arc", "sibling"), ("grand-sibling", "sibling+last")]
)
def test_distillation_is_the_cross_entropy(student, teacher):
    trees, oracles = problems(student, True)
    teacher, known = problems(teacher, True, seed=1)
    expected = [
        -(known.probabilities * (oracle.masses - oracle.log_partition)).sum()
        for oracle, known in zip(oracles, known, strict=True)
    ]
    check(distillation_loss(trees, teacher, reduction="none"), expected)
    check(teacher.kl(trees), expected - teacher.entropy().numpy())
    check(trees.kl(trees), [0.0, 0.0])


def test_only_the_student_learns():
    arc, other = (torch.randn(2, 4, 4, requires_grad=True) for _ in range(2))
    distillation_loss(TreeDistribution(arc), TreeDistribution(other)).backward()
    assert arc.grad is not None
    assert other.grad is None


def test_reductions_are_known():
    with pytest.raises(ValueError, match="reduction is 'average': it must be 'mean', 'sum' or 'none'"):
        entropy_loss(TreeDistribution(torch.zeros(3, 3)), reduction="average")
