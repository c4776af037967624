"""Trees given by their heads, as tensors: check them, and list their parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.distributions.constraints import Constraint

from treewright.inference.kinds import FACTORIZATIONS, PartKind

if TYPE_CHECKING:
    from treewright.inference import SearchSpace

__all__ = ["TreeConstraint", "are_words", "parts_of_trees"]


def are_words(lengths: Tensor, size: int) -> Tensor:
    """Return which of the root, the words and the padding are words: bool, of shape (batch, size)."""
    places = torch.arange(size, device=lengths.device)
    return (places > 0) & (places <= lengths[:, None])


class TreeConstraint(Constraint):
    """The heads of trees of a kind, -1 or anything else at the root and in padding.

    Parameters
    ----------
    lengths : int64 tensor, shape (batch,)
    space : SearchSpace
    """

    is_discrete = True
    event_dim = 1

    def __init__(self, lengths: Tensor, space: SearchSpace) -> None:
        self._lengths, self._space = lengths, space
        super().__init__()

    def check(self, value: Tensor) -> Tensor:
        """Return which of the heads, of shape (…, batch, N), are trees."""
        found: Tensor = torch.stack([valid for _, valid in self.reasons(value)]).all(dim=0)
        return found

    def refuse_others(self, heads: Tensor) -> None:
        """Refuse heads that are not trees, and say why."""
        for reason, valid in self.reasons(heads):
            if not bool(valid.all()):
                sentence = int((~valid).nonzero()[0, -1])
                raise ValueError(f"sentence {sentence}: the tree {reason}")

    def reasons(self, heads: Tensor) -> list[tuple[str, Tensor]]:
        """Return what must hold of heads, each with the trees of which it does."""
        size = heads.shape[-1]
        words, places = are_words(self._lengths, size), torch.arange(size, device=heads.device)
        inside = (heads >= 0) & (heads <= self._lengths[:, None]) & (heads != places)
        above = torch.where(words & inside, heads, 0)
        ancestors = above
        for _ in range(size.bit_length()):  # each step doubles the distance to the ancestor
            ancestors = ancestors.gather(-1, ancestors)
        found = [
            ("has a head that is not another word of the sentence, or 0 for the root", (inside | ~words).all(-1)),
            ("has a cycle", (ancestors == 0).all(-1)),
        ]
        if self._space.single_root:
            found.append(("has several roots, but single_root is True", ((above == 0) & words).sum(-1) == 1))
        if self._space.projective:
            found.append(("has arcs that cross, but projective is True", ~_crosses(above, words)))
        return found


def _crosses(above: Tensor, words: Tensor) -> Tensor:
    """Return which trees have two arcs that cross."""
    places = torch.arange(above.shape[-1], device=above.device)
    left, right = torch.minimum(above, places), torch.maximum(above, places)
    left, right = torch.where(words, left, 0), torch.where(words, right, 0)
    first, last, start, end = left[..., :, None], right[..., :, None], left[..., None, :], right[..., None, :]
    crosses: Tensor = ((first < start) & (start < last) & (last < end)).flatten(-2).any(-1)
    return crosses


def parts_of_trees(heads: Tensor, lengths: Tensor, factorization: str) -> dict[str, tuple[Tensor, Tensor]]:
    """List the parts of trees, by kind; an index that does not exist repeats h.

    Words are sorted by head, side and distance, so that the next modifier inside is the one before.

    Parameters
    ----------
    heads : int64 tensor, shape (…, batch, N)
    lengths : int64 tensor, shape (batch,)
    factorization : str

    Returns
    -------
    dict
        For each kind, the indices of parts, of shape (…, batch, most parts, indices), and which of them there are.
    """
    size, model = heads.shape[-1], FACTORIZATIONS[factorization]
    places = torch.arange(size, device=heads.device)
    above = torch.where(are_words(lengths, size), heads, 0)
    distance = (places - above).abs()
    keys = torch.where(are_words(lengths, size), (2 * above + (places > above)) * size + distance, 2 * size * size)
    keys, m = keys.sort(-1)
    side = keys // size
    exists, follows, outermost = side < 2 * size, side == side.roll(1, -1), side != side.roll(-1, -1)
    h = above.gather(-1, m)
    g, s = above.gather(-1, h), torch.where(follows, m.roll(1, -1), h)
    letters = {"g": g, "h": h, "m": m, "s": s, "t": torch.where(follows, s.roll(1, -1), h)}
    parts = {}
    for kind in model.kinds:
        if kind is PartKind.LAST:
            parts[str(kind)] = _last(m, torch.where(exists & outermost, side, 2 * size), lengths)
            continue
        index, some = torch.stack([letters[letter] for letter in kind.indices], -1), exists
        if model.outermost and kind.can_cross:
            some = exists & outermost
        if model.inner and kind is PartKind.GRANDCHILD:  # (g, h, m), and also (g, h, s) if there is an s
            index = torch.cat([index, torch.stack([g, h, s], -1)], -2)
            some = torch.cat([some, some & (s != h)], -1)
        parts[str(kind)] = index, some
    return parts


def _last(m: Tensor, side: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """List the last modifiers (h, s, side) of all heads; ``side`` is 2h or 2h + 1 where m is one, 2N elsewhere."""
    size = m.shape[-1]
    sides = torch.arange(2 * size + 1, device=m.device)
    none = (sides // 2).expand(*m.shape[:-1], -1)
    index = torch.stack([none, none.scatter(-1, side, m), (sides % 2).expand_as(none)], -1)
    exists = (sides > 0) & (sides < 2 * (lengths[:, None] + 1))
    return index[..., :-1, :], exists[:, :-1].expand(*m.shape[:-1], -1)
