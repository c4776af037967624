"""How to train a parser: the choices, with what each means."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from treewright.execution import Executor
from treewright.features.settings import TAG_ATTRIBUTES
from treewright.inference.kinds import FACTORIZATIONS
from treewright.learning import (
    Learner,
    LogLinear,
    LogLinearEG,
    MaxMargin,
    Mira,
    Perceptron,
    StochasticGradient,
)

__all__ = ["TrainingOptions"]

#: The beam of Koo & Collins (2010, Table 1).
BEAM = 1e-4

#: What can be left out of the higher-order features, for ablations → the kinds of parts that are not scored then.
WITHOUT: Mapping[str, tuple[str, ...]] = {
    "third-order": ("grand_sibling", "tri_sibling"),
    "grandchild": ("grandchild", "grand_sibling"),
}


@dataclass(frozen=True)
class TrainingOptions:
    """How to train a parser.

    Attributes
    ----------
    trees : {"projective", "nonprojective"}
        Which trees are searched.
    roots : {"single", "multi"}
        Whether exactly one word is attached to the root.
    factorization : {"arc", "sibling", "grandchild", "carreras", "grand-sibling", "tri-sibling"}
        Which parts are scored.
    non_local : collection of {"siblings", "tri-siblings", "grandchildren", "great-grandchildren", "combs"}
        Factors beyond those parts to score, by branch and bound (Qian & Liu 2013, section 4.3): all pairs and triples
        of modifiers of a head, chains of two and three arcs, runs of modifiers.
    without : collection of {"third-order", "grandchild"}
        Features to leave out (Koo & Collins 2010, Table 3).
    labels : bool
        Whether to predict relations, or heads alone.
    learner : {"mira", "perceptron", "log-linear", "max-margin"}
    optimizer : {"sgd", "eg", "l-bfgs", "cg"}, optional
        How a log-linear model is optimised: online (stochastic or exponentiated gradient) or in batches.  ``sgd``
        unless given, and ``l-bfgs`` where raw text is learned from.
    learn_from : {"automata", "trees"}
        With larger parts of non-projective trees: whether to learn from what head automata choose by themselves (Koo et
        al. 2010, section 6), or from the trees that dual decomposition finds.
    C : float, optional
        How much the data count against the size of the weights; the largest step of MIRA.  Chosen by the learner
        unless given.
    beam : float, optional
        Prune arcs whose probability, in a first-order model, is below this share of that of the best head; 0 prunes
        nothing.  Unless given, 0 for ``arc`` and 1e-4 for all that looks at more.
    max_heads : int
        Prune all but so many heads of each word; 0 for any number.
    tags : {"predicted", "gold", "none"}
        Whether the parser learns from the tags (and lemmas) of the treebank, for input that has such tags, or from
        those of its own tagger, by jackknifing, so that it can parse raw text, or does without any.
    top_words : int, optional
        How many words, the most frequent, have features of their form; all unless given, but for features that look at
        a word and a cluster, 800 (Koo et al. 2008, section 3.2).
    min_count : int
        Features seen less often than this in the treebank are not learned.
    rounds : int
        With raw text: how often generative models are estimated from it, each time by a better model.
    B : float
        With raw text: what their values are multiplied by (Suzuki et al. 2009, Equation 8).  They are features of every
        arc, so that with more than a tenth no optimiser gets anywhere.
    folds : int
        Folds of jackknifing.
    epochs, patience : int, optional
        See `treewright.learning.train`; 10 and 3 unless given, 100 and 10 for batch optimisers.
    seed : int
        See `treewright.learning.train`.
    threads : int
        How many to use, 0 for all cores; the result does not depend on it.
    """

    trees: Literal["projective", "nonprojective"] = "projective"
    roots: Literal["single", "multi"] = "single"
    factorization: str = "arc"
    non_local: Collection[str] = ()
    without: Collection[str] = ()
    labels: bool = True
    learner: Literal["mira", "perceptron", "log-linear", "max-margin"] = "mira"
    optimizer: Literal["sgd", "eg", "l-bfgs", "cg"] | None = None
    learn_from: Literal["automata", "trees"] = "automata"
    C: float | None = None
    beam: float | None = None
    max_heads: int = 0
    tags: Literal["predicted", "gold", "none"] = "predicted"
    top_words: int | None = None
    min_count: int = 1
    rounds: int = 1
    B: float = 0.03
    folds: int = 10
    epochs: int | None = None
    patience: int | None = None
    seed: int = 1
    threads: int = 0

    @property
    def is_batch(self) -> bool:
        """Whether an epoch is an iteration of a batch optimiser."""
        return self.learner == "log-linear" and self.optimizer in ("l-bfgs", "cg")

    @property
    def most_epochs(self) -> int:
        """The number of epochs at most."""
        return self.epochs or (100 if self.is_batch else 10)

    @property
    def chosen_beam(self) -> float:
        """The beam, 0 where nothing is pruned."""
        if self.beam is not None:
            return self.beam
        return 0.0 if self.factorization == "arc" and not self.non_local else BEAM

    @property
    def ignored(self) -> Collection[str]:
        """The attributes of words that features do not look at: what the text to be parsed will not have."""
        return {"predicted": ("lemma",), "gold": (), "none": TAG_ATTRIBUTES}[self.tags]

    @property
    def kinds(self) -> list[str]:
        """The kinds of parts that are scored."""
        left_out = {kind for name in self.without for kind in WITHOUT[name]}
        if self.trees == "projective":
            left_out.add("last")  # which belongs to head automata
        kinds = [str(kind) for kind in FACTORIZATIONS[self.factorization].kinds if kind not in left_out]
        return [*kinds, "label"] if self.labels else kinds

    def make_learner(self, executor: Executor | None = None) -> Learner:
        """Make the learner that the options describe; one that learns in batches does so by an executor."""
        chosen: dict[str, Any] = {} if self.C is None else {"C": self.C}
        if self.learner == "perceptron":
            return Perceptron()
        if self.learner == "mira":
            return Mira(**chosen)
        if self.learner == "max-margin":
            return MaxMargin(**chosen, threads=self.threads)
        if self.optimizer in (None, "sgd"):
            return StochasticGradient(**chosen)
        if self.optimizer == "eg":
            return LogLinearEG(**chosen, threads=self.threads)
        optimizer: Literal["cg", "l-bfgs"] = "cg" if self.optimizer == "cg" else "l-bfgs"
        return LogLinear(**chosen, optimizer=optimizer, threads=self.threads, executor=executor)
