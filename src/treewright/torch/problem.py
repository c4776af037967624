"""A batch of sentences as a user describes it: any leading shape, labels, masks, fixed heads, lengths, pruned parts."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from treewright.inference import Parts, SearchSpace
from treewright.inference.kinds import PartKind, check_scored
from treewright.torch.heads import are_words, parts_of_trees
from treewright.torch.padded import ByKind, Padded
from treewright.torch.pruned import Numbering

__all__ = ["Problem"]


@dataclass(frozen=True, eq=False)
class Problem:
    """Scores with all that restricts trees; leading dimensions are flattened into one.

    Attributes
    ----------
    scores : dict
        Tensors by kind of part, without labels, all float32 or all float64.
    label : tensor, optional
        Scores of labels, one dimension more than those of arcs.
    permitted : bool tensor, optional
        Which arcs there are, in the shape of their scores; None if only those do not exist that are in no tree.
    lengths : int64 tensor, shape (batch,)
    size : int
        N, the largest number of words there is space for, plus 1.
    space : SearchSpace
    parts : tuple of Parts, optional
    """

    scores: ByKind
    label: Tensor | None
    permitted: Tensor | None
    lengths: Tensor
    size: int
    space: SearchSpace
    parts: tuple[Parts, ...] | None

    @classmethod
    def of(
        cls,
        scores: Mapping[str, Tensor],
        space: SearchSpace,
        lengths: Tensor | Sequence[int] | None,
        allowed: Tensor | None,
        fixed_heads: Tensor | None,
        parts: Sequence[Parts] | None,
    ) -> tuple[torch.Size, Problem]:
        """Return the shape of a batch, and what it describes; ``scores`` may have labels among them."""
        arc, dtype = scores["arc"], _common_type(scores)
        check_scored((kind for kind in scores if kind != "label"), space.factorization)
        shape = arc.shape[: -2 if parts is None else -1]
        _check_shapes(scores, shape, parts)
        size = arc.shape[-1] if parts is None else 1 + max(one.n for one in parts)
        flat = {kind: one.to(dtype).reshape(-1, *one.shape[len(shape) :]) for kind, one in scores.items()}
        label = flat.pop("label", None)
        if lengths is None and parts is None:
            counts = torch.full(shape, size - 1, device=arc.device)
        else:
            known = lengths if lengths is not None else torch.tensor([one.n for one in parts or ()]).reshape(shape)
            counts = torch.as_tensor(known, dtype=torch.int64, device=arc.device).expand(shape)
        listed = None if parts is None else tuple(parts)
        problem = cls(flat, label, None, counts.reshape(-1), size, space, listed)
        restrictions = [
            None if allowed is None else _whole("allowed", allowed, shape, (size, size), arc.device).bool(),
            None if fixed_heads is None else _whole("fixed_heads", fixed_heads, shape, (size,), arc.device),
        ]
        return shape, problem._restricted(*restrictions)

    def _restricted(self, allowed: Tensor | None, fixed_heads: Tensor | None) -> Problem:
        """Forbid arcs; with labels, also those that do not exist, whose labels may hold anything."""
        if self.label is allowed is fixed_heads is None:
            return self
        words = are_words(self.lengths, self.size)
        places = torch.arange(self.size, device=self.lengths.device)
        permitted = words[:, None, :] & (places <= self.lengths[:, None])[:, :, None]
        permitted = permitted & (places[:, None] != places)
        if allowed is not None:
            permitted = permitted & allowed
        if fixed_heads is not None:
            fixed = fixed_heads[:, None, :]
            permitted = permitted & ((fixed < 0) | (fixed == places[:, None]))
        return replace(self, permitted=self.of_arcs(permitted, False))

    def refuse_hard(self, question: str) -> None:
        """Refuse a question about trees that only have a mode."""
        if self.space.is_hard:
            raise NotImplementedError(
                f"{question} of trees that need not be projective, with {self.space.factorization!r} scores, is "
                "intractable; mode is found: for the other questions, use factorization='arc', or projective=True"
            )

    def check(self, fixed_heads: Tensor | None, batch_shape: torch.Size) -> None:
        """Refuse lengths, and heads that are known, which no sentence of this size has."""
        wrong = (self.lengths < 1) | (self.lengths >= self.size)
        if bool(wrong.any()):
            sentence = int(wrong.nonzero()[0, 0])
            count = int(self.lengths[sentence])
            raise ValueError(f"sentence {sentence}: it has {count} words, but there is space for 1 to {self.size - 1}")
        if fixed_heads is not None:
            fixed = fixed_heads.to(self.lengths.device).expand(*batch_shape, -1).reshape(-1, self.size)
            places = torch.arange(self.size, device=fixed.device)
            wrong = (fixed < -1) | (fixed > self.lengths[:, None]) | (fixed == places)
            wrong &= are_words(self.lengths, self.size)
            if bool(wrong.any()):
                sentence, word = wrong.nonzero()[0].tolist()
                head = f"fixed_heads[{word}] is {int(fixed[sentence, word])}"
                raise ValueError(f"sentence {sentence}: {head}: a head is another word, 0 for the root, or -1 if free")

    @functools.cached_property
    def numbering(self) -> Numbering:
        """The numbers of the parts of pruned sentences."""
        assert self.parts is not None
        return Numbering(self.parts, self.lengths.device)

    def of_arcs(self, square: Tensor, padding: float | bool) -> Tensor:
        """Return what an array (batch, N, N) has for each arc, in the shape of their scores."""
        if self.parts is None:
            return square
        h, m = self.numbering.arcs.unbind(-1)
        sentences = torch.arange(len(square), device=square.device)[:, None]
        return torch.where(h >= 0, square[sentences, h.clamp(min=0), m.clamp(min=0)], padding)

    def batch(self, how: str | None = None) -> Padded:
        """Reduce labels by ``how`` (max or sum; None to leave them out), and forbid arcs by minus infinity."""
        scores, permitted = dict(self.scores), self.permitted
        if permitted is not None:
            scores["arc"] = torch.where(permitted, scores["arc"], -math.inf)
            if self.label is not None and how is not None:
                usable, label = self._usable_labels
                reduced = label.amax(-1) if how == "max" else label.logsumexp(-1)
                scores["arc"] = scores["arc"] + torch.where(usable, reduced, -math.inf)
        return Padded(scores, self.lengths, self.space, self.parts)

    @property
    def _usable_labels(self) -> tuple[Tensor, Tensor]:
        """Return which arcs have a label that is not forbidden, and label scores with zeros for the other arcs.

        The gradient of a log-sum of nothing but minus infinity is not a number, even where it is not used.
        """
        assert self.label is not None
        assert self.permitted is not None
        usable = self.permitted & (self.label.detach().amax(-1) != -math.inf)
        return usable, torch.where(usable[..., None], self.label, 0.0)

    def label_shares(self) -> Tensor:
        """Return the probability of each label, given its arc."""
        return self._usable_labels[1].softmax(-1)

    def agrees(self, heads: Tensor) -> Tensor:
        """Return which arcs agree with heads, of shape (batch, N), -1 where not known: bool, of shape (batch, N, N)."""
        places = torch.arange(self.size, device=heads.device)
        return (heads[:, None, :] < 0) | (heads[:, None, :] == places[:, None])

    def has_other_label(self, labels: Tensor) -> Tensor:
        """Return which label scores are of another label than a word is known to have, of shape (batch, N)."""
        if self.label is None:
            raise ValueError("labels are given, but there are no label scores")
        of_arcs = self.of_arcs(labels[:, None, :].expand(-1, self.size, -1), -1)[..., None]
        return (of_arcs >= 0) & (of_arcs != torch.arange(self.label.shape[-1], device=labels.device))

    # --- trees ----------------------------------------------------------------------------------------------------

    def score(self, heads: Tensor, labels: Tensor | None, reduced: Padded) -> Tensor:
        """Add up the scores of the parts of trees, of shape (…, batch, N).

        Without labels, arcs score what labels have been ``reduced`` to.
        """
        arcs = reduced if labels is None else self.batch()
        total = heads.new_zeros((), dtype=self.scores["arc"].dtype)
        for kind, (index, exists) in parts_of_trees(heads, self.lengths, self.space.factorization).items():
            if kind not in self.scores:
                continue
            scores = arcs.scores[kind]
            total = total + torch.where(exists, self._taken(scores, kind, index, -math.inf), 0.0).sum(-1)
            if kind == "arc" and labels is not None:
                assert self.label is not None
                chosen = labels.clamp(min=0).gather(-1, index[..., 1])
                rows = self._taken(self.label, kind, index, -math.inf)
                total = total + torch.where(exists, rows.gather(-1, chosen[..., None])[..., 0], 0.0).sum(-1)
        return total

    def best_labels(self, heads: Tensor) -> Tensor:
        """Find the best label of each arc of trees, of shape (…, batch, N); -1 at the root and in padding."""
        if self.label is None:
            raise ValueError("there are no scores of labels: give TreeDistribution label=…")
        words = are_words(self.lengths, self.size)
        places = torch.arange(self.size, device=heads.device).expand_as(heads)
        index = torch.stack([torch.where(words, heads, 0), places], -1)
        best = self._taken(self.label.detach(), "arc", index, -math.inf).argmax(-1)
        return torch.where(words, best, -1)

    def _taken(self, tensor: Tensor, kind: str, index: Tensor, pruned: float) -> Tensor:
        """Take the entries of parts, ``index`` of shape (…, batch, parts, indices), out of a tensor."""
        sentences = torch.arange(len(tensor), device=tensor.device)[:, None]
        if self.parts is None:
            dense: Tensor = tensor[(sentences, *index.unbind(-1))]
            return dense
        number = self.numbering.of(kind, index)
        survives = number >= 0
        taken = tensor[sentences, number.clamp(min=0)]
        return torch.where(survives if taken.ndim == number.ndim else survives[..., None], taken, pruned)


def _common_type(scores: Mapping[str, Tensor]) -> torch.dtype:
    """Return the type to compute in: float32 for shorter floats."""
    for kind, tensor in scores.items():
        if not tensor.is_floating_point():
            raise ValueError(f"{kind} holds {tensor.dtype}: scores must be floating-point numbers")
    widest = functools.reduce(torch.promote_types, (tensor.dtype for tensor in scores.values()))
    return widest if widest == torch.float64 else torch.float32


def _check_shapes(scores: Mapping[str, Tensor], batch: torch.Size, parts: Sequence[Parts] | None) -> None:
    """Refuse scores whose shapes do not go together."""
    arc = scores["arc"]
    if parts is not None:
        if len(parts) != math.prod(batch):
            raise ValueError(f"arc has shape {tuple(arc.shape)}, but there are parts of {len(parts)} sentences")
        for kind, tensor in scores.items():
            most = max(one.count("arc" if kind == "label" else kind) for one in parts)
            if tensor.shape[: len(batch)] != batch or tensor.ndim == len(batch) or tensor.shape[len(batch)] < most:
                wanted = ", ".join(map(str, (*batch, most, *(["L"] if kind == "label" else []))))
                raise ValueError(f"{kind} has shape {tuple(tensor.shape)}: beside these parts it must be ({wanted})")
        return
    if arc.ndim < 2 or arc.shape[-1] != arc.shape[-2] or arc.shape[-1] < 2:
        raise ValueError(f"arc has shape {tuple(arc.shape)}: it must be (…, n+1, n+1), with the root at index 0")
    n = arc.shape[-1] - 1
    for kind, tensor in scores.items():
        event = (n + 1, n + 1, tensor.shape[-1]) if kind == "label" else PartKind(kind).shape(n)
        if tensor.shape != (*batch, *event) or tensor.shape[-1] == 0:
            wanted = ", ".join(map(str, (*batch, *event[:2], "L") if kind == "label" else (*batch, *event)))
            raise ValueError(f"{kind} has shape {tuple(tensor.shape)}: beside this arc it must be ({wanted})")


def _whole(name: str, tensor: Tensor, batch: torch.Size, event: tuple[int, ...], device: torch.device) -> Tensor:
    """Return a tensor for all sentences, which may have been given for fewer dimensions."""
    tensor = torch.as_tensor(tensor, device=device)
    if tensor.shape[-len(event) :] != event:
        wanted = ", ".join(map(str, (*batch, *event)))
        raise ValueError(f"{name} has shape {tuple(tensor.shape)}: beside this arc it must be ({wanted})")
    return tensor.expand(*batch, *event).reshape(-1, *event)
