"""How to train a constituent parser: the choices, with what each means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from treewright.dependency.options import CALIBRATE, Calibrate
from treewright.options import EmptyElements, Options, option

__all__ = ["BEAM", "ConstituentOptions"]

#: α of Carreras, Collins and Koo (2008, section 3.2).  Their results are with 10⁻⁶; Table 3 also has 10⁻⁵ and 10⁻⁴.
BEAM = 1e-5


@dataclass(frozen=True)
class ConstituentOptions(Options):
    """How to train a constituent parser.

    Equations and sections are those of Carreras, Collins and Koo (2008).
    """

    order: Literal["first", "second"] = option(
        "second",
        "Score dependencies alone, or with siblings and grandchildren: more accurate, and slower.",
        see="Equations 2 and 3",
    )
    rules: str = option("collins", "Head rules: collins, yamada-matsumoto, default, or a file.")
    levels: Literal["flat", "all"] = option(
        "flat",
        "Levels that adjunction cannot bring back: give them up, or make them nodes of spines.",
        see="`treewright.constituency.spines.extract_derivation`",
    )
    empty: EmptyElements = option(
        "penn", "What counts as an empty element, and is removed.", see="`treewright.treebank.simplify`"
    )
    tags: Literal["predicted", "gold"] = option(
        "predicted",
        "Learn from tags that the parser's own tagger predicts (by jackknifing), to parse raw text; or from those of "
        "the treebank, to parse input that has them (parse --keep-tags).",
    )
    beam: float = option(
        BEAM,
        "Links less likely than this share of the best of a word are not searched.",
        min=0,
        max=1,
        see="α of section 3.2",
    )
    # Longer trees are few, and take most of the time and memory.
    longest: int = option(100, "Trees of more words are not learned from.", min=1)
    calibrate: Calibrate = option("twice", CALIBRATE)
    folds: int = option(10, "Folds of jackknifing.", min=2)
    pruner_folds: int = option(
        5,
        "Prune the training trees in this many folds, each by a pruner that has not seen it; 1 prunes them by the "
        "parser's own, which keeps more of them than of other text.",
        min=1,
    )
    epochs: int = option(10, "Passes over the treebank at most.", min=1)
    patience: int = option(3, "Stop after this many epochs without a better dev F1.", min=1)
    seed: int = option(1, "The order of the sentences; the same seed gives the same model.", min=0)
    bits: int | None = option(
        None,
        "Two to this power is the size of the table of labelled features.",
        shown="by the size of the treebank",
        python_only=True,
    )
    threads: int = option(0, "Threads to use, 0 for one per core; the model does not depend on it.", min=0)
