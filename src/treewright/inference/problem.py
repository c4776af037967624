"""A problem ready to be solved: labels reduced into arcs, constraints applied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats, Mask, Real
from treewright.inference.charts.folding import Plan
from treewright.inference.charts.plans import plan_for
from treewright.inference.charts.programs import Program
from treewright.inference.kinds import check_scored
from treewright.inference.labels import label_direction, reduced
from treewright.inference.scores import Scores
from treewright.inference.search_space import SearchSpace

if TYPE_CHECKING:
    from treewright.inference.constraints import Constraints

__all__ = ["NoEndError", "NoTreeError", "Problem", "checked_direction"]


class NoTreeError(ValueError):
    """Every tree contains a forbidden part; ``clash`` has the constraints that cannot be obeyed together, if known."""

    def __init__(self, message: str, clash: Constraints | None = None) -> None:
        super().__init__(message)
        self.clash = clash


class NoEndError(ValueError):
    """So many trees would have to be listed that a search is given up."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Scores as a backend sees them: labels are reduced into the arcs, and constraints have become forbidden arcs."""

    scores: Scores  # as they were given
    arc: Floats  # (n+1, n+1): arc scores with labels reduced; minus infinity where there is no arc
    space: SearchSpace  # the trees that are searched

    @classmethod
    def of(cls, scores: Scores, space: SearchSpace, how: str) -> Problem:
        """Reduce labels by ``how`` (max or sum), and apply all constraints."""
        check_scored(scores.higher, space.factorization)
        arc = scores.arc.astype(np.float64, order="C")
        if scores.label is not None:
            with np.errstate(all="ignore"):
                arc += reduced(scores.label, how)
        arc = _dense_arcs(scores, arc)
        arc[:, 0] = -np.inf
        arc.reshape(-1)[:: len(arc) + 1] = -np.inf
        if scores.allowed is not None:
            arc[~scores.allowed] = -np.inf
        if scores.fixed_heads is not None:
            words = np.flatnonzero(scores.fixed_heads >= 0)
            words = words[words > 0]
            kept = arc[scores.fixed_heads[words], words]
            arc[:, words] = -np.inf
            arc[scores.fixed_heads[words], words] = kept
        return cls(scores, np.ascontiguousarray(arc), space)

    @classmethod
    def all_of(cls, batch: Sequence[Scores], space: SearchSpace, how: str) -> list[Problem]:
        """Prepare many problems; those of the same length that have arc scores and no constraints, in one array."""
        problems: list[Any] = [None] * len(batch)
        plain: dict[tuple[int, Any], list[int]] = {}
        for index, scores in enumerate(batch):
            if scores.label is None and scores.parts is None and scores.allowed is None and scores.fixed_heads is None:
                check_scored(scores.higher, space.factorization)
                plain.setdefault((len(scores.arc), scores.arc.dtype), []).append(index)
            else:
                problems[index] = cls.of(scores, space, how)
        for (size, _), indices in plain.items():
            arcs = np.array([batch[index].arc for index in indices], np.float64)
            arcs[:, :, 0] = -np.inf
            arcs.reshape(len(arcs), -1)[:, :: size + 1] = -np.inf
            for arc, index in zip(arcs, indices, strict=True):
                problems[index] = cls(batch[index], arc, space)
        return problems

    @classmethod
    def of_direction(cls, direction: Scores, scores: Scores, space: SearchSpace) -> Problem:
        """Reduce the labels of a direction in which scores move; entries of forbidden parts may be anything."""
        given, wanted = direction.arrays, scores.arrays
        for name, array in given.items():
            if name not in wanted:
                raise ValueError(f"the direction has {name}, which the scores do not have: add zeros to the scores")
            if array.shape != wanted[name].shape or direction.parts is not scores.parts:
                raise ValueError(f"{name} of the direction must have the same shape and parts as that of the scores")
        arrays = {name: given[name] if name in given else np.zeros(array.shape) for name, array in wanted.items()}
        full = Scores.unchecked(**arrays, parts=scores.parts)
        arc = full.arc.astype(np.float64)
        if scores.label is not None:
            with np.errstate(all="ignore"):
                arc += label_direction(scores, full)
        return cls(full, np.ascontiguousarray(_dense_arcs(scores, arc)), space)

    @property
    def program(self) -> Program:
        """The dynamic program for projective trees."""
        return Program(self.space.factorization, self.scores.last is not None)

    @property
    def plan(self) -> Plan:
        """The shape of the problem as a dynamic program."""
        return plan_for(self.program, self.arc, self.scores.parts)

    @property
    def higher(self) -> dict[str, Real]:
        """The scores of larger parts, as plans want them."""
        return self.scores.higher

    def higher_of_tree(self, name: str, array: Real, index: npt.NDArray[np.int64]) -> Floats:
        """Return the scores of the parts of one kind that a tree has."""
        parts = self.scores.parts
        if parts is None:
            return np.asarray(array[tuple(index.T)], np.float64)
        base = (parts.n + 2) ** np.arange(index.shape[1])
        wanted, order = np.unique(index @ base, return_inverse=True)
        keys = parts.rows(name) @ base
        places = np.searchsorted(wanted, keys)
        listed = np.flatnonzero(wanted[np.minimum(places, len(wanted) - 1)] == keys)
        found = np.full(len(wanted), -np.inf)  # what was pruned is forbidden
        found[places[listed]] = array[listed]
        return found[order]

    def has_no_tree(self) -> NoTreeError:
        """Make the error that says why all trees are forbidden."""
        allowed = self.arc > -np.inf
        for m in range(1, len(allowed)):
            if not allowed[:, m].any():
                return NoTreeError(f"no tree is possible: word {m} cannot get a head, every arc into it is forbidden")
        reached = _reached_from_root(allowed)
        if not reached.all():
            word = int(reached.argmin())
            return NoTreeError(f"no tree is possible: word {word} cannot be reached from the root along allowed arcs")
        kind = ("single-root " if self.space.single_root else "") + ("projective " if self.space.projective else "")
        return NoTreeError(
            f"no {kind}tree is possible: each contains a forbidden part, though every word can get a head"
        )


def _dense_arcs(scores: Scores, arc: Floats) -> Floats:
    """Return the numbers of arcs as a square; those that have not survived are minus infinity."""
    if scores.parts is None:
        return arc
    dense = np.full((scores.n + 1, scores.n + 1), -np.inf)
    dense[tuple(scores.parts.arc.T)] = arc
    return dense


def checked_direction(scores: Floats, direction: Floats) -> tuple[Floats, Floats]:
    """Scale a direction to numbers of at most one, zero where a score is forbidden; return also what it was scaled by.

    Both are of many problems, a row for each.
    """
    direction = np.where(scores > -np.inf, direction, 0.0)
    rows = direction.reshape(len(direction), -1)
    most = np.maximum(rows.max(axis=1), -rows.min(axis=1))
    if not np.isfinite(most).all():
        raise ValueError("the direction must be finite in all parts that are not forbidden")
    scales = np.ldexp(1.0, np.frexp(most)[1])  # a power of two, so that nothing is rounded
    rows /= scales[:, None]
    return direction, scales


def _reached_from_root(allowed: Mask) -> Mask:
    """Find the vertices that can be reached from the root."""
    reached = np.zeros(len(allowed), bool)
    pending = [0]
    reached[0] = True
    while pending:
        found = allowed[pending.pop()] & ~reached
        reached |= found
        pending += np.flatnonzero(found).tolist()
    return reached
