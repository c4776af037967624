"""The tables of a batch: made once for each shape, and kept on its device."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from treewright.torch.gpu.tables import Packed, Table, pack
from treewright.torch.padded import Padded

if TYPE_CHECKING:
    import torch

    from treewright.inference import Parts

__all__ = ["Shape", "packed"]


class Shape(NamedTuple):
    """What a table depends on, beside surviving parts."""

    factorization: str
    last: bool  # whether last modifiers are scored
    single_root: bool
    n: int
    size: int  # the length of the axes of dense scores; 0 for parts


#: Packed tables that are kept, at most.
KEPT = 16

_dense: dict[Shape, Table] = {}
_pruned: WeakKeyDictionary[Parts, dict[Shape, Table]] = WeakKeyDictionary()
_packed: dict[tuple[object, ...], Packed] = {}


def _table(shape: Shape, parts: Parts | None) -> Table:
    kept = _dense if parts is None else _pruned.setdefault(parts, {})
    if shape not in kept:
        from treewright.torch.gpu.hypergraphs import table_of

        kept[shape] = table_of(shape.factorization, shape.last, shape.single_root, shape.n, shape.size, parts)
    return kept[shape]


def packed(batch: Padded) -> Packed:
    """Return the tables of a batch on its device."""
    space, kinds, arc = batch.space, tuple(batch.scores), batch.scores["arc"]
    size = arc.shape[1] if batch.parts is None else 0
    pruned: list[Parts | None] = list(batch.parts or [None] * len(arc))
    shapes = [Shape(space.factorization, "last" in kinds, space.single_root, n, size) for n in _lengths(batch.lengths)]
    key = (kinds, arc.device, *shapes, *map(id, pruned))
    if key not in _packed:
        tables = [_table(shape, parts) for shape, parts in zip(shapes, pruned, strict=True)]
        while len(_packed) >= KEPT:
            _packed.pop(next(iter(_packed)))
        _packed[key] = pack(tables, batch.scores, batch.parts)
    return _packed[key]


def _lengths(lengths: torch.Tensor) -> list[int]:
    return [int(n) for n in lengths.tolist()]
