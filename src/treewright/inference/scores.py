"""Part scores: all that inference knows of a sentence."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.arrays import Real
from treewright.inference.kinds import PartKind
from treewright.inference.parts import Parts

__all__ = ["Scores"]

#: No score is as large as this, or the sum of the scores of a tree might be infinite.
LARGEST = 1e300

#: The arrays of scores, and those of parts beyond arcs.
_ARRAYS = (*(kind.value for kind in PartKind), "label")
_HIGHER = _ARRAYS[1:-1]


@dataclass(frozen=True, eq=False)
class Scores:
    """One number for each part of a sentence of n words; words are 1…n, the root is 0.

    An array that is missing counts as zero, and minus infinity forbids a part.  Entries that are in no tree never
    count and may hold anything: those of a word that is its own head, or of the root as a modifier.  An index that
    does not exist (no sibling inside, no grandparent above the root) repeats h.  Arrays of float32 or float64 are
    kept as they are, not copied and never written to; other real numbers become float64.

    Parameters
    ----------
    arc : array, shape (n+1, n+1)
        ``arc[h, m]`` is the score of the arc from head h to modifier m.
    label : array, shape (n+1, n+1, L), optional
        ``label[h, m, l]`` is what the label l adds to the score of the arc.
    sibling : array, shape (n+1, n+1, n+1), optional
        ``sibling[h, s, m]``: s is the next modifier of h inside m, on the same side.
    last : array, shape (n+1, n+1, 2), optional
        ``last[h, s, side]``: s is the outermost modifier of h on its left (side 0) or right (side 1), or h itself if it
        has none there.  The root has a right side only.
    grandchild : array, shape (n+1, n+1, n+1), optional
        ``grandchild[g, h, m]``: g is the head of h.
    grand_sibling : array, shape (n+1, n+1, n+1, n+1), optional
        ``grand_sibling[g, h, s, m]``.
    tri_sibling : array, shape (n+1, n+1, n+1, n+1), optional
        ``tri_sibling[h, t, s, m]``: t is the next modifier of h inside s.
    allowed : bool array, shape (n+1, n+1), optional
        Which arcs ``[h, m]`` there are.
    fixed_heads : int array, shape (n+1,), optional
        The head of each word that is known, -1 for the others; entry 0 is ignored.
    parts : Parts, optional
        The surviving parts of a pruned problem.  All arrays are then vectors, one entry for each row of the array
        of that name in `Parts` (``label`` has shape (arcs, L)).

    Raises
    ------
    ValueError
        If an array has the wrong shape, there are no words, or a part that counts is NaN, plus infinity, or 1e300 or
        more.

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

    arc: Real
    label: Real | None = None
    sibling: Real | None = None
    last: Real | None = None
    grandchild: Real | None = None
    grand_sibling: Real | None = None
    tri_sibling: Real | None = None
    allowed: npt.NDArray[np.bool_] | None = None
    fixed_heads: npt.NDArray[np.integer] | None = None
    parts: Parts | None = None

    def __post_init__(self) -> None:
        for name in _ARRAYS:
            if getattr(self, name) is not None:
                array = _as_floats(name, getattr(self, name))
                object.__setattr__(self, name, array)
                self._check_shape(name, array)
                if not array.size or not _is_sound(array):
                    self._refuse_bad(name, array)
        if self.allowed is not None:
            object.__setattr__(self, "allowed", _checked_mask(self.allowed, self.n))
        if self.fixed_heads is not None:
            object.__setattr__(self, "fixed_heads", _checked_heads(self.fixed_heads, self.n))

    @classmethod
    def unchecked(cls, **arrays: Any) -> Scores:
        """Make scores from arrays that are known to be sound, such as marginals."""
        scores = object.__new__(cls)
        for name in _FIELDS:
            object.__setattr__(scores, name, arrays.get(name))
        return scores

    @property
    def n(self) -> int:
        """The number of words."""
        return self.parts.n if self.parts is not None else len(self.arc) - 1

    @property
    def higher(self) -> dict[str, Real]:
        """The arrays of parts beyond arcs that are given."""
        if self.sibling is self.last is self.grandchild is self.grand_sibling is self.tri_sibling is None:
            return {}
        return {name: getattr(self, name) for name in _HIGHER if getattr(self, name) is not None}

    @property
    def arrays(self) -> dict[str, Real]:
        """All arrays that are given, labels among them."""
        return {name: getattr(self, name) for name in _ARRAYS if getattr(self, name) is not None}

    def scaled(self, factor: float) -> Scores:
        """Multiply all scores by a factor; forbidden parts stay forbidden."""
        if factor == 1.0:
            return self
        scaled: dict[str, Any] = {name: array * array.dtype.type(factor) for name, array in self.arrays.items()}
        return replace(self, **scaled)

    def of_arcs(self, heads: npt.NDArray[np.integer]) -> Real:
        """Return the scores of the arcs of a tree, for words 1…n; an arc that has not survived is forbidden."""
        words = np.arange(1, len(heads))
        if self.parts is None:
            return np.asarray(self.arc[heads[1:], words])
        numbers = self.parts.arcs.number[heads[1:], words]
        taken: Real = np.where(numbers >= 0, self.arc[numbers], -np.inf)
        return taken

    def _check_shape(self, name: str, array: Real) -> None:
        if self.parts is not None:
            count = self.parts.count("arc" if name == "label" else name)
            if len(array.shape) != (2 if name == "label" else 1) or len(array) != count:
                raise ValueError(f"{name} has shape {array.shape}: beside these parts it must have {count} entries")
            return
        if name == "arc":
            if array.ndim != 2 or array.shape[0] != array.shape[1]:
                raise ValueError(f"arc has shape {array.shape}: it must be (n+1, n+1), with the root at index 0")
            if array.shape[0] < 2:
                raise ValueError(f"arc has shape {array.shape}: there are no words, and a tree needs at least one")
            return
        size = len(self.arc)
        wanted = (size, size, "L") if name == "label" else PartKind(name).shape(size - 1)
        fits = array.shape == wanted or (
            name == "label" and array.ndim == 3 and array.shape[:2] == (size, size) and array.shape[2] > 0
        )
        if not fits:
            shape = ", ".join(map(str, wanted))
            raise ValueError(f"{name} has shape {array.shape}: beside this arc it must be ({shape})")

    def _refuse_bad(self, name: str, array: Real) -> None:
        """Refuse NaN, plus infinity and scores whose sum may be infinite in a part that some tree has."""
        bad = ~(array < _limit(array))
        if self.parts is None:
            bad &= PartKind.ARC.exists(self.n)[..., None] if name == "label" else PartKind(name).exists(self.n)
        if bad.any():
            index = tuple(int(i) for i in np.argwhere(bad)[0])
            part = f"{name}[{', '.join(map(str, index))}]"
            limit = f" below {LARGEST:g}" if array[index] < np.inf else ""
            raise ValueError(f"{part} is {array[index]}: a score must be a number{limit}, or minus infinity to forbid")


