"""From the text of a dynamic program to a table: a walk that lists the rows instead of adding anything up.

So there is one text for each program, on the CPU and on GPUs.  A table depends on the shape of a problem alone, not on
its scores.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.arrays import Floats, Ints, Mask, Places
from treewright.inference.charts.folding import Plan
from treewright.inference.charts.plans import plan_for
from treewright.inference.charts.programs import Program
from treewright.inference.charts.walks import Chart, Function, Walk, do_nothing, jitable
from treewright.inference.kinds import FACTORIZATIONS, PartKind
from treewright.inference.parts import Parts
from treewright.kernels import kernel
from treewright.torch.gpu.tables import HAS_B, HAS_P, ONCE, SHARES_A, Table

__all__ = ["table_of"]

#: Numbers of a row in the list: t, copy, a, b, p, length.
ROW = 6


@jitable
def _never(c: Chart, t: int, copy: int) -> Any:
    return False


@jitable
def _begin(c: Chart, t: int, copy: int) -> Any:
    return t, copy


def _list(has_b: bool, has_p: bool) -> Function:
    @jitable
    def visit(c: Chart, state: Any, a: int, b: int, p: int, length: int) -> Any:
        place = 1 + ROW * int(c.part_adjoint[0])
        if length > 0:
            c.part_adjoint[0] += 1
            if place + ROW <= len(c.part_adjoint):
                c.part_adjoint[place] = state[0]
                c.part_adjoint[place + 1] = state[1]
                c.part_adjoint[place + 2] = a
                c.part_adjoint[place + 3] = b if has_b else -1
                c.part_adjoint[place + 4] = p if has_p else -1
                c.part_adjoint[place + 5] = length
        return state

    return visit


ROWS = Walk.of(True, _never, _begin, _list, do_nothing)


@functools.cache
def _lister(program: Program) -> Callable[[Floats, Any, bool], None]:
    walk = program.rules(ROWS)

    def run(rows: Floats, shape: Any, single_root: bool) -> None:
        walk(Chart(rows, rows, rows, rows, np.zeros(1, np.uint64)), shape, single_root)

    return kernel(run)


def _rows(plan: Plan, single_root: bool) -> Ints:
    """List the rows of a program in its own order."""
    capacity = 1 << 12
    while True:
        rows = np.zeros(1 + ROW * capacity)
        _lister(plan.program)(rows, plan.shape, single_root)
        count = int(rows[0])
        if count <= capacity:
            return rows[1 : 1 + ROW * count].reshape(count, ROW).astype(np.int64)
        capacity = count


@kernel
def _levels(rows: Ints, empty: Mask, parts: int) -> tuple[Ints, Ints, Ints]:
    """Find the level of each row, the first row of its group, and what its group shares (bits: a, b, p).

    A row comes after all that it reads, and not beside others that read the same, unless it can join their group: it
    has the same kind and length, and shares with their first row just what they share.
    """
    items, count = len(empty), len(rows)
    made, used, leader = np.zeros(items, np.int64), np.zeros(items + parts, np.int64), np.zeros(items + parts, np.int64)
    levels, leaders, shared = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.int64)
    for r in range(count):
        length, level = rows[r, 5], made[rows[r, 0]]
        for role in range(2):
            for k in range(length if rows[r, 2 + role] >= 0 else 0):
                level = max(level, made[rows[r, 2 + role] + k])
        fits = False
        while not fits:
            level += 1
            group, fits, shares, meets = -1, True, 0, 0
            for role in range(3):
                for k in range(length if rows[r, 2 + role] >= 0 else 0):
                    place = rows[r, 2 + role] + k + (items if role == 2 else 0)
                    if (role == 2 or not empty[place]) and used[place] >= level:
                        fits = fits and used[place] == level and (group < 0 or group == leader[place])
                        group, meets = leader[place], meets | 1 << role
            for role in range(3 if group >= 0 else 0):
                shares |= (rows[r, 2 + role] >= 0 and rows[r, 2 + role] == rows[group, 2 + role]) << role
                fits = fits and (rows[r, 2 + role] >= 0) == (rows[group, 2 + role] >= 0)
            if group >= 0:
                shares &= meets
                fits = fits and length == rows[group, 5] and meets == shares
                fits = fits and (shared[group] == 0 or shared[group] == shares)
        if group >= 0:
            shared[group] = shares
        group = r if group < 0 else group
        for role in range(3):
            for k in range(length if rows[r, 2 + role] >= 0 else 0):
                place = rows[r, 2 + role] + k + (items if role == 2 else 0)
                used[place], leader[place] = level, group
        made[rows[r, 0]] = made[rows[r, 1]] = level
        levels[r], leaders[r] = level, group
    return levels, leaders, shared[leaders]


def _ordered(rows: Ints, empty: Mask, parts: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Sort rows into levels, segments and groups; return also the level, the flags and the group of each."""
    b, p, length = rows[:, 3], rows[:, 4], rows[:, 5]
    rows[(length == 1) & (b >= 0) & empty[b], 3] = -1  # times one
    levels, leaders, shared = _levels(rows, empty, parts)
    flags = HAS_B * (b >= 0) + HAS_P * (p >= 0) + SHARES_A * shared
    order = np.lexsort((leaders, flags, levels))
    rows, levels, flags, leaders = rows[order], levels[order], flags[order], leaders[order]
    return rows, levels, flags, np.cumsum(_changes(levels, flags, leaders)) - 1


