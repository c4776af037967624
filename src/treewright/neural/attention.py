"""Attention of the words of a sentence to each other, with rotary positions (Vaswani et al. 2017; Su et al. 2021)."""

from __future__ import annotations

import numpy as np

from treewright.arrays import Heads, Singles
from treewright.kernels import kernel
from treewright.neural.tiles import COLUMNS, ROWS, tile

__all__ = ["attend", "exponentials", "rotary_waves"]


def rotary_waves(base: float, width: int, length: int) -> Singles:
    """Compute the cosines and sines by which positions turn pairs of numbers, shape (2, length, width / 2).

    Number *i* of the first half of a vector and number *i* of the second are a pair; position *p* turns it by the angle
    p · base^(−2i / width) (Su et al. 2021, eq. 15, with halves for pairs of neighbours).
    """
    half = width // 2
    angles = np.arange(length)[:, None] * base ** (-np.arange(half) / half)
    return np.stack([np.cos(angles), np.sin(angles)]).astype(np.float32)


@kernel
def attend(projected: Singles, heads: int, waves: Singles, out: Singles) -> None:
    """Set ``out`` to what each word takes from all, in each head.

    ``projected`` holds queries, keys and values, side by side.
    """
    n, size = len(out), out.shape[1] // heads
    rows, columns, across = _ceil(n, ROWS), _ceil(n, COLUMNS), _ceil(size, COLUMNS)
    queries, keys = np.zeros(rows * size, np.float32), np.zeros(columns * size, np.float32)
    values, shares = np.zeros(n * across, np.float32), np.zeros((rows, columns), np.float32)
    mixed, exponents = np.zeros((rows, across), np.float32), np.zeros(n, np.int32)
    scales, ones = np.full(COLUMNS, 1.0 / np.sqrt(size), np.float32), np.ones(COLUMNS, np.float32)
    for head in range(heads):
        _turn(projected, n, head, size, waves, queries, keys, values)
        for row in range(0, n, ROWS):
            for column in range(0, n, COLUMNS):
                places = size, columns, row * columns + column, 0, 0
                tile(queries, row * size, keys, column * size, size, scales, shares, places)
        for row in range(n):
            total = exponentials(shares[row], n, exponents)
            for j in range(n):
                shares[row, j] /= total
        for row in range(0, n, ROWS):
            for column in range(0, size, COLUMNS):
                places = columns, across, row * across + column, 0, 0
                tile(shares, row * columns, values, column * n, n, ones, mixed, places)
        for row in range(n):
            for k in range(size):
                out[row, head * size + k] = mixed[row, k]


@kernel
def _ceil(count: int, step: int) -> int:
    return -(-count // step) * step


_COLUMNS = np.uintp(COLUMNS)


@kernel
def _turn(
    projected: Singles,
    n: int,
    head: int,
    size: int,
    waves: Singles,
    queries: Singles,
    keys: Singles,
    values: Singles,
) -> None:
    """Turn the queries and keys of a head by their positions; lay out keys and values in panels."""
    width, half = projected.shape[1] // 3, size // 2
    query, stride = np.uintp(head * size), np.uintp(size)  # indices that cannot be negative: no branches in the loops
    key, value, other = query + np.uintp(width), query + np.uintp(2 * width), np.uintp(half)
    for i in range(n):
        row, turned = projected[i], np.uintp(i) * stride
        panel = np.uintp(i // COLUMNS * COLUMNS * size + i % COLUMNS)
        for k in range(half):
            at, cosine, sine = np.uintp(k), waves[0, i, k], waves[1, i, k]
            one, two = row[query + at], row[query + other + at]
            queries[turned + at] = one * cosine - two * sine
            queries[turned + other + at] = two * cosine + one * sine
        for k in range(half):
            at, cosine, sine = np.uintp(k), waves[0, i, k], waves[1, i, k]
            one, two = row[key + at], row[key + other + at]
            keys[panel + at * _COLUMNS] = one * cosine - two * sine
            keys[panel + (other + at) * _COLUMNS] = two * cosine + one * sine
        for block in range(0, size, COLUMNS):
            place = np.uintp(block * n + i * COLUMNS)
            for k in range(min(COLUMNS, size - block)):
                values[place + np.uintp(k)] = row[value + np.uintp(block + k)]


_LOG2E, _LN2_HIGH, _LN2_LOW = np.float32(1.4426950408889634), np.float32(0.693359375), np.float32(-2.12194440e-4)
_HALF, _ONE, _LEAST = np.float32(0.5), np.float32(1.0), np.float32(-87.0)
_C = tuple(map(np.float32, (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1)))


@kernel
def exponentials(row: Singles, n: int, exponents: Heads) -> np.float32:
    """Replace the first n scores of a row by e to what they lack of the largest; return the sum.

    The exponential is that of the Cephes library, 2^k times a polynomial, in loops that become vector instructions: k
    is added to the exponent of the float.
    """
    largest = row[0]
    for j in range(1, n):
        largest = max(largest, row[j])
    for j in range(n):
        x = max(row[j] - largest, _LEAST)
        k = np.int32(x * _LOG2E - _HALF)
        f = np.float32(k)
        x = x - f * _LN2_HIGH - f * _LN2_LOW
        p = ((((_C[0] * x + _C[1]) * x + _C[2]) * x + _C[3]) * x + _C[4]) * x + _HALF
        row[j] = p * x * x + x + _ONE
        exponents[j] = k << 23
    bits = row.view(np.int32)
    total = np.float32(0.0)
    for j in range(n):
        bits[j] += exponents[j]
    for j in range(n):
        total += row[j]
    return total
