"""From the vectors of words to the scores of arcs, labels and larger parts, and of the values of columns.

The equations are those of `treewright.neural.parameters`.  The scores of the labels of an arc are log-probabilities:
they are learned given the arc, and do not count for or against it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treewright.arrays import Array, Arrays, Ints, Singles
from treewright.inference import Parts
from treewright.inference.kinds import PartKind
from treewright.kernels import copy, kernel
from treewright.neural.attention import exponentials
from treewright.neural.matrices import Matrix, padded
from treewright.neural.parameters import SLOPE, higher_kinds, roles
from treewright.neural.settings import NetworkSettings
from treewright.neural.tiles import COLUMNS, ROWS, tile

__all__ = ["Heads", "WordVectors"]


class Heads:
    """What a network does with the vectors of words: its layers above the encoder.

    Parameters
    ----------
    settings : NetworkSettings
    arrays : mapping
        The parameters, as they are in a file (`treewright.neural.quantization`).
    """

    def __init__(self, settings: NetworkSettings, arrays: Arrays) -> None:
        self.settings = settings
        self.roles = Matrix.named(arrays, "roles", bias=True)
        self.places = roles(settings)
        self.arc = _affine(arrays, "arc")
        self.label = _affine(arrays, "label") if settings.labels else None  # the panels of each dependent
        self.none = {
            kind: arrays[f"none.{kind}"].astype(np.float32) for kind in higher_kinds(settings) if "s" in kind.indices
        }
        if settings.columns:
            self.tags = Matrix.named(arrays, "tags", bias=True)
            self.columns = Matrix.named(arrays, *settings.columns, bias=True)


def _affine(arrays: Arrays, name: str) -> Matrix:
    """Pack a matrix whose last row is multiplied by 1: a bias.

    A matrix of labels is laid out so that its product with a dependent is again a packed matrix, from heads to labels.
    """
    values = arrays[name]
    scales = arrays.get(f"{name}.scale", np.ones(values[0].size, np.float32)).reshape(values.shape[1:])
    if values.ndim == 3:
        values, scales = _in_panels(values), _in_panels(scales[None])[0]
    return Matrix.of(values[:-1], scales, values[-1] * scales)


def _in_panels(values: Array) -> Array:
    """Reorder (dependent, label, head) to (dependent, panel of labels · head · label in the panel)."""
    dependents, labels, heads = values.shape
    filled = np.zeros((dependents, padded(labels, COLUMNS), heads), values.dtype)
    filled[:, :labels] = values
    return filled.reshape(dependents, -1, COLUMNS, heads).transpose(0, 1, 3, 2).reshape(dependents, -1)


@dataclass(frozen=True, eq=False)
class WordVectors:
    """The vectors of the root and of the n words of a sentence, and all that is computed from them, once.

    Attributes
    ----------
    n : int
    vectors : float32 array, shape (n + 1, d)
    heads : Heads
    """

    n: int
    vectors: Singles
    heads: Heads

    @cached_property
    def roles(self) -> Singles:
        """The vectors of all roles, side by side."""
        x = self.heads.roles.apply(self.vectors)
        np.maximum(x, x * np.float32(SLOPE), out=x)
        return x

    @cached_property
    def arc(self) -> Singles:
        """The score of each arc ``[h, m]``."""
        places, size = self.heads.places, self.n + 1
        dependents = self.heads.arc.apply(self.roles, places["arc_dependent"].start)
        out = np.empty((padded(size, ROWS), padded(size, COLUMNS)), np.float32)
        head = places["arc_head"]
        _all_products(dependents, self.roles, head.start, head.stop - head.start, size, out)
        return np.ascontiguousarray(out[:size, :size].T)

    @cached_property
    def _of_labels(self) -> Singles:
        assert self.heads.label is not None
        return self.heads.label.apply(self.roles, self.heads.places["label_dependent"].start)

    def label(self, arcs: Ints) -> Singles:
        """Compute the log-probability of each label of some arcs, rows (h, m)."""
        out = np.empty((len(arcs), len(self.heads.settings.labels)), np.float32)
        order = np.argsort(arcs[:, 1], kind="stable")
        _score_labels(self._of_labels, self.roles, self.heads.places["label_head"].start, arcs, order, out)
        return out

    def higher(self, parts: Parts) -> dict[str, Singles]:
        """Score all parts beyond arcs."""
        return {str(kind): self._parts(kind, parts) for kind in higher_kinds(self.heads.settings)}

    def _parts(self, kind: PartKind, parts: Parts) -> Singles:
        rows, words = parts.rows(kind), self.n + 1
        h, none = rows[:, kind.head], self.heads.none.get(kind)
        tables: list[list[Singles | None]]
        if kind is PartKind.LAST:  # the vectors of heads for their left sides, then for their right sides
            tables = [[self._role("last.left"), self._role("last.right")], [self._role("last.s"), none]]
            places = [h + rows[:, 2] * words, np.where(rows[:, 1] == h, words, rows[:, 1])]
        else:
            tables = [[self._role(f"{kind}.{index}"), none] for index in kind.indices]
            places = [
                np.where(rows[:, i] == h, words, rows[:, i]) if index in "st" else rows[:, i]
                for i, index in enumerate(kind.indices)
            ]
        rank = self.heads.settings.rank
        stacked = np.zeros((len(tables), 2 * words, rank), np.float32)
        for table, pair in zip(stacked, tables, strict=True):
            filled = np.concatenate([np.atleast_2d(one) for one in pair if one is not None])
            table[: len(filled)] = filled
        out = np.empty(len(rows), np.float32)
        _score_parts(stacked, np.stack(places, axis=1), np.float32(1 / np.sqrt(rank)), out)
        return out

    def _role(self, name: str) -> Singles:
        return self.roles[:, self.heads.places[name]]

    @cached_property
    def columns(self) -> dict[str, Singles]:
        """The logit of each value of each column, for words 1…n."""
        columns = self.heads.settings.columns
        if not columns:
            return {}
        x = self.heads.tags.apply(self.vectors)
        x *= np.float32(0.5) * (1 + np.tanh(np.float32(np.sqrt(2 / np.pi)) * (x + np.float32(0.044715) * x * x * x)))
        logits = self.heads.columns.apply(x)[1:]
        ends = np.cumsum([0, *map(len, columns.values())])
        return {name: logits[:, ends[i] : ends[i + 1]] for i, name in enumerate(columns)}


@kernel
def _all_products(x: Singles, y: Singles, at: int, width: int, n: int, out: Singles) -> None:
    """Multiply each of n rows of x with each of y, from a column on."""
    columns = out.shape[1]
    panels, ones = np.zeros(columns * width, np.float32), np.ones(COLUMNS, np.float32)
    rows = np.zeros((len(out), width), np.float32)
    for row in range(n):
        panel = row // COLUMNS * COLUMNS
        copy(x[row, :width], rows[row])
        for k in range(width):
            panels[panel * width + k * COLUMNS + row - panel] = y[row, at + k]
    for column in range(0, n, COLUMNS):
        for row in range(0, n, ROWS):
            places = width, columns, row * columns + column, 0, 0
            tile(rows, row * width, panels, column * width, width, ones, out, places)


@kernel
def _score_labels(dependents: Singles, roles: Singles, at: int, arcs: Ints, order: Ints, out: Singles) -> None:
    """Score the labels of arcs, sorted by modifiers: six heads of one modifier at a time.  Normalise the scores."""
    labels = out.shape[1]
    columns = -(-labels // COLUMNS) * COLUMNS
    width = dependents.shape[1] // columns
    heads, scores = np.ones((ROWS, width), np.float32), np.empty((ROWS, columns), np.float32)
    ones, exponents = np.ones(COLUMNS, np.float32), np.empty(labels, np.int32)
    first = 0
    while first < len(order):
        m = arcs[order[first], 1]
        end = first
        while end < min(first + ROWS, len(order)) and arcs[order[end], 1] == m:
            for k in range(width - 1):  # the last stays 1
                heads[end - first, k] = roles[arcs[order[end], 0], at + k]
            end += 1
        for column in range(0, columns, COLUMNS):
            place = m * dependents.shape[1] + column * width
            tile(heads, 0, dependents, place, width, ones, scores, (width, columns, column, 0, 0))
        for row in range(end - first):
            arc, largest = order[first + row], scores[row, 0]
            for label in range(labels):
                out[arc, label] = scores[row, label]
                largest = max(largest, scores[row, label])
            shift = largest + np.log(exponentials(scores[row], labels, exponents))
            for label in range(labels):
                out[arc, label] -= shift
        first = end


@kernel
def _score_parts(tables: Singles, places: Ints, scale: np.float32, out: Singles) -> None:
    """Sum over the rank the products of one vector of each table."""
    rank = tables.shape[2]
    product = np.empty(rank, np.float32)
    for part in range(len(places)):
        for k in range(rank):
            product[k] = tables[0, places[part, 0], k]
        for table in range(1, len(tables) - 1):
            for k in range(rank):
                product[k] *= tables[table, places[part, table], k]
        last, total = len(tables) - 1, np.float32(0.0)
        for k in range(rank):
            total += product[k] * tables[last, places[part, last], k]
        out[part] = total * scale
