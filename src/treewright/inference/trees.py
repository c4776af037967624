"""The trees that are searched, and the questions that can be asked of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treewright.inference.arborescence import arborescence
from treewright.inference.labels import best_labels, with_best_labels
from treewright.inference.scores import Scores

__all__ = ["Parse", "Trees"]

FACTORIZATIONS = ("arc", "sibling", "grandchild", "carreras", "grand-sibling", "tri-sibling")


@dataclass(frozen=True, eq=False)
class Parse:
    """A tree over a sentence of n words.

    Attributes
    ----------
    heads : int32 array, shape (n+1,)
        The head of each word: 0 is the root, whose own head is -1.
    labels : int32 array, shape (n+1,), or None
        The label of the arc into each word, -1 at the root; None when labels were not scored.
    score : float
        The sum of the scores of all parts, in float64.
    """

    heads: npt.NDArray[np.int32]
    labels: npt.NDArray[np.int32] | None
    score: float


@dataclass(frozen=True)
class Trees:
    """A set of trees over a sentence, and how their scores fall into parts.

    Parameters
    ----------
    projective : bool
        Whether arcs may not cross.  The root stands to the left of the words, and its arcs may not be
        crossed either.
    single_root : bool
        Whether exactly one word is attached to the root, or any number from one.
    factorization : str
        Which parts are scored; so far ``"arc"``.

    Examples
    --------
    >>> scores = Scores(arc=[[0, 9, 9], [0, 0, 2], [0, 3, 0]])
    >>> Trees(single_root=True).argmax(scores)
    Parse(heads=array([-1,  2,  0], dtype=int32), labels=None, score=12.0)
    >>> Trees(single_root=False).argmax(scores)
    Parse(heads=array([-1,  0,  0], dtype=int32), labels=None, score=18.0)
    """

    projective: bool = True
    single_root: bool = True
    factorization: str = "arc"

    def __post_init__(self) -> None:
        if self.factorization not in FACTORIZATIONS:
            known = ", ".join(FACTORIZATIONS)
            raise ValueError(f"there is no factorization {self.factorization!r}; there are {known}")
        if self.factorization != "arc":
            raise NotImplementedError(
                f"the factorization {self.factorization!r} is not available yet; use 'arc' (single arcs)"
            )

    def argmax(self, scores: Scores) -> Parse:
        """Find the tree with the highest score, exactly.

        Projective trees are searched by Eisner's algorithm in O(n³), others as maximum spanning arborescences
        in O(n²).  Where several trees are best, one of them is returned, always the same.

        Parameters
        ----------
        scores : Scores
            The score of each part.

        Returns
        -------
        Parse
            The best tree, with the best label on each arc if labels are scored.

        Raises
        ------
        ValueError
            If every tree contains a forbidden part.
        """
        arc = with_best_labels(scores)
        search = None if self.projective else arborescence
        heads = search(arc, self.single_root)
        if heads[1] < 0:
            raise ValueError(self._why_none(arc))
        labels = best_labels(scores, heads)
        return Parse(heads, labels, _total(scores, heads, labels))

    def _why_none(self, arc: npt.NDArray[np.float64]) -> str:
        """Say why all trees are forbidden."""
        allowed = arc > -np.inf
        np.fill_diagonal(allowed, False)
        for m in range(1, len(arc)):
            if not allowed[:, m].any():
                return f"no tree is possible: word {m} cannot get a head, every arc into it is forbidden"
        reached = _reached_from_root(allowed)
        if not reached.all():
            word = int(reached.argmin())
            return f"no tree is possible: word {word} cannot be reached from the root along allowed arcs"
        kind = ("single-root " if self.single_root else "") + ("projective " if self.projective else "")
        return f"no {kind}tree is possible: each contains a forbidden arc, though every word can get a head"


def _reached_from_root(allowed: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Tell which vertices can be reached from the root."""
    reached = np.zeros(len(allowed), bool)
    pending = [0]
    reached[0] = True
    while pending:
        found = allowed[pending.pop()] & ~reached
        found[0] = False
        reached |= found
        pending += np.flatnonzero(found).tolist()
    return reached


def _total(scores: Scores, heads: npt.NDArray[np.int32], labels: npt.NDArray[np.int32] | None) -> float:
    """Add up the scores of the parts of a tree, rounding once."""
    h, m = heads[1:], np.arange(1, heads.size)
    parts = scores.arc[h, m].tolist()
    if scores.label is not None and labels is not None:
        parts += scores.label[h, m, labels[1:]].tolist()
    return math.fsum(parts)
