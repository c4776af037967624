"""Weights of one byte: each output of a matrix, and each row of the table of words, has a scale.

A finished network keeps its trees and tags when all its matrices are rounded so; vectors stay as they are.  In a file,
``NAME`` is a parameter (`treewright.neural.parameters`), and ``NAME.scale`` its scales where it is rounded.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from treewright.arrays import Array, Arrays, Singles
from treewright.neural.parameters import Shape

__all__ = ["check_shapes", "quantize", "widen"]

#: The largest magnitude of a stored byte.
LEVELS = 127


def quantize(weights: Mapping[str, Array]) -> dict[str, Array]:
    """Round the matrices of a network to one byte a number."""
    arrays: dict[str, Array] = {}
    for name, values in weights.items():
        if values.ndim == 1:
            arrays[name] = values.astype(np.float32)
            continue
        largest = np.abs(values).max(axis=1 if name == "words" else 0, initial=0.0)
        scales = np.where(largest > 0, largest / LEVELS, 1.0).astype(np.float32)
        arrays[name] = np.rint(values / _spread(name, scales)).astype(np.int8)
        arrays[f"{name}.scale"] = scales.reshape(-1)
    return arrays


def widen(arrays: Arrays) -> dict[str, Singles]:
    """Return all parameters as float32: what `quantize` made of them, or what was stored as it is.

    Examples
    --------
    >>> table = {"out": np.array([[1.0, 0.25], [-2.0, 0.5]], np.float32)}
    >>> widen(quantize(table))["out"].astype(float).round(2).tolist()
    [[1.01, 0.25], [-2.0, 0.5]]
    """
    weights = {}
    for name, values in arrays.items():
        if name.endswith(".scale"):
            continue
        weights[name] = values.astype(np.float32)
        scales = arrays.get(f"{name}.scale")
        if scales is not None:
            weights[name] *= _spread(name, scales.reshape(values.shape[:1] if name == "words" else values.shape[1:]))
    return weights


def _spread(name: str, scales: Singles) -> Singles:
    """Let scales stand beside what they scale: the rows of the table of words, the outputs of everything else."""
    return scales[:, None] if name == "words" else scales


def check_shapes(arrays: Arrays, shapes: Mapping[str, Shape]) -> None:
    """Refuse arrays that are not the parameters of a network.

    Raises
    ------
    ValueError
        If one is missing, or has another shape or type.
    """
    for name, shape in shapes.items():
        if name not in arrays or arrays[name].shape != shape:
            found = arrays[name].shape if name in arrays else "missing"
            raise ValueError(f"its parameter {name} is {found}, not {shape}")
        if arrays[name].dtype == np.int8:
            outputs = shape[0] if name == "words" else int(np.prod(shape[1:]))
            if f"{name}.scale" not in arrays or arrays[f"{name}.scale"].shape != (outputs,):
                raise ValueError(f"its parameter {name} lacks {outputs:,} scales")
        elif arrays[name].dtype not in (np.float16, np.float32):
            raise ValueError(f"its parameter {name} is of type {arrays[name].dtype}")