#: The names of all that scores consist of.
_FIELDS = tuple(field.name for field in fields(Scores))


def _is_sound(array: Real) -> bool:
    """Decide at a glance that there is nothing to refuse; the maximum of NaN and anything is NaN."""
    return bool(array.max() < _limit(array))


def _limit(array: Real) -> float:
    """Return the number that all scores of a type must be below: those of float32 do not reach the largest."""
    return LARGEST if array.dtype == np.float64 else np.inf


def _as_floats(name: str, values: npt.ArrayLike) -> Real:
    array = np.asarray(values)
    if array.dtype in (np.float32, np.float64):
        return array
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} holds {array.dtype}: scores must be real numbers")
    return array.astype(np.float64)


def _checked_mask(allowed: npt.ArrayLike, n: int) -> npt.NDArray[np.bool_]:
    mask = np.asarray(allowed)
    if mask.shape != (n + 1, n + 1):
        raise ValueError(f"allowed has shape {mask.shape}: beside this arc it must be ({n + 1}, {n + 1})")
    return mask.astype(bool)


def _checked_heads(fixed: npt.ArrayLike, n: int) -> npt.NDArray[np.integer]:
    heads = np.asarray(fixed)
    if heads.shape != (n + 1,):
        raise ValueError(f"fixed_heads has shape {heads.shape}: beside this arc it must be ({n + 1},)")
    if heads.dtype.kind not in "iu":
        raise ValueError(f"fixed_heads holds {heads.dtype}: heads must be whole numbers")
    words = np.arange(1, n + 1)
    wrong = words[(heads[1:] < -1) | (heads[1:] > n) | (heads[1:] == words)]
    if len(wrong):
        word = int(wrong[0])
        raise ValueError(
            f"fixed_heads[{word}] is {int(heads[word])}: a head is another word, 0 for the root, or -1 if free"
        )
    return heads
