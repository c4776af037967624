"""A `TreeDistribution` behind the methods of `Trees`, so that the laws of inference can be asked of it."""

from dataclasses import dataclass

import numpy as np
import torch

from treewright.inference import Parse, Scores
from treewright.torch import TreeDistribution

#: What stands in padding: it must not matter.
JUNK = float("nan")


def padded(arrays: list[np.ndarray], fill: float = JUNK) -> torch.Tensor:
    """Arrays of one kind, for sentences of different lengths, in one tensor."""
    shape = np.max([array.shape for array in arrays], axis=0)
    whole = np.full((len(arrays), *shape), fill, arrays[0].dtype)
    for row, array in zip(whole, arrays, strict=True):
        row[tuple(map(slice, array.shape))] = array
    return torch.from_numpy(whole)


def plain_labels(scores: Scores, count: int) -> np.ndarray:
    """Label scores, such that one label is as good as none where there are none."""
    if scores.label is not None:
        return scores.label.astype(np.float64)
    label = np.full((*scores.arc.shape, count), -np.inf)
    label[..., 0] = 0.0
    return label


def distribution(batch: list[Scores], device: str = "cpu", **kind) -> TreeDistribution:
    """The distribution of a batch of sentences, in float64."""
    tensors = {
        name: padded([getattr(scores, name) for scores in batch]).double()
        for name in batch[0].arrays
        if name != "label"
    }
    labels = [scores.label.shape[-1] for scores in batch if scores.label is not None]
    if labels:
        tensors["label"] = padded([plain_labels(scores, labels[0]) for scores in batch])
    if batch[0].allowed is not None:
        tensors["allowed"] = padded([scores.allowed for scores in batch], False)
    if batch[0].fixed_heads is not None:
        tensors["fixed_heads"] = padded([scores.fixed_heads.astype(np.int64) for scores in batch], -1)
    tensors = {name: tensor.to(device) for name, tensor in tensors.items()}
    return TreeDistribution(**tensors, lengths=[scores.n for scores in batch], **kind)


@dataclass(frozen=True)
class TorchBatch:
    """The methods of `treewright.inference.Batch`."""

    projective: bool = True
    single_root: bool = True
    factorization: str = "arc"
    device: str = "cpu"

    def of(self, batch: list[Scores]) -> TreeDistribution:
        kind = {"projective": self.projective, "single_root": self.single_root, "factorization": self.factorization}
        return distribution(batch, self.device, **kind)

    def argmax(self, batch):
        if not batch:
            return []
        trees = self.of(batch)
        return self._parses(batch, trees, trees.mode)

    def mbr(self, batch):
        if not batch:
            return []
        trees = self.of(batch)
        heads = trees.mbr()
        expected = TreeDistribution(
            arc=trees.marginals.arc, lengths=trees.problem.lengths, projective=False, single_root=False
        )
        return self._parses(batch, trees, heads, expected.score(heads))

    def _parses(self, batch, trees, heads, values=None):
        labels = trees.best_labels(heads) if "label" in trees.scores else None
        values = trees.score(heads, labels) if values is None else values
        found = []
        for index, scores in enumerate(batch):
            own = None if labels is None or scores.label is None else array_of(labels[index, : scores.n + 1])
            found.append(Parse(array_of(heads[index, : scores.n + 1]), own, values[index].item()))
            assert (heads[index, scores.n + 1 :] == -1).all()
        return found

    def k_best(self, batch, k):
        if not batch:
            return []
        trees = self.of(batch)
        heads, scores = trees.k_best(k)
        ranked = [[] for _ in batch]
        for row, values in zip(heads, scores, strict=True):
            some = row.clone()
            some[values == -np.inf] = trees.mode[values == -np.inf]
            for parses, parse, value in zip(ranked, self._parses(batch, trees, some, values), values, strict=True):
                parses += [parse] if value > -np.inf else []
        return ranked

    def log_partition(self, batch):
        return self.of(batch).log_partition.tolist() if batch else []

    def entropy(self, batch):
        return self.of(batch).entropy().tolist() if batch else []

    def marginals(self, batch):
        if not batch:
            return []
        return self._numbers(batch, vars(self.of(batch).marginals))

    def tangents(self, batch, directions):
        """The product of the Jacobian of the marginals and a direction: its gradient as an outer gradient."""
        if not batch:
            return []
        trees = self.of(batch)
        for tensor in trees.scores.values():
            tensor.requires_grad_()
        marginals = vars(trees.replace().marginals)
        along = {}
        for name in trees.scores:
            rows = []
            for scores, direction in zip(batch, directions, strict=True):
                like = plain_labels(scores, 3) if name == "label" else getattr(scores, name)
                row = getattr(direction, name)
                rows.append(np.zeros(like.shape) if row is None else row)
            along[name] = padded(rows, 0.0).to(self.device)
        outputs = [marginals[name] for name in trees.scores]
        gradients = torch.autograd.grad(outputs, list(trees.scores.values()), list(along.values()))
        return self._numbers(batch, dict(zip(trees.scores, gradients, strict=True)))

    def _numbers(self, batch, tensors):
        found = []
        for index, scores in enumerate(batch):
            arrays = {}
            for name in scores.arrays:
                tensor = tensors[name][index]
                inside = tuple(slice(size) for size in getattr(scores, name).shape)
                arrays[name] = tensor[inside].cpu().numpy().copy()
                tensor[inside] = 0
                assert (tensor == 0).all()
            found.append(Scores.unchecked(**arrays))
        return found

    def sample(self, batch, size, seed=0):
        if not batch:
            return []
        torch.manual_seed(seed)
        heads = self.of(batch).sample((size,))
        return [array_of(heads[:, index, : scores.n + 1]) for index, scores in enumerate(batch)]

    def score(self, batch, heads, labels=None):
        if not batch:
            return []
        trees = self.of(batch)
        rows = padded([np.asarray(row, np.int64) for row in heads], -1).to(self.device)
        best = None if "label" not in trees.scores else trees.best_labels(rows)
        given = best if labels is None else padded([np.asarray(row, np.int64) for row in labels], -1).to(self.device)
        return trees.score(rows, given).tolist()

    def log_prob(self, batch, heads, labels=None):
        if not batch:
            return []
        rows = padded([np.asarray(row, np.int64) for row in heads], -1).to(self.device)
        given = None if labels is None else padded([np.asarray(row, np.int64) for row in labels], -1).to(self.device)
        return self.of(batch).log_prob(rows, given).tolist()


def array_of(heads: torch.Tensor) -> np.ndarray:
    return heads.cpu().numpy().astype(np.int32)


class TorchTrees(TorchBatch):
    """The methods of `treewright.inference.Trees`: a batch of one."""

    def batch(self, threads: int = 1) -> TorchBatch:
        return TorchBatch(self.projective, self.single_root, self.factorization, self.device)


def _single(name):
    def ask(self, scores, *arguments):
        listed = name in ("score", "log_prob", "tangents")
        rest = [[one] for one in arguments] if listed else arguments
        [answer] = getattr(TorchBatch, name)(self, [scores], *rest)
        return answer

    return ask


for _name in (
    "argmax",
    "mbr",
    "k_best",
    "log_partition",
    "entropy",
    "marginals",
    "tangents",
    "sample",
    "score",
    "log_prob",
):
    setattr(TorchTrees, _name, _single(_name))
