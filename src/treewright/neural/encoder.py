"""The encoder: a pre-norm transformer with rotary positions, on the words of any number of sentences at once.

The rows of all sentences stand one below the other, without padding between them; only attention knows where each
begins.  No row depends on other sentences, so a sentence has the same vectors whatever it is encoded with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from treewright.arrays import Array, Heads, Ints, Singles
from treewright.kernels import kernel
from treewright.neural.matrices import COLUMNS, ROWS, multiply, pack, padded_rows, tile
from treewright.neural.parameters import EPSILON
from treewright.neural.settings import NetworkSettings

__all__ = ["Encoder", "rotary_waves"]

_EPSILON = np.float32(EPSILON)


@dataclass(frozen=True, eq=False)
class Encoder:
    """Encodes words.

    Attributes
    ----------
    heads : int
        The number of attention heads.
    base : float
        The base of rotary positions.
    words : int8 or float32 array, shape (rows, d)
        The table of words; a row stands for itself times its scale.
    scales : float32 array, shape (rows,)
    norms : float32 array, shape (2 layers + 1, d)
        Of attention and of hidden units of each layer, and the last.
    qkv, out, up, down : float32 arrays
        The matrices of all layers, packed.
    """

    heads: int
    base: float
    words: Array
    scales: Singles
    norms: Singles
    qkv: Singles
    out: Singles
    up: Singles
    down: Singles

    @classmethod
    def of(cls, settings: NetworkSettings, words: Array, scales: Singles, weights: Mapping[str, Singles]) -> Encoder:
        """Pack the parameters of a network (`treewright.neural.parameters`)."""
        layers = [f"layers.{layer}." for layer in range(settings.layers)]
        norms = [weights[layer + name] for layer in layers for name in ("norm_attention", "norm_forward")]
        packed = {
            name: np.stack([pack(weights[layer + name]) for layer in layers]) for name in ("qkv", "out", "up", "down")
        }
        return cls(settings.heads, settings.base, words, scales, np.stack([*norms, weights["norm"]]), **packed)

    def encode(self, sentences: Sequence[Heads]) -> tuple[Singles, Ints]:
        """Encode sentences, given as rows of the table of words.

        Returns
        -------
        vectors : float32 array, shape (rows, d)
            One for each word of all sentences; a few more rows fill up tiles.
        starts : int64 array
            Where each sentence begins, and where the last ends.
        """
        starts = np.cumsum([0, *map(len, sentences)])
        width, longest = self.words.shape[1], int(np.diff(starts).max())
        vectors = np.zeros((padded_rows(int(starts[-1])), width), np.float32)
        _embed(self.words, self.scales, np.concatenate(sentences), vectors)
        waves = rotary_waves(self.base, width // self.heads, longest)
        _encode(vectors, starts, self.heads, waves, self.norms, self.qkv, self.out, self.up, self.down)
        return vectors, starts


def rotary_waves(base: float, width: int, length: int) -> Singles:
    """Compute the cosines and sines by which positions turn pairs of numbers, shape (2, length, width / 2).

    Number *i* of the first half of a vector and number *i* of the second are a pair; position *p* turns it by the angle
    p · base^(−2i / width) (Su et al. 2021, eq. 15, with halves for pairs of neighbours).
    """
    half = width // 2
    angles = np.arange(length)[:, None] * base ** (-np.arange(half) / half)
    return np.stack([np.cos(angles), np.sin(angles)]).astype(np.float32)


@kernel
def _embed(words: Array, scales: Singles, rows: Heads, out: Singles) -> None:
    """Sum the rows of each word, and normalise the sum."""
    for i in range(len(rows)):
        for a in range(rows.shape[1]):
            row = rows[i, a]
            scale = scales[row]
            for k in range(out.shape[1]):
                out[i, k] += scale * np.float32(words[row, k])
        factor = _norm_factor(out, i)
        for k in range(out.shape[1]):
            out[i, k] *= factor


@kernel
def _norm_factor(x: Singles, row: int) -> np.float32:
    """Return what normalises a row: one over the root of its mean square."""
    total = np.float32(0.0)
    for k in range(x.shape[1]):
        total += x[row, k] * x[row, k]
    return np.float32(1.0) / np.sqrt(total / np.float32(x.shape[1]) + _EPSILON)


@kernel
def _normalise(x: Singles, weights: Singles, out: Singles) -> None:
    for row in range(len(x)):
        factor = _norm_factor(x, row)
        for k in range(x.shape[1]):
            out[row, k] = x[row, k] * factor * weights[k]


@kernel
def _encode(
    x: Singles,
    starts: Ints,
    heads: int,
    waves: Singles,
    norms: Singles,
    qkv: Singles,
    out: Singles,
    up: Singles,
    down: Singles,
) -> None:
    """Replace the vectors of words by those of the last layer, normalised."""
    count, width = x.shape
    layers = len(qkv)
    y, projected = np.empty_like(x), np.empty((count, qkv.shape[1] * COLUMNS), np.float32)
    hidden = np.empty((count, up.shape[1] * COLUMNS), np.float32)
    y[:] = 0
    for layer in range(layers):
        _normalise(x, norms[2 * layer], y)
        multiply(y, 0, qkv[layer], projected, False)
        _attend(projected, starts, heads, waves, y)
        multiply(y, 0, out[layer], x, True)
        _normalise(x, norms[2 * layer + 1], y)
        multiply(y, 0, up[layer], hidden, False)
        for row in range(count):
            for k in range(hidden.shape[1]):
                positive = max(hidden[row, k], np.float32(0.0))
                hidden[row, k] = positive * positive
        multiply(hidden, 0, down[layer], x, True)
    _normalise(x, norms[2 * layers], x)


@kernel
def _attend(projected: Singles, starts: Ints, heads: int, waves: Singles, out: Singles) -> None:
    """Let each word of a sentence attend to all, in each head; ``projected`` holds queries, keys and values."""
    width, size = out.shape[1], out.shape[1] // heads
    longest = 0
    for s in range(len(starts) - 1):
        longest = max(longest, starts[s + 1] - starts[s])
    rows, columns, across = _ceil(longest, ROWS), _ceil(longest, COLUMNS), _ceil(size, COLUMNS)
    queries, keys = np.zeros((rows, size), np.float32), np.zeros(columns * size, np.float32)
    values, shares = np.zeros(longest * across, np.float32), np.zeros(rows * columns, np.float32)
    mixed, exponents = np.zeros((rows, across), np.float32), np.zeros(columns, np.int32)
    scale = np.float32(1.0 / np.sqrt(size))
    for s in range(len(starts) - 1):
        first, n = starts[s], starts[s + 1] - starts[s]
        stride = _ceil(n, COLUMNS)
        for head in range(heads):
            at = head * size
            _turn(projected, first, n, at, waves, scale, queries, keys, values)
            for row in range(0, n, ROWS):
                for column in range(0, n, COLUMNS):
                    strides = size, stride
                    tile(queries, row * size, keys, column * size, size, shares, row * stride + column, strides, False)
            for row in range(n):
                _softmax(shares[row * stride : row * stride + n], exponents)
            for row in range(0, n, ROWS):
                for column in range(0, size, COLUMNS):
                    strides = stride, across
                    tile(shares, row * stride, values, column * n, n, mixed, row * across + column, strides, False)
            for row in range(n):
                for k in range(size):
                    out[first + row, at + k] = mixed[row, k]


@kernel
def _ceil(count: int, step: int) -> int:
    return -(-count // step) * step


@kernel
def _turn(
    projected: Singles,
    first: int,
    n: int,
    at: int,
    waves: Singles,
    scale: np.float32,
    queries: Singles,
    keys: Singles,
    values: Singles,
) -> None:
    """Turn the queries and keys of a head by their positions; lay out keys and values for tiles."""
    size, width = queries.shape[1], projected.shape[1] // 3
    half = size // 2
    for i in range(n):
        place = i // COLUMNS * COLUMNS * size + i % COLUMNS
        for k in range(half):
            cosine, sine = waves[0, i, k], waves[1, i, k]
            one, other = projected[first + i, at + k], projected[first + i, at + k + half]
            queries[i, k] = (one * cosine - other * sine) * scale
            queries[i, k + half] = (other * cosine + one * sine) * scale
            one, other = projected[first + i, width + at + k], projected[first + i, width + at + k + half]
            keys[place + k * COLUMNS] = one * cosine - other * sine
            keys[place + (k + half) * COLUMNS] = other * cosine + one * sine
        for k in range(size):
            column = k // COLUMNS * COLUMNS
            values[column * n + i * COLUMNS + k - column] = projected[first + i, 2 * width + at + k]


_LOG2E, _LN2_HIGH, _LN2_LOW = np.float32(1.4426950408889634), np.float32(0.693359375), np.float32(-2.12194440e-4)
_HALF, _ONE, _LEAST = np.float32(0.5), np.float32(1.0), np.float32(-87.0)
_C = tuple(map(np.float32, (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1)))


@kernel
def _softmax(row: Singles, exponents: Heads) -> None:
    """Replace scores by probabilities.

    The exponential is that of the Cephes library: 2^k times a polynomial, with k added to the exponent of the float.
    """
    largest = row[0]
    for j in range(1, len(row)):
        largest = max(largest, row[j])
    for j in range(len(row)):
        x = max(row[j] - largest, _LEAST)
        k = np.int32(x * _LOG2E - _HALF)
        f = np.float32(k)
        x = x - f * _LN2_HIGH - f * _LN2_LOW
        p = ((((_C[0] * x + _C[1]) * x + _C[2]) * x + _C[3]) * x + _C[4]) * x + _HALF
        row[j] = p * x * x + x + _ONE
        exponents[j] = k << 23
    bits = row.view(np.int32)
    for j in range(len(row)):
        bits[j] += exponents[j]
    total = np.float32(0.0)
    for j in range(len(row)):
        total += row[j]
    factor = _ONE / total
    for j in range(len(row)):
        row[j] *= factor
