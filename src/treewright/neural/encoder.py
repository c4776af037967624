"""The encoder: a pre-norm transformer with rotary positions, on the words of one sentence.

A product with weights of one byte is as fast for a few rows as for many (`matrices`), so sentences need no batches.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.arrays import Array, Arrays, Heads, Singles
from treewright.kernels import kernel
from treewright.neural.attention import attend, rotary_waves
from treewright.neural.matrices import Matrix, multiply
from treewright.neural.parameters import EPSILON
from treewright.neural.settings import NetworkSettings
from treewright.neural.tiles import COLUMNS

__all__ = ["Encoder"]

_EPSILON = np.float32(EPSILON)

#: What the matrices of a layer are called.
_MATRICES = ("qkv", "out", "up", "down")


@dataclass(frozen=True, eq=False)
class Encoder:
    """Encodes the words of sentences.

    Attributes
    ----------
    settings : NetworkSettings
    words : int8 or float32 array, shape (rows, d)
        The table of words.
    scales : float32 array, shape (rows,)
        What each row is multiplied by.
    norms : float32 array, shape (2 layers + 1, d)
        Of attention and of hidden units of each layer, and the last.
    panels, factors : tuple of four arrays
        The packed matrices of all layers, and their scales.
    """

    settings: NetworkSettings
    words: Array
    scales: Singles
    norms: Singles
    panels: tuple[Array, ...]
    factors: tuple[Singles, ...]

    @classmethod
    def of(cls, settings: NetworkSettings, arrays: Arrays) -> Encoder:
        """Pack the parameters of a network, as they are in a file (`treewright.neural.quantization`)."""
        layers = [f"layers.{layer}." for layer in range(settings.layers)]
        norms = [arrays[layer + name] for layer in layers for name in ("norm_attention", "norm_forward")]
        packed = [[Matrix.named(arrays, layer + name) for layer in layers] for name in _MATRICES]
        words = arrays["words"] if arrays["words"].dtype == np.int8 else arrays["words"].astype(np.float32)
        scales = arrays.get("words.scale", np.ones(len(words)))
        return cls(
            settings,
            words,
            scales.astype(np.float32),
            np.stack([*norms, arrays["norm"]]).astype(np.float32),
            tuple(np.stack([one.panels for one in some]) for some in packed),
            tuple(np.stack([one.scales for one in some]) for some in packed),
        )

    def encode(self, rows: Heads) -> Singles:
        """Return the vectors of words, given as rows of the table."""
        heads, width = self.settings.heads, self.settings.width
        vectors = np.zeros((len(rows), width), np.float32)
        _embed(self.words, self.scales, rows, vectors)
        waves = rotary_waves(self.settings.base, width // heads, len(rows))
        _encode(vectors, heads, waves, self.norms, self.panels, self.factors)
        return vectors


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
def _norm_factor(x: Singles, row: int) -> float:
    """Return what normalises a row: one over the root of its mean square."""
    total = np.float32(0.0)
    for k in range(x.shape[1]):
        total += x[row, k] * x[row, k]
    factor: float = np.float32(1.0) / np.sqrt(total / np.float32(x.shape[1]) + _EPSILON)
    return factor


@kernel
def _normalise(x: Singles, weights: Singles, out: Singles) -> None:
    for row in range(len(x)):
        factor = _norm_factor(x, row)
        for k in range(x.shape[1]):
            out[row, k] = x[row, k] * factor * weights[k]


@kernel
def _encode(
    x: Singles,
    heads: int,
    waves: Singles,
    norms: Singles,
    panels: tuple[Array, ...],
    factors: tuple[Singles, ...],
) -> None:
    """Replace the vectors of words by those of the last layer, normalised."""
    qkv, out, up, down = panels
    by_qkv, by_out, by_up, by_down = factors
    count, width = x.shape
    y, projected = np.zeros((count, width), np.float32), np.empty((count, 3 * width), np.float32)
    hidden = np.empty((count, up.shape[1] * COLUMNS), np.float32)
    for layer in range(len(qkv)):
        _normalise(x, norms[2 * layer], y)
        multiply(y, 0, qkv[layer], by_qkv[layer], projected, False)
        attend(projected, heads, waves, y)
        multiply(y, 0, out[layer], by_out[layer], x, True)
        _normalise(x, norms[2 * layer + 1], y)
        multiply(y, 0, up[layer], by_up[layer], hidden, False)
        for row in range(count):
            for k in range(hidden.shape[1]):
                positive = max(hidden[row, k], np.float32(0.0))
                hidden[row, k] = positive * positive
        multiply(hidden, 0, down[layer], by_down[layer], x, True)
    _normalise(x, norms[2 * len(qkv)], x)
