"""How to train a constituent parser: the choices, with what each means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["BEAM", "ConstituentOptions"]

#: α of Carreras, Collins and Koo (2008, section 3.2), which has 10⁻⁶ for its results, and 10⁻⁴ at the least.
BEAM = 1e-4


@dataclass(frozen=True)
class ConstituentOptions:
    """How to train a constituent parser.

    Attributes
    ----------
    order : {"first", "second"}
        Whether dependencies are scored alone (Equation 2 of Carreras, Collins and Koo 2008), or with siblings and
        grandchildren (Equation 3).
    rules : str
        Head rules: a name of those that come with the package, or a file.
    levels : {"flat", "all"}
        See `treewright.constituency.extract_derivation`.
    empty : {"penn", "historical", "keep"}
        What counts as an empty element; see `treewright.treebank.simplify`.
    tags : {"predicted", "gold"}
        Whether to learn from the tags of a tagger of its own (by jackknifing), or from those of the treebank.
    beam : float
        α of section 3.2.
    longest : int
        Trees of more words are not learned from: they are few, and take most of the time and memory.
    folds, epochs, patience, seed : int
        Of jackknifing; passes over the treebank at most; epochs to wait for a better F1; the order of the sentences.
    bits : int, optional
        Two to this power is the size of the table of labelled features; by the size of the treebank unless given.
    threads : int
        0 is one for each core.
    """

    order: Literal["first", "second"] = "second"
    rules: str = "collins"
    levels: Literal["flat", "all"] = "flat"
    empty: Literal["penn", "historical", "keep"] = "penn"
    tags: Literal["predicted", "gold"] = "predicted"
    beam: float = BEAM
    longest: int = 100
    folds: int = 10
    epochs: int = 10
    patience: int = 3
    seed: int = 1
    bits: int | None = None
    threads: int = 0
