"""The backend for tensors in main memory: `treewright.inference`, which reads the scores where they are.

Sentences are divided among as many threads as PyTorch uses (``torch.get_num_threads()``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from treewright.arrays import Heads
from treewright.inference import Batch, Scores, Trees
from treewright.torch.padded import ByKind, Padded

__all__ = ["argmax", "k_best", "log_partition", "sample", "sums", "tangents"]

T = TypeVar("T")

#: Scores below this are sound, those of padding included; others are looked at sentence by sentence.
SOUND = 1e30


def sums(batch: Padded) -> tuple[Tensor, ByKind]:
    """Compute log Z and the marginals."""
    dtype = np.float64 if batch.scores["arc"].dtype == torch.float64 else np.float32
    answers = _ask(batch, lambda trees, scores: trees.expectations(scores, dtype))
    return _tensor([log_z for log_z, _ in answers], batch), _padded([marginals for _, marginals in answers], batch)


def log_partition(batch: Padded) -> Tensor:
    """Compute log Z alone."""
    return _tensor(_ask(batch, Batch.log_partition), batch)


def tangents(batch: Padded, direction: ByKind) -> ByKind:
    """Compute the derivative of the marginals along a direction."""
    along = _sentences(Padded(direction, batch.lengths, batch.space, batch.parts), Scores.unchecked)
    return _padded(_trees(batch).tangents(_sentences(batch, Scores.unchecked), along), batch)


def argmax(batch: Padded) -> tuple[Tensor, Tensor]:
    """Find the best trees."""
    parses = _ask(batch, Batch.argmax)
    heads = _rows([parse.heads[None] for parse in parses], 1, batch)
    return _tensor([parse.score for parse in parses], batch), heads[0]


def k_best(batch: Padded, k: int) -> tuple[Tensor, Tensor]:
    """Find the k best trees; where there are fewer, scores are minus infinity and heads -1."""
    ranked = _ask(batch, lambda trees, scores: trees.k_best(scores, k))
    values = np.full((k, len(ranked)), -np.inf)
    for sentence, parses in enumerate(ranked):
        values[: len(parses), sentence] = [parse.score for parse in parses]
    heads = [np.stack([parse.heads for parse in parses]) for parses in ranked] if k else []
    return _tensor(values, batch), _rows(heads, k, batch)


def sample(batch: Padded, size: int, seed: int) -> Tensor:
    """Draw trees."""
    return _rows(_ask(batch, lambda trees, scores: trees.sample(scores, size, seed)), size, batch)


def _trees(batch: Padded) -> Batch:
    space = batch.space
    return Trees(space.projective, space.single_root, space.factorization).batch(torch.get_num_threads())


def _ask(batch: Padded, question: Callable[[Batch, list[Scores]], list[T]]) -> list[T]:
    """Ask a question about all sentences; an error names the sentence."""
    trees, sentences = _trees(batch), _sentences(batch, Scores)
    try:
        return question(trees, sentences)
    except ValueError:
        for index, scores in enumerate(sentences):
            try:
                question(trees, [scores])
            except ValueError as error:
                raise _named(error, index) from None
        raise


def _sentences(batch: Padded, make: Callable[..., Scores]) -> list[Scores]:
    """Return the scores of each sentence, as views into the tensors."""
    arrays = {kind: tensor.detach().numpy() for kind, tensor in batch.scores.items()}
    longest, found = batch.scores["arc"].shape[1] - 1, []
    if all(array.max(initial=-np.inf) < SOUND for array in arrays.values()):  # shapes have been checked
        make = Scores.unchecked
    for index, n in enumerate(batch.lengths.tolist()):
        own = {kind: array[index] for kind, array in arrays.items()}
        if batch.parts is not None:
            parts = own["parts"] = batch.parts[index]
            own |= {kind: own[kind][: parts.count(kind)] for kind in arrays}
        elif n < longest:
            own = {kind: array[tuple(slice(min(size, n + 1)) for size in array.shape)] for kind, array in own.items()}
        try:
            found.append(make(**own))
        except ValueError as error:
            raise _named(error, index) from None
    return found


def _named(error: ValueError, sentence: int) -> ValueError:
    """Return an error that names the sentence."""
    return type(error)(f"sentence {sentence}: {error}")


def _padded(answers: Sequence[Scores], batch: Padded) -> ByKind:
    """Put one array for each sentence into tensors of the shapes of the scores, with zeros around them."""
    tensors = {}
    for kind, scores in batch.scores.items():
        arrays = [getattr(answer, kind) for answer in answers]
        whole = arrays[0].base
        if whole is not None and whole.shape == scores.shape and all(array.base is whole for array in arrays):
            tensors[kind] = torch.from_numpy(whole).to(scores.dtype)  # they were computed together, in this order
            continue
        tensor = tensors[kind] = torch.zeros_like(scores, memory_format=torch.contiguous_format)
        for row, found in zip(tensor.numpy(), arrays, strict=True):
            row[tuple(map(slice, found.shape))] = found
    return tensors


def _tensor(values: Any, batch: Padded) -> Tensor:
    return torch.as_tensor(values, dtype=batch.scores["arc"].dtype)


def _rows(heads: Sequence[Heads], count: int, batch: Padded) -> Tensor:
    """Put the heads of up to ``count`` trees of each sentence into one tensor, with -1 around them."""
    longest = batch.scores["arc"].shape[1] if batch.parts is None else 1 + max(parts.n for parts in batch.parts)
    rows = np.full((count, len(batch.lengths), longest), -1, np.int64)
    for index, found in enumerate(heads):
        rows[: len(found), index, : found.shape[1]] = found
    return torch.from_numpy(rows)
