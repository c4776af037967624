import torch

from treewright.neural.learning.optimizers import Optimizer, orthogonalised


def test_singular_values_come_near_1():
    torch.manual_seed(0)
    for shape in ((2, 8, 20), (1, 20, 8)):
        values = torch.linalg.svdvals(orthogonalised(torch.randn(shape)))
        assert values.min() > 0.6
        assert values.max() < 1.3


def _descend(optimizer, parameters, steps):
    for _ in range(steps):
        loss = sum(((one - 1) ** 2).sum() for one in parameters.values())
        loss.backward()
        optimizer.step(0.05)
    return loss.item()


def _parameters():
    torch.manual_seed(1)
    shapes = {"layers.0.qkv": (4, 12), "layers.0.out": (4, 4), "words": (5, 4), "norm": (4,)}
    return {name: torch.randn(shape, requires_grad=True) for name, shape in shapes.items()}


def test_all_parameters_are_stepped_down():
    parameters = _parameters()
    before = sum(((one - 1) ** 2).sum().item() for one in parameters.values())
    assert _descend(Optimizer(parameters, decay=0.0), parameters, 200) < 0.2 * before


def test_a_restored_optimizer_goes_on_to_the_bit():
    whole, halves = _parameters(), _parameters()
    _descend(Optimizer(whole), whole, 6)
    first = Optimizer(halves)
    _descend(first, halves, 3)
    second = Optimizer(halves)
    second.restore({name: one.clone() for name, one in first.state().items()}, first.steps)
    _descend(second, halves, 3)
    assert all(torch.equal(whole[name], halves[name]) for name in whole)
