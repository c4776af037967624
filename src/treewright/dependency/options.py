"""How to train a parser: the choices, with what each means."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from treewright.errors import UsageError
from treewright.options import Options, option

if TYPE_CHECKING:
    from treewright.execution import Executor
    from treewright.learning import Learner

__all__ = ["CALIBRATE", "Calibrate", "TrainingOptions"]

#: The beam of Koo & Collins (2010, Table 1).
BEAM = 1e-4

#: How many percent of the words of held-out folds may lose their gold head to pruning, unless told otherwise.  No fewer
#: are parsed correctly: they are words that no model gets right (benchmarks/RESULTS.md).
ORACLE_LOSS = 1.0

#: What can be left out of the higher-order features, for ablations → the kinds of parts that are not scored then.
WITHOUT: Mapping[str, tuple[str, ...]] = {
    "third-order": ("grand_sibling", "tri_sibling"),
    "grandchild": ("grandchild", "grand_sibling"),
}

Factorization = Literal["arc", "sibling", "grandchild", "carreras", "grand-sibling", "tri-sibling"]

#: What the stages of a cascade can score.
StageFactorization = Literal["arc", "sibling", "grandchild", "carreras"]

Calibrate = Literal["twice", "aside", "none"]

#: What the option means, for all parsers.
CALIBRATE = (
    "How to find the temperatures that turn scores into probabilities, on a tenth of the treebank, by a model that has "
    "not learned from it: train twice, on everything and then on the rest, to fit them; or once, with that tenth set "
    "aside for good, which is faster and a little less accurate; or do not fit them."
)

#: Treebanks of so many sentences are calibrated in folds unless told otherwise: a tenth of them is too little to fit
#: temperatures to, and training on them is fast.
FOLDED = range(200, 5_001)

NonLocal = Literal["siblings", "tri-siblings", "grandchildren", "great-grandchildren", "combs"]


@dataclass(frozen=True)
class TrainingOptions(Options):
    """How to train a parser."""

    trees: Literal["projective", "nonprojective"] = option("projective", "Whether arcs may cross.")
    roots: Literal["single", "multi"] = option("single", "Whether exactly one word is attached to the root.")
    factorization: Factorization | None = option(
        None,
        "Which parts of a tree are scored: larger ones are more accurate, and slower.",
        shown="grand-sibling; arc for nonprojective trees, non-local features, log-linear and max-margin models",
    )
    non_local: Collection[NonLocal] = option(
        (),
        "Non-local features to add, by branch and bound: pairs or triples of modifiers of a head, chains of two or "
        "three arcs, runs of modifiers.",
        see="Qian & Liu 2013, section 4.3",
    )
    without: Collection[Literal["tokenizer", "lemmas", "third-order", "grandchild"]] = option(
        (),
        "What not to learn: how text is cut into sentences and words, which rules do then; lemmas; or some of the "
        "features, to see what they are worth.",
        see="Koo & Collins 2010, Table 3",
    )
    labels: bool = option(True, "Predict relations, or heads alone.")
    at_most_one: Collection[str] = option(
        (),
        "Relations that at most one modifier of a head has, such as nsubj,obj: in the trees that are learned from, and "
        "in those that the parser finds.",
        metavar="RELATIONS",
    )
    learner: Literal["mira", "perceptron", "log-linear", "max-margin"] = option(
        "mira", "What turns the treebank into weights."
    )
    optimizer: Literal["sgd", "eg", "l-bfgs", "cg"] | None = option(
        None,
        "How a log-linear model is optimised: online, by stochastic or exponentiated gradient; or in batches.",
        shown="sgd, and l-bfgs with raw text",
    )
    learn_from: Literal["automata", "trees"] = option(
        "automata",
        "With higher-order nonprojective trees: learn from what each head automaton chooses by itself, or from whole "
        "trees, which is slower.",
        see="Koo et al. 2010, section 6",
    )
    C: float | None = option(
        None,
        "How much the data count against the size of the weights; the largest step of MIRA.",
        min=1e-9,
        shown="the learner's own",
    )
    oracle_loss: float | None = option(
        None,
        "Prune as many arcs as cost at most this percentage of words their right head, by a cascade of models whose "
        "thresholds are fitted on held-out folds of the treebank.",
        min=0,
        max=100,
        shown="1; nothing is pruned for arc",
    )
    cascade: Collection[StageFactorization] = option(
        (),
        "Which parts each stage of that cascade scores, the cheapest first; one after the other prunes what the ones "
        "before it have left.",
        shown="arc",
        see="Rush & Petrov 2012",
    )
    beam: float | None = option(
        None,
        "Instead, prune arcs that a first-order model finds less likely than this share of the best head; 0 prunes "
        "nothing.",
        min=0,
        max=1,
        shown="fitted; 0.0001 for networks",
    )
    max_heads: int = option(0, "Keep at most this many heads of a word; 0 keeps any number.", min=0)
    tags: Literal["predicted", "gold", "none"] = option(
        "predicted",
        "Learn from tags that the parser's own tagger predicts (by jackknifing), to parse raw text; or from the tags "
        "and lemmas of the treebank, to parse input that has them (parse --keep-tags); or from no tags.",
    )
    top_words: int | None = option(
        None,
        "How many words, the most frequent, have features of their form.",
        min=1,
        shown="all, and 800 together with clusters",
        see="Koo et al. 2008, section 3.2",
    )
    bits: int | None = option(
        None,
        "The binary logarithm of the size of each table of weights, a byte each: less makes a smaller model.",
        min=14,
        max=24,
        shown="by the size of the treebank: a hundred places a word, up to 22; 24 for larger parts",
    )
    size: float | None = option(
        None,
        "The most megabytes that the model file may have: the smallest weights are left out until it is no larger. "
        "Down to a third of its size that costs next to no accuracy.",
        min=0.01,
        metavar="MB",
        shown="any number",
    )
    min_count: int = option(1, "Do not learn features seen less often than this in the treebank.", min=1, max=255)
    rounds: int = option(1, "With raw text: how often to go through it, each time with a better model.", min=1)
    # Generative models are features of every arc: with more than a tenth no optimiser gets anywhere.
    B: float = option(
        0.03, "With raw text: the factor of generative models.", min=1e-9, see="Suzuki et al. 2009, Equation 8"
    )
    calibrate: Literal["folds", "twice", "aside", "none"] | None = option(
        None,
        f"{CALIBRATE} Or fit them on all of the treebank, each fifth by a model trained on the others: the most "
        "faithful, and six trainings in all.",
        shown="folds for a linear model of 200 to 5,000 sentences, else twice",
    )
    folds: int = option(10, "Folds of jackknifing.", min=2)
    epochs: int | None = option(None, "Passes over the treebank at most.", min=1, shown="10, and 100 in batches")
    patience: int | None = option(
        None, "Stop after this many epochs without a better dev LAS.", min=1, shown="3, and 10 in batches"
    )
    seed: int = option(1, "The order of the sentences; the same seed gives the same model.", min=0)
    threads: int = option(0, "Threads to use, 0 for one per core; the model does not depend on it.", min=0)

    def __post_init__(self) -> None:
        """Check the values; refuse what the learner would ignore."""
        super().__post_init__()
        if self.beam is not None and self.oracle_loss is not None:
            raise UsageError("--beam is a threshold and --oracle-loss fits one: give one of them")
        if self.optimizer is not None and self.learner != "log-linear":
            raise UsageError(
                f"the learner {self.learner} has no optimizer to choose: leave out --optimizer {self.optimizer}, or "
                "add --learner log-linear"
            )

    @property
    def is_batch(self) -> bool:
        """Whether an epoch is an iteration of a batch optimiser."""
        return self.learner == "log-linear" and self.optimizer in ("l-bfgs", "cg")

    @property
    def most_epochs(self) -> int:
        """The number of epochs at most."""
        return self.epochs or (100 if self.is_batch else 10)

    @property
    def stages(self) -> Sequence[StageFactorization]:
        """The factorizations of the stages of a fitted cascade."""
        return tuple(self.cascade) or ("arc",)

    @property
    def chosen_oracle_loss(self) -> float | None:
        """The share of words that may lose their right head to a fitted cascade; None where nothing is fitted."""
        if self.beam is not None or (self.oracle_loss is None and self._prunes_nothing):
            return None
        return (ORACLE_LOSS if self.oracle_loss is None else self.oracle_loss) / 100

    @property
    def chosen_beam(self) -> float:
        """The beam of a single stage that is not fitted, 0 where it prunes nothing."""
        return self.beam or 0.0

    @property
    def _prunes_nothing(self) -> bool:
        return self.chosen_factorization == "arc" and not self.non_local and not self.max_heads

    @property
    def chosen_factorization(self) -> Factorization:
        """The factorization; unless given, the one that is most accurate for its time."""
        is_quick = self.trees == "projective" and self.learner in ("mira", "perceptron") and not self.non_local
        return self.factorization or ("grand-sibling" if is_quick else "arc")

    @property
    def ignored(self) -> Collection[str]:
        """The attributes of words that features do not look at: what the text to be parsed will not have."""
        from treewright.features.settings import TAG_ATTRIBUTES

        return {"predicted": ("lemma",), "gold": (), "none": TAG_ATTRIBUTES}[self.tags]

    @property
    def kinds(self) -> list[str]:
        """The kinds of parts that are scored."""
        from treewright.inference.kinds import FACTORIZATIONS

        left_out = {kind for name in self.without for kind in WITHOUT.get(name, ())}
        if self.trees == "projective":
            left_out.add("last")  # which belongs to head automata
        kinds = [str(kind) for kind in FACTORIZATIONS[self.chosen_factorization].kinds if kind not in left_out]
        return [*kinds, "label"] if self.labels else kinds

    def make_learner(self, executor: Executor | None = None) -> Learner:
        """Make the learner that the options describe; one that learns in batches does so by an executor."""
        from treewright import learning

        chosen: dict[str, Any] = {} if self.C is None else {"C": self.C}
        if self.learner == "perceptron":
            return learning.Perceptron()
        if self.learner == "mira":
            return learning.Mira(**chosen)
        if self.learner == "max-margin":
            return learning.MaxMargin(**chosen, threads=self.threads)
        if self.optimizer in (None, "sgd"):
            return learning.StochasticGradient(**chosen)
        if self.optimizer == "eg":
            return learning.LogLinearEG(**chosen, threads=self.threads)
        optimizer: Literal["cg", "l-bfgs"] = "cg" if self.optimizer == "cg" else "l-bfgs"
        return learning.LogLinear(**chosen, optimizer=optimizer, threads=self.threads, executor=executor)