def _changes(*columns: Ints) -> Mask:
    """Mark the rows that differ from the one before."""
    changes = np.ones(len(columns[0]), bool)
    changes[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return changes


def _uses(first: Ints, length: Ints, parts: int) -> Ints:
    """Count the rows that have each part."""
    within = first >= 0
    bounds = np.bincount(first[within], minlength=parts + 1) - np.bincount(
        (first + length)[within], minlength=parts + 1
    )
    return np.asarray(np.cumsum(bounds)[:parts])


def _segments(rows: Ints, levels: Ints, flags: Ints, groups: Ints, uses: Ints) -> tuple[Places, Places]:
    """Describe segments, and where groups begin."""
    starts = np.flatnonzero(_changes(levels, flags))
    ends = np.append(starts[1:], len(rows))
    group_starts = np.append(np.flatnonzero(_changes(groups)), len(rows))
    sizes = np.diff(group_starts)
    segments = np.zeros((len(starts), 8), np.int32)
    first, last = groups[starts], groups[ends - 1] + 1
    segments[:, 0], segments[:, 1], segments[:, 2], segments[:, 3] = starts, ends, first, last
    segments[:, 4] = np.maximum.reduceat(rows[:, 5], starts)
    segments[:, 5] = np.maximum.reduceat(sizes, first)
    once = np.maximum.reduceat(_most_of(uses, rows), starts) <= 1
    segments[:, 6] = flags[starts] + ONCE * (once & (flags[starts] & HAS_P > 0))
    is_first = np.append(True, levels[starts][1:] != levels[starts][:-1])
    segments[:, 7] = is_first + 2 * np.append(is_first[1:], True)
    return segments, group_starts.astype(np.int32)


def _most_of(uses: Ints, rows: Ints) -> Ints:
    """Find the most uses of a part of each row, 0 where it has none."""
    bounds = np.stack([rows[:, 4], rows[:, 4] + rows[:, 5]], axis=1)
    bounds[rows[:, 4] < 0] = 0
    padded = np.append(uses, 0)
    most = np.maximum.reduceat(padded, bounds.reshape(-1))[::2]
    return np.where(rows[:, 4] < 0, 0, most)


def _folds(plan: Plan, parts: Parts | None, size: int) -> dict[str, Places]:
    """Find which scores each part of the program adds up, by asking for the sum of their numbers, and of squares."""
    factorization = FACTORIZATIONS[plan.program.factorization]
    kinds = [kind for kind in factorization.kinds if kind is not PartKind.LAST or plan.program.last]
    is_vector = {kind: kind != "arc" and plan.sparse for kind in kinds}
    numbers = {kind: _numbers(kind, plan.frame.n, parts, size, is_vector[kind]) for kind in kinds}

    def fold(arrays: dict[PartKind, Floats]) -> Floats:
        arrays = {**{kind: np.zeros(array.shape) for kind, array in numbers.items()}, **arrays}
        higher = {str(kind): array for kind, array in arrays.items() if kind != PartKind.ARC}
        return np.array(plan.fold([arrays[PartKind.ARC]], [higher])[0])

    missing = fold({PartKind.ARC: np.where(numbers[PartKind.ARC] >= 0, 0.0, -np.inf)}) == -np.inf
    found = {}
    for kind, places in numbers.items():
        one, total, squares = (fold({kind: np.where(places >= 0, (places + 1.0) ** k, 0.0)}) for k in range(3))
        found[str(kind)] = _solved(one, total, squares, missing)
    return found


def _numbers(kind: PartKind, n: int, parts: Parts | None, size: int, is_vector: bool) -> Ints:
    """Return the places of the scores of a kind in tensors for up to ``size`` - 1 words, or of parts; -1 for none."""
    if parts is None:
        shape = tuple(2 if index == "side" else size for index in kind.indices)
        small = tuple(slice(0, 2 if index == "side" else n + 1) for index in kind.indices)
        return np.ascontiguousarray(np.arange(np.prod(shape)).reshape(shape)[small])
    if is_vector:
        return np.arange(parts.count(kind))
    numbers = np.full(kind.shape(n), -1)
    numbers.reshape(-1)[parts.flat(kind)] = np.arange(parts.count(kind))
    return numbers


def _solved(count: Floats, total: Floats, squares: Floats, forbidden: Mask) -> Places:
    """Find one or two numbers from how many they are, their sum and the sum of their squares."""
    with np.errstate(invalid="ignore"):
        gap = np.sqrt(np.maximum(2.0 * squares - total * total, 0.0)) * (count > 1)
        one, other = (total + gap) / np.maximum(count, 1.0), (total - gap) / 2.0
        places = np.stack([np.where(count > 0, one, 0.0), np.where(count > 1, other, 0.0)], axis=1)
    places[forbidden] = -1.0
    columns = 2 if (count > 1).any() else 1
    return (np.round(places[:, :columns]) - 1.0).astype(np.int32)


def table_of(factorization: str, last: bool, single_root: bool, n: int, size: int, parts: Parts | None = None) -> Table:
    """Write down a program for sentences of n words, with all arcs or with those of ``parts``.

    Dense scores are those of tensors for up to ``size`` - 1 words.
    """
    plan = plan_for(Program(factorization, last), np.zeros((n + 1, n + 1)), parts)
    frame = plan.frame
    folds = _folds(plan, parts, size)
    count = len(next(iter(folds.values())))
    empty = np.zeros(frame.size, bool)
    empty[frame.ones] = True
    rows, levels, flags, groups = _ordered(_rows(plan, single_root), empty, count)
    uses = _uses(rows[:, 4], rows[:, 5], count)
    segments, group_starts = _segments(rows, levels, flags, groups, uses)
    used = np.flatnonzero(uses > 0)  # the others get no number
    number = np.cumsum(uses > 0) - 1
    rows[:, 4] = np.where(rows[:, 4] >= 0, number[rows[:, 4]], -1)
    modifier, head = np.zeros(count, np.int32), np.full(count, -1, np.int32)
    modifier[: len(frame.modifiers)], head[: len(frame.modifiers)] = frame.modifiers, frame.heads[:-1]
    modifier, head = modifier[used], head[used]
    words = np.concatenate([[0], np.cumsum(np.bincount(modifier, minlength=n + 1))])
    arrays = dict(zip(("t", "copy", "a", "b", "p", "length"), rows.T, strict=True))
    arrays |= {"segments": segments, "groups": group_starts, "ones": frame.ones, "rows_of": _rows_of(rows, frame.size)}
    arrays |= {"head": head, "modifier": modifier, "words": words, "by_word": np.argsort(modifier, kind="stable")}
    whole = {name: np.ascontiguousarray(array, np.int32) for name, array in arrays.items()}
    return Table(n, frame.size, len(used), frame.goal, whole, {kind: fold[used] for kind, fold in folds.items()})


def _rows_of(rows: Ints, items: int) -> Places:
    """List the one or two rows of each item; -1 where there is none."""
    found = np.full((items, 2), -1, np.int32)
    order = np.argsort(rows[:, 0], kind="stable")
    t = rows[order, 0]
    again = np.append(False, t[1:] == t[:-1])
    found[t[again], 1], found[t[~again], 0] = order[again], order[~again]
    found[rows[:, 1]] = found[rows[:, 0]]
    return found
