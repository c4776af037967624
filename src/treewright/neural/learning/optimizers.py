"""The optimizer of networks: Muon for the matrices of layers, AdamW for all other parameters.

Muon (Jordan et al. 2024) takes steps of orthogonalised momentum: a few steps of a Newton-Schulz iteration bring all
singular values of the momentum near 1.  Its steps are scaled as large as those of AdamW (Liu et al. 2025), so that one
learning rate serves both.  The state is a few named tensors.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

import torch
from torch import Tensor

__all__ = ["Optimizer", "orthogonalised"]

#: The coefficients of the quintic iteration.
_QUINTIC = (3.4445, -4.7750, 2.0315)

_MOMENTUM, _BETAS, _EPSILON = 0.95, (0.9, 0.98), 1e-9

#: The parameters of a network that are stepped by Muon, by the last part of their names, and into how many matrices
#: side by side each is cut.
_MATRICES = {"qkv": 3, "out": 1, "up": 1, "down": 1, "roles": 1, "tags": 1}


def orthogonalised(matrices: Tensor, steps: int = 5) -> Tensor:
    """Return matrices, shape (count, m, n), with singular values near 1 in place of their own."""
    a, b, c = _QUINTIC
    wide = matrices.shape[1] <= matrices.shape[2]
    x = matrices if wide else matrices.mT
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    x = x.bfloat16() if x.is_cuda else x
    for _ in range(steps):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    found: Tensor = (x if wide else x.mT).to(matrices.dtype)
    return found


class Optimizer:
    """Steps the parameters of a module down their gradients.

    Parameters
    ----------
    parameters : mapping
        The parameters by name.
    decay : float
        The weight decay, times the learning rate of each step.
    clip : float
        The norm to which larger gradients are scaled down.
    """

    def __init__(self, parameters: Mapping[str, Tensor], *, decay: float = 0.01, clip: float = 1.0) -> None:
        self.parameters, self._decay, self._clip = dict(parameters), decay, clip
        self._matrices = [name for name in self.parameters if name.rsplit(".", 1)[-1] in _MATRICES]
        self._others = [name for name in self.parameters if name not in set(self._matrices)]
        self._first = {name: torch.zeros_like(one) for name, one in self.parameters.items()}
        self._second = {name: torch.zeros_like(self.parameters[name]) for name in self._others}
        self.steps = 0

    def state(self) -> dict[str, Tensor]:
        """Return the state but for the number of steps, by name."""
        return {f"first.{name}": one for name, one in self._first.items()} | {
            f"second.{name}": one for name, one in self._second.items()
        }

    def restore(self, state: Mapping[str, Tensor], steps: int) -> None:
        """Take over a state."""
        for name, one in self.state().items():
            one.copy_(state[name])
        self.steps = steps

    @torch.no_grad()
    def step(self, rate: float) -> None:
        """Take a step with the gradients that the parameters have, and clear these."""
        self.steps += 1
        gradients = {name: one.grad for name, one in self.parameters.items() if one.grad is not None}
        norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(list(gradients.values()))))
        torch._foreach_mul_(list(gradients.values()), (self._clip / (norm + 1e-6)).clamp(max=1.0))
        self._muon([name for name in self._matrices if name in gradients], rate)
        self._adamw([name for name in self._others if name in gradients], rate)
        for one in self.parameters.values():
            one.grad = None

    def _adamw(self, names: list[str], rate: float) -> None:
        if not names:
            return
        parameters = [self.parameters[n] for n in names]
        gradients = [p.grad for p in parameters if p.grad is not None]
        first, second = [self._first[n] for n in names], [self._second[n] for n in names]
        one, two = _BETAS
        torch._foreach_lerp_(first, gradients, 1 - one)
        torch._foreach_mul_(second, two)
        torch._foreach_addcmul_(second, gradients, gradients, 1 - two)
        scale = sqrt(1 - two**self.steps)
        divisors = torch._foreach_sqrt(second)
        torch._foreach_add_(divisors, _EPSILON * scale)
        self._shrink([p for p in parameters if p.ndim > 1], rate)
        torch._foreach_addcdiv_(parameters, first, divisors, -rate * scale / (1 - one**self.steps))

    def _muon(self, names: list[str], rate: float) -> None:
        by_shape: dict[tuple[int, ...], list[tuple[str, Tensor]]] = {}
        for name in names:
            gradient, momentum = self.parameters[name].grad, self._first[name]
            assert gradient is not None
            momentum.lerp_(gradient, 1 - _MOMENTUM)
            step = gradient.lerp(momentum, _MOMENTUM)
            cut = _cut(name, step)
            by_shape.setdefault(tuple(cut.shape[1:]), []).append((name, cut))
        self._shrink([self.parameters[name] for name in names], rate)
        for shape, some in by_shape.items():
            steps = orthogonalised(torch.cat([cut for _, cut in some]))
            scale = 0.2 * sqrt(max(shape))
            for (name, _), step in zip(some, torch.split(steps, [len(cut) for _, cut in some]), strict=True):
                parameter = self.parameters[name]
                parameter.sub_(step.permute(1, 0, 2).reshape(parameter.shape), alpha=rate * scale)

    def _shrink(self, parameters: list[Tensor], rate: float) -> None:
        if parameters and self._decay:
            torch._foreach_mul_(parameters, 1 - rate * self._decay)


def _cut(name: str, matrix: Tensor) -> Tensor:
    """Cut a parameter into the matrices that stand side by side in it, shape (count, m, n)."""
    count = _MATRICES[name.rsplit(".", 1)[-1]]
    return matrix.reshape(len(matrix), count, -1).permute(1, 0, 2)
