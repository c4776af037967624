"""Weights: float32 while learning, one byte each afterwards.

A model is a flat table of weights.  Features are hashed into it and may collide, which has no measurable cost as long
as the table is not much smaller than the number of features that matter (Bohnet 2010).

A finished model stores one byte for each weight: the rounded square root, with the sign, of the weight relative to the
largest one.  The root leaves finer steps for small weights, which nearly all are; squaring undoes it in one
multiplication.  A quarter of the memory is a quarter of the cache misses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import overload

from treewright.arrays import Array, Arrays

__all__ = ["Table", "Weights", "decode"]

Table = npt.NDArray[np.float32] | npt.NDArray[np.float64] | npt.NDArray[np.int8]

#: The largest magnitude of a stored byte.
LEVELS = 127


@dataclass(frozen=True, slots=True)
class Weights:
    """A table of weights.

    Attributes
    ----------
    values : float32, float64 or int8 array
        The weights themselves, or their signed square roots rounded to bytes.  Scores of float64 weights are float64.
    scale : float
        The factor of decoded values.
    resolution : float, optional
        A number that all weights are integer multiples of, where one is known.
    """

    values: Table
    scale: float = 1.0
    resolution: float | None = None

    @classmethod
    def compress(cls, values: Table) -> Weights:
        """Round weights to one byte each.

        Examples
        --------
        >>> weights = Weights.compress(np.array([0.0, 1.0, -0.25, 0.011], np.float32))
        >>> weights.values.tolist()
        [0, 127, -64, 13]
        >>> [round(float(weight), 3) for weight in weights.decoded()]
        [0.0, 1.0, -0.254, 0.01]
        """
        largest = float(np.abs(values).max(initial=0.0)) or 1.0
        roots = np.sqrt(np.abs(values) / largest)
        codes = np.rint(np.copysign(roots, values) * LEVELS).astype(np.int8)
        codes.flags.writeable = False  # as when mapped from a file
        scale = largest / LEVELS**2
        return cls(codes, scale, scale)

    def describe(self, name: str = "weights") -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what a model file holds of compressed weights, in an array called ``name``."""
        return {"scale": self.scale}, {name: self.values}

    @classmethod
    def restore(cls, manifest: Mapping[str, Any], arrays: Arrays, size: int, name: str = "weights") -> Weights:
        """Rebuild the weights that `describe` described.

        Raises
        ------
        ValueError
            If the table does not hold one byte for each of ``size`` weights, or their scale is not a positive number.
        """
        table, scale = arrays[name], float(manifest["scale"])
        if table.dtype != np.int8 or table.shape != (size,):
            raise ValueError("its weights do not fit its features")
        if not 0 < scale < np.inf:
            raise ValueError(f"the scale of its weights is {scale}")
        return cls(table, scale, scale)

    @property
    def table(self) -> Table:
        """The values, not to be written to, so that kernels that read them are compiled once for all."""
        view = self.values.view()
        view.flags.writeable = False
        return view

    def decoded(self) -> npt.NDArray[Any]:
        """Return the weights, as float32 unless they are float64."""
        values: npt.NDArray[Any] = self.values.astype(np.float64 if self.values.dtype == np.float64 else np.float32)
        if self.values.dtype == np.int8:
            values *= np.abs(values)
        values *= self.scale
        return values


def decode(value: float) -> float:
    """Turn a stored value into a weight, without the scale (inside kernels only)."""
    raise NotImplementedError("decode() is for compiled kernels")


@overload(decode, strict=False, inline="always")
def _decode(value: types.Type) -> object:
    if isinstance(value, types.Integer):

        def squared(value: float) -> np.float32:
            root = np.float32(value)
            return root * abs(root)

        return squared
    return lambda value: value
