"""Part scores: what a model says about a sentence, and all that inference knows of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Scores"]

FloatArray = npt.NDArray[np.float32] | npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scores:
    """One number for each part of a sentence of n words; words are 1…n, the root is 0.

    Minus infinity forbids a part.  No word is its own head and the root has none, so the diagonal and column
    0 never count and may hold anything.  Arrays of float32 or float64 are kept as they are, not copied and
    never written to; other real numbers become float64.

    Parameters
    ----------
    arc : array, shape (n+1, n+1)
        ``arc[h, m]`` is the score of the arc from head h to modifier m.
    label : array, shape (n+1, n+1, L), optional
        ``label[h, m, l]`` is what the label l adds to the score of the arc.

    Raises
    ------
    ValueError
        If an array has the wrong shape, there are no words, or a part that counts is NaN or plus infinity.

    Examples
    --------
    >>> scores = Scores(arc=[[0, 1, 5], [0, 0, 2], [0, 3, 0]])
    >>> scores.n, scores.arc.dtype
    (2, dtype('float64'))
    >>> Scores(arc=[[0, 1, float("nan")], [0, 0, 2], [0, 3, 0]])
    Traceback (most recent call last):
        ...
    ValueError: arc[0, 2] is nan: a score must be a number, or minus infinity to forbid
    """

    arc: FloatArray
    label: FloatArray | None = None

    def __post_init__(self) -> None:
        arc = _as_floats("arc", self.arc)
        if arc.ndim != 2 or arc.shape[0] != arc.shape[1]:
            raise ValueError(f"arc has shape {arc.shape}: it must be (n+1, n+1), with the root at index 0")
        if arc.shape[0] < 2:
            raise ValueError(f"arc has shape {arc.shape}: there are no words, and a tree needs at least one")
        _refuse_nan("arc", arc)
        object.__setattr__(self, "arc", arc)
        if self.label is not None:
            label = _as_floats("label", self.label)
            if label.ndim != 3 or label.shape[:2] != arc.shape or label.shape[2] == 0:
                size = f"({len(arc)}, {len(arc)}, L)"
                raise ValueError(f"label has shape {label.shape}: beside this arc it must be {size}, L > 0")
            _refuse_nan("label", label)
            object.__setattr__(self, "label", label)

    @property
    def n(self) -> int:
        """The number of words."""
        return len(self.arc) - 1


def _as_floats(name: str, values: npt.ArrayLike) -> FloatArray:
    array = np.asarray(values)
    if array.dtype in (np.float32, np.float64):
        return array
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} holds {array.dtype}: scores must be real numbers")
    return array.astype(np.float64)


def _refuse_nan(name: str, array: FloatArray) -> None:
    """Refuse NaN and plus infinity in the parts of arcs that can be in a tree."""
    with np.errstate(all="ignore"):
        if array.sum() < np.inf:  # neither can hide in a sum, so one pass clears nearly every sentence
            return
    bad = ~(array < np.inf)
    bad[:, 0] = False
    bad[np.diag_indices(len(array))] = False
    if bad.any():
        index = tuple(int(i) for i in np.argwhere(bad)[0])
        part = f"{name}[{', '.join(map(str, index))}]"
        raise ValueError(f"{part} is {array[index]}: a score must be a number, or minus infinity to forbid")
