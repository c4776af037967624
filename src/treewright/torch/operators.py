"""The operators ``treewright::…``: what PyTorch sees of a backend, with gradients, for eager code and for compilers.

Log Z and the marginals μ are the two outputs of one operator, `sums`.  As μ = ∇ log Z, and as the Hessian H of log Z is
the Jacobian of μ and symmetric, the gradient of any function of both is

    g · μ + H v,

where g and v are the gradients with respect to log Z and to μ.  The product H v takes one more walk over the chart, and
only if v is not zero; there is no tape.  The marginals in the first term are outputs of the operator themselves, so
log Z can be differentiated twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch.library import custom_op

from treewright.inference import SearchSpace
from treewright.torch import cpu
from treewright.torch.padded import Backend, ByKind, Padded
from treewright.torch.pruned import parts_of, survivors_of

__all__ = ["argmax", "k_best", "log_partition", "sample", "sums"]

#: A batch as an operator takes it: tensors and plain values only.
_BATCH = (
    "Tensor[] scores, str kinds, Tensor lengths, Tensor? survivors, "
    "bool projective, bool single_root, str factorization, bool check"
)
Arguments: TypeAlias = tuple[list[Tensor], str, Tensor, Tensor | None, bool, bool, str, bool]


def _arguments(batch: Padded, check: bool) -> Arguments:
    """Return a batch as an operator takes it."""
    scores, kinds, space = list(batch.scores.values()), ",".join(batch.scores), batch.space
    survivors = None if batch.parts is None else survivors_of(batch.parts)
    return scores, kinds, batch.lengths, survivors, space.projective, space.single_root, space.factorization, check


def _batch(arguments: tuple[Any, ...]) -> Padded:
    """Return the batch that an operator was given."""
    scores, kinds, lengths, survivors, *space, _ = arguments
    parts = None if survivors is None else parts_of(survivors, lengths)
    return Padded(_by_kind(kinds, scores), lengths, SearchSpace(*space), parts)


def _by_kind(kinds: str, tensors: Sequence[Tensor]) -> ByKind:
    return dict(zip(kinds.split(","), tensors, strict=True))


def _backend(batch: Padded) -> Backend:
    """Return the backend for the device that the scores are on."""
    device = batch.lengths.device.type
    if device == "cpu":
        return cpu
    if device == "cuda":
        from treewright.torch import gpu

        return gpu
    raise ValueError(f"tensors are on {device!r}: move them to the CPU or to a CUDA device")


def _check(batch: Padded, arguments: tuple[Any, ...], fails: Callable[[], Tensor]) -> None:
    """Refuse sentences of a GPU that have no tree, if that is asked for; what is in main memory has been checked."""
    if arguments[-1] and batch.lengths.device.type != "cpu" and bool(fails().any()):
        cpu.log_partition(batch.to("cpu"))  # says what is wrong, and with which sentence


# --- log Z and marginals --------------------------------------------------------------------------------------------


def sums(batch: Padded, check: bool) -> tuple[Tensor, ByKind]:
    """Compute log Z and the marginals, both differentiable; ``check`` refuses scores that have no tree."""
    log_z, marginals = _sums(*_arguments(batch, check))
    return log_z, dict(zip(batch.scores, marginals, strict=True))


def log_partition(batch: Padded, check: bool) -> Tensor:
    """Compute log Z where nobody asks for a gradient."""
    found: Tensor = _log_partition(*_arguments(batch, check))
    return found


@custom_op("treewright::sums", mutates_args=(), schema=f"({_BATCH}) -> (Tensor, Tensor[])")
def _sums(*arguments: Any) -> tuple[Tensor, list[Tensor]]:
    batch = _batch(arguments)
    log_z, marginals = _backend(batch).sums(batch)
    _check(batch, arguments, lambda: ~log_z.isfinite())
    return log_z, list(marginals.values())


@_sums.register_fake
def _(*arguments: Any) -> tuple[Tensor, list[Tensor]]:
    return _totals(arguments), [_like(tensor) for tensor in arguments[0]]


@custom_op("treewright::log_partition", mutates_args=(), schema=f"({_BATCH}) -> Tensor")
def _log_partition(*arguments: Any) -> Tensor:
    batch = _batch(arguments)
    log_z = _backend(batch).log_partition(batch)
    _check(batch, arguments, lambda: ~log_z.isfinite())
    return log_z


@_log_partition.register_fake
def _(*arguments: Any) -> Tensor:
    return _totals(arguments)


@custom_op("treewright::tangents", mutates_args=(), schema=f"(Tensor[] direction, {_BATCH}) -> Tensor[]")
def _tangents(direction: list[Tensor], *arguments: Any) -> list[Tensor]:
    """Compute the Hessian of log Z times a direction."""
    batch = _batch(arguments)
    return list(_backend(batch).tangents(batch, _by_kind(arguments[1], direction)).values())


@_tangents.register_fake
def _(direction: list[Tensor], *arguments: Any) -> list[Tensor]:
    return [_like(tensor) for tensor in arguments[0]]


def _totals(arguments: tuple[Any, ...]) -> Tensor:
    arc: Tensor = arguments[0][0]
    return arc.new_empty(arc.shape[:1])


def _like(tensor: Tensor) -> Tensor:
    return torch.empty_like(tensor, memory_format=torch.contiguous_format)


def _keep(context: Any, arguments: tuple[Any, ...], *more: Tensor) -> None:
    """Keep a batch for the backward pass, and tensors beside it."""
    scores, kinds, lengths, survivors, *settings = arguments
    context.save_for_backward(lengths, survivors, *scores, *more)
    context.kinds, context.settings, context.count = kinds, settings, len(scores)
    context.set_materialize_grads(False)


def _kept(context: Any) -> tuple[Arguments, list[Tensor]]:
    lengths, survivors, *tensors = context.saved_tensors
    scores, more = tensors[: context.count], tensors[context.count :]
    return (scores, context.kinds, lengths, survivors, *context.settings), more


def _keep_sums(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, list[Tensor]]) -> None:
    _keep(ctx, inputs, *output[1])


def _gradient(ctx: Any, by_log_z: Tensor | None, by_marginals: list[Tensor | None]) -> tuple[Any, ...]:
    """Compute g · μ + H v."""
    arguments, marginals = _kept(ctx)
    gradient: list[Tensor | None] = [None] * len(marginals)
    if any(tensor is not None for tensor in by_marginals):
        gradient = list(_tangents(_direction(by_marginals, marginals), *arguments))
    if by_log_z is not None:
        for k, marginal in enumerate(marginals):
            direct, indirect = by_log_z.reshape(-1, *[1] * (marginal.ndim - 1)) * marginal, gradient[k]
            gradient[k] = direct if indirect is None else indirect + direct
    return gradient, *[None] * 7


def _direction(tensors: Sequence[Tensor | None], marginals: Sequence[Tensor]) -> list[Tensor]:
    """Return a direction: zero where there is no gradient, and where a part never occurs and H is zero."""
    return [
        torch.zeros_like(marginal) if tensor is None else torch.where(marginal > 0, tensor, 0.0)
        for tensor, marginal in zip(tensors, marginals, strict=True)
    ]


_sums.register_autograd(_gradient, setup_context=_keep_sums)


def _keep_tangents(ctx: Any, inputs: tuple[Any, ...], output: list[Tensor]) -> None:
    _keep(ctx, inputs[1:], *output)


def _gradient_of_tangents(ctx: Any, gradient: list[Tensor | None]) -> tuple[Any, ...]:
    """Compute H v once more: the tangents are linear in the direction, and H is symmetric."""
    if any(ctx.needs_input_grad[1]):
        raise NotImplementedError(
            "third derivatives of log Z are not computed: log_partition can be differentiated twice"
        )
    arguments, tangents = _kept(ctx)
    given = [torch.zeros_like(like) if one is None else one for one, like in zip(gradient, tangents, strict=True)]
    return list(_tangents(given, *arguments)), [None] * ctx.count, *[None] * 7


_tangents.register_autograd(_gradient_of_tangents, setup_context=_keep_tangents)


# --- trees ----------------------------------------------------------------------------------------------------------


def argmax(batch: Padded, check: bool) -> tuple[Tensor, Tensor]:
    """Find the best trees: their scores and heads."""
    scores, heads = _argmax(*_arguments(batch, check))
    return scores, heads


@custom_op("treewright::argmax", mutates_args=(), schema=f"({_BATCH}) -> (Tensor, Tensor)")
def _argmax(*arguments: Any) -> tuple[Tensor, Tensor]:
    batch = _batch(arguments)
    if batch.space.is_hard:
        scores, heads = cpu.argmax(batch.to("cpu"))
        return scores.to(batch.lengths.device), heads.to(batch.lengths.device)
    scores, heads = _backend(batch).argmax(batch)
    _check(batch, arguments, lambda: ~scores.isfinite())
    return scores, heads


@_argmax.register_fake
def _(*arguments: Any) -> tuple[Tensor, Tensor]:
    return _rows(arguments, ())


def k_best(batch: Padded, k: int, check: bool) -> tuple[Tensor, Tensor]:
    """Find the k best trees, in main memory: scores of shape (k, batch), minus infinity for those that are missing."""
    scores, heads = _k_best(k, *_arguments(batch, check))
    return scores, heads


@custom_op("treewright::k_best", mutates_args=(), schema=f"(int k, {_BATCH}) -> (Tensor, Tensor)")
def _k_best(k: int, *arguments: Any) -> tuple[Tensor, Tensor]:
    batch = _batch(arguments)
    scores, heads = cpu.k_best(batch.to("cpu"), k)
    return scores.to(batch.lengths.device), heads.to(batch.lengths.device)


@_k_best.register_fake
def _(k: int, *arguments: Any) -> tuple[Tensor, Tensor]:
    return _rows(arguments, (k,))


def sample(batch: Padded, size: int, seed: Tensor, check: bool) -> Tensor:
    """Draw trees; ``seed`` is a number in main memory, in a tensor so that compilers need not know it."""
    heads: Tensor = _sample(size, seed, *_arguments(batch, check))
    return heads


@custom_op("treewright::sample", mutates_args=(), schema=f"(int size, Tensor seed, {_BATCH}) -> Tensor")
def _sample(size: int, seed: Tensor, *arguments: Any) -> Tensor:
    batch = _batch(arguments)
    heads = _backend(batch).sample(batch, size, int(seed))
    _check(batch, arguments, lambda: heads[:1, :, 1] < 0)
    return heads


@_sample.register_fake
def _(size: int, seed: Tensor, *arguments: Any) -> Tensor:
    return _rows(arguments, (size,))[1]


def _rows(arguments: tuple[Any, ...], sizes: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    """Return empty scores and heads."""
    scores, lengths, survivors = arguments[0], arguments[2], arguments[3]
    square = scores[0] if survivors is None else survivors
    shape = *sizes, len(lengths)
    return scores[0].new_empty(shape), lengths.new_empty((*shape, square.shape[-1]))
