import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.neural.learning.tiny import INPUTS, SENTENCES, tiny_settings
from treewright.neural.learning.batches import Treebank
from treewright.neural.learning.distillation import distillation_loss, teach
from treewright.neural.learning.losses import LOSSES, arc_logits, treebank_loss
from treewright.neural.learning.network import Network

SPACE = {"projective": True, "single_root": True}


def _network(**choices):
    torch.manual_seed(3)
    network = Network(tiny_settings(layers=1, **choices), INPUTS.size)
    with torch.no_grad():
        for one in network.parameters():
            one.add_(torch.randn_like(one), alpha=0.1)
    return network.eval()


def _batch(network):
    return Treebank(SENTENCES, INPUTS, network.settings, torch.device("cpu")).batch(np.arange(3))


@pytest.mark.parametrize("factorization", ["arc", "sibling"])
@pytest.mark.parametrize("loss", LOSSES)
def test_gradients_equal_finite_differences(loss, factorization):
    if loss == "heads" and factorization != "arc":
        pytest.skip("heads of single words are arcs")
    network = _network(factorization=factorization)
    batch = _batch(network)
    value = treebank_loss(network, batch, loss, **SPACE)
    value.backward()
    torch.manual_seed(5)
    with torch.no_grad():
        for one in network.parameters():
            direction, step = torch.randn_like(one), 2e-4
            slope = float((one.grad * direction).sum()) if one.grad is not None else 0.0
            one.add_(direction, alpha=step)
            above = float(treebank_loss(network, batch, loss, **SPACE))
            one.sub_(direction, alpha=2 * step)
            below = float(treebank_loss(network, batch, loss, **SPACE))
            one.add_(direction, alpha=step)
            assert math.isclose((above - below) / (2 * step), slope, rel_tol=0.03, abs_tol=0.02)


def test_what_is_not_known_does_not_count():
    network = _network()
    batch = _batch(network)
    heads = batch.heads.clone()
    heads[0, 2] = -1
    unknown = replace(batch, heads=heads, is_partial=True)
    found = {loss: float(treebank_loss(network, unknown, loss, **SPACE).detach()) for loss in ("heads", "tree-crf")}
    other = batch.labels.clone()
    other[0, 2] = 0
    again = {loss: treebank_loss(network, replace(unknown, labels=other), loss, **SPACE).item() for loss in found}
    assert again == found


@pytest.mark.parametrize("targets", ["heads", "marginals", "trees"])
def test_a_student_like_its_teacher_has_nothing_to_learn(targets):
    teacher, student = _network(), _network()
    batch = _batch(teacher)
    given = teach([teacher, teacher], [batch.rows, batch.rows], batch.words, targets)
    assert torch.allclose(
        given.heads[:, 1:].sum(-1)[batch.words[:, 1:]], torch.ones(12, dtype=given.heads.dtype), atol=1e-5
    )
    distillation_loss(student, batch.rows, batch.words, given, targets).backward()
    slope = max(float(one.grad.abs().max()) for name, one in student.named_parameters() if one.grad is not None)
    assert (slope < 1e-4) == (targets != "marginals")  # head by head, marginals of trees are another thing to learn


def test_no_word_is_its_own_head():
    network = _network()
    batch = _batch(network)
    heads = arc_logits(network, network(batch.rows, batch.words), batch.words).softmax(-1)
    assert heads.diagonal(dim1=1, dim2=2).max() == 0
    assert heads[1, :, 4:].max() == 0
