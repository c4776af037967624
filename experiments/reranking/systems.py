"""The systems that are compared: which there are, and how each is trained."""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass

import common
import curves
import numpy as np
import tuning
import values
from corpora import PARTS, Corpus, Material, digest, load_material
from judging import judge

from treewright.reranking import (
    RerankingOptions,
    boost,
    evaluate_choices,
    select_features,
    train_reranker,
    tune_mixture,
)
from treewright.reranking.candidates.scoring import score_candidates
from treewright.reranking.hidden import (
    ConjugateGradient,
    HiddenSettings,
    StochasticDescent,
    Supersenses,
    train_hidden,
)

#: ε of boosting: the eight of Collins and Koo (2005, section 5.3), their best first, and some beyond, so that none that
#: is chosen is the last of its kind.
SMOOTHINGS = (0.0025, 0.0001, 0.00025, 0.0005, 0.00075, 0.001, 0.005, 0.0075, 0.00005, 0.01, 0.02)
#: Rounds of boosting on ExpLoss and on the bound on LogLoss, and of selection on LogLoss itself, as in the article.
#: Selection, whose rounds are a hundred times slower, ends when the slice has not become better for a while.
ROUNDS = {"boost": 100_000, "log-bound": 100_000, "log-selection": 100_000}
SELECTION_PATIENCE = 1000
#: C of the log-linear model, and iterations of L-BFGS at most.
CS, ITERATIONS = (0.01, 0.03, 0.1, 0.3, 1.0), 100
#: α₀ and epochs of the perceptron.
ALPHAS, EPOCHS = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0), (1, 2, 4, 8, 16, 32)
#: Hidden-variable models: the three that the article mixes, then others.  Epochs at most, and without a gain.
MIXED = ("supersense sibling", "lexical sibling", "highest head")
OTHERS = ("tag head", "supersense head", "lexical head", "highest sibling", "tag sibling")
DESCENT, HIDDEN_EPOCHS, HIDDEN_PATIENCE = {"C": 1.0, "rate": 0.1}, 12, 4
#: The model that is also learned by conjugate gradient (footnote 3), and from one best candidate of each list.
#: Iterations of conjugate gradient at most, and without a gain.
ABLATED, CG_ITERATIONS, CG_PATIENCE = "highest head", 60, 10

BOOSTS = tuple(f"boost {smoothing}" for smoothing in SMOOTHINGS)
#: Mixtures, each with the models in it besides the base; "boost" stands for the best of those on the slice.
MIXTURES = {
    "mix": tuple(f"hidden {name}" for name in MIXED),
    "mix+": (*(f"hidden {name}" for name in MIXED), "boost"),
    "mix+ log-linear": (*(f"hidden {name}" for name in MIXED), "log-linear"),
    "mix of eight": tuple(f"hidden {name}" for name in (*MIXED, *OTHERS)),
    "mix+ of eight": (*(f"hidden {name}" for name in (*MIXED, *OTHERS)), "boost"),
    "mix without base": tuple(f"hidden {name} without-base" for name in MIXED),
    **{f"mix {name} without base": (f"hidden {name} without-base",) for name in MIXED},
}
#: The mixtures whose weights are tuned in several ways.
TUNED = ("mix", "mix+", "mix+ log-linear")
#: The more telling first.  How long each takes, in any unit, per word of train.
MAIN = {
    "lists": 40,
    "base": 1,
    "oracle": 1,
    BOOSTS[0]: 6,
    "log-linear": 12,
    **{f"hidden {name}": 14 for name in MIXED},
    **dict.fromkeys(BOOSTS[1:], 6),
    **dict.fromkeys(TUNED, 1),
    "tuning": 2,
    "perceptron": 4,
}
#: Learners of LogLoss, with the work of each: all best candidates count, or with "one", the most probable of them.
TIES = {"log-linear": 12, "log-bound": 8, "log-selection": 30}
LOSSES = {
    **{f"{name} unweighted": 6 for name in BOOSTS},
    "log-bound": 8,
    "log-selection": 30,
    **{f"{name} one": work for name, work in TIES.items()},
    "log-bound fitted": 8,
    "log-selection fitted": 30,
}
#: What is run on lists with duplicates.
DUPLICATES = ("lists", "base", "oracle", BOOSTS[0], *(f"{name}{end}" for name in TIES for end in ("", " one")))
#: The other five models, and mixtures of all eight; then ablations of the base log-probability, ties and the optimizer.
HIDDEN = {
    **{f"hidden {name}": 14 for name in OTHERS},
    **dict.fromkeys(["mix of eight", "mix+ of eight"], 1),
    **{f"hidden {name} without-base": 14 for name in MIXED},
    **dict.fromkeys(["mix without base", *(f"mix {name} without base" for name in MIXED)], 1),
    f"hidden {ABLATED} one": 14,
    f"hidden {ABLATED} cg": 90,
}


@dataclass(frozen=True, eq=False)
class Model:
    """What came out of training: the scores of all candidates of validation and dev, and what there is to tell."""

    validation: np.ndarray
    dev: np.ndarray
    found: dict


class Laboratory:
    """Trains systems; keeps what the next one of the same corpus needs again."""

    def __init__(self, cells, store, data) -> None:
        self._cells, self._store, self._data = cells, store, data
        self._material = functools.lru_cache(maxsize=1)(load_material)

    def run(self, cell, say):
        """Train a system, and judge what it chooses on the slice and on dev."""
        corpus, system = cell.treebank, cell.settings["system"]
        material, start = self._material(corpus, say), time.process_time()
        if system == "lists":
            return describe(material)
        if system == "oracle":
            return judge(material.dev, corpus, material.dev.oracle())
        if system == "tuning":
            return {name: self._compare_tuning(material, name) for name in TUNED}
        model = self._learn(material, system, say)
        np.savez(self._scores(corpus, system), validation=model.validation, dev=model.dev)
        told = {"validation": mean_score(material.validation, model.validation), **model.found}
        judged = judge(material.dev, corpus, material.dev.best(model.dev))
        return told | judged | {"seconds": time.process_time() - start}

    def _learn(self, material, system, say) -> Model:
        if system == "base":
            return Model(material.validation.log_probability, material.dev.log_probability, {})
        kind, _, rest = system.partition(" ")
        if kind in ("boost", "log-bound", "log-selection"):
            return learn_rounds(material, kind, rest, say)
        if kind == "hidden":
            return learn_hidden(material, rest, self._data, say)
        if system in MIXTURES:
            return self._mix(material, system)
        if kind == "log-linear":
            return learn_log_linear(material, rest or "all", say)
        return learn_perceptron(material, say)

    def _mix(self, material, system) -> Model:
        """Tune the weights of models on the slice (Koo and Collins 2005, section 4.3)."""
        names, columns = self._columns(material, system)
        mixture = tune_mixture(names, [one["validation"] for one in columns], material.validation)
        scores = [mixture.scores([one[part] for one in columns]) for part in PARTS[1:]]
        return Model(*scores, {"weights": dict(zip(names, mixture.weights, strict=True))})

    def _compare_tuning(self, material, system) -> dict:
        """Tune the weights in several ways on a part of the slice, and test them on the rest of it."""
        _, columns = self._columns(material, system)
        return tuning.compare(np.stack([one["validation"] for one in columns]), material.validation)

    def _columns(self, material, system):
        """Name the models of a mixture, and give the scores of each."""
        names = ["base", *MIXTURES[system]]
        if "boost" in names:
            corpus = material.corpus.name
            best = max(BOOSTS, key=lambda name: self._store[self._cells[corpus, name]]["validation"])
            names[names.index("boost")] = best
        return names, [np.load(self._scores(material.corpus, name)) for name in names]

    def _scores(self, corpus: Corpus, system: str):
        name = digest(self._store.settings(self._cells[corpus.name, system]))
        return common.CACHE / "reranking" / f"{name}-scores.npz"


def mean_score(candidates, scores) -> float:
    return 100 * evaluate_choices(candidates, candidates.best(scores)).chosen


def describe(material: Material) -> dict:
    """Tell how large the lists are, and how good."""
    value = {"features": material.train.feature_count}
    for part in PARTS:
        candidates = getattr(material, part)
        report = evaluate_choices(candidates, candidates.base())
        value |= {
            f"{part} lists": candidates.sentences,
            f"{part} candidates": len(candidates),
            f"{part} base": 100 * report.base,
            f"{part} best": 100 * report.oracle,
            f"{part} tied": 100 * float((np.add.reduceat(candidates.is_best(), candidates.offsets[:-1]) > 1).mean()),
        }
    return value


def learn_rounds(material, kind, rest, say) -> Model:
    """Boost or select features; the slice chooses the number of rounds, and curves are recorded on the way."""
    rounds = ROUNDS[kind]
    choices = {"dev": material.validation, "report": lambda number: say(f"{number:,} rounds", 0.9 * number / rounds)}
    if kind in TIES:
        choices |= {"ties": "one" if rest == "one" else "all", "alpha": "fit" if rest == "fitted" else 1.0}
    if kind == "log-selection":
        boosted = select_features(material.train, rounds, patience=SELECTION_PATIENCE, **choices)
    elif kind == "log-bound":
        boosted = boost(material.train, rounds, loss="log", **choices)
    else:
        smoothing, _, unweighted = rest.partition(" ")
        importance = "uniform" if unweighted else "score"
        boosted = boost(material.train, rounds, smoothing=float(smoothing), importance=importance, **choices)
    weights = boosted.weights()
    scores = [score_candidates(part, boosted.alpha, weights) for part in (material.validation, material.dev)]
    found = {"rounds": boosted.best_rounds, "used": int(np.count_nonzero(weights)), "alpha": boosted.alpha}
    return Model(*scores, found | curves.record(material, boosted))


def learn_log_linear(material, ties, say) -> Model:
    """Minimise the penalised LogLoss with several C, of which the slice chooses one."""
    found = []
    for number, C in enumerate(CS):

        def report(iteration, number=number):
            say(f"{iteration} iterations, C {CS[number]}", (number + iteration / ITERATIONS) / (len(CS) + 0.1))

        options = RerankingOptions("log-linear", C=C, rounds=ITERATIONS, ties=ties)
        found.append((train_reranker(material.train, options, report=report), {"C": C}))
    return choose(material, found)


def learn_perceptron(material, say) -> Model:
    """Run several numbers of epochs, with several weights of the base, of which the slice chooses one pair."""
    pairs, found = [(alpha, epochs) for alpha in ALPHAS for epochs in EPOCHS], []
    for number, (alpha, epochs) in enumerate(pairs):
        say(f"{epochs} epochs", (number + 0.5) / len(pairs))
        options = RerankingOptions("perceptron", rounds=epochs, alpha=alpha)
        found.append((train_reranker(material.train, options), {"alpha": alpha, "epochs": epochs}))
    return choose(material, found)


def choose(material, found) -> Model:
    """Take the model that is best on the slice."""
    columns = [model.scores(material.validation) for model, _ in found]
    tried = [mean_score(material.validation, column) for column in columns]
    best = int(np.argmax(tried))
    model, settings = found[best]
    return Model(columns[best], model.scores(material.dev), settings | {"alpha": model.alpha, "tried": tried})


def learn_hidden(material, name, data, say) -> Model:
    """Train a hidden-variable model; the slice chooses the epoch."""
    trees = material.trees
    domains, structure, *variants = name.split()
    senses = Supersenses.load(data / "wordnet-supersenses" / "supersenses.tsv.gz") if domains == "supersense" else None
    by_cg = "cg" in variants
    model = train_hidden(
        trees["train"],
        material.train,
        (trees["validation"], material.validation),
        settings=HiddenSettings(domains, structure, base_feature="without-base" not in variants),
        supersenses=senses,
        learner=ConjugateGradient(C=DESCENT["C"]) if by_cg else StochasticDescent(**DESCENT),
        epochs=CG_ITERATIONS if by_cg else HIDDEN_EPOCHS,
        patience=CG_PATIENCE if by_cg else HIDDEN_PATIENCE,
        ties="one" if "one" in variants else "all",
        on_sentence=lambda number: say(f"read {number:,} lists", 0.2 * number / material.train.sentences),
        on_progress=lambda progress: say("training", 0.2 + 0.7 * progress.share),
    )
    parts = ((trees[part], getattr(material, part)) for part in PARTS[1:])
    scores = [model.log_probabilities(model.read(*part)) for part in parts]
    epochs = model.info["epochs"]
    found = {
        "epochs": [index + 1 for index, epoch in enumerate(epochs) if epoch["best"]][-1],
        "losses": [epoch["loss"] for epoch in epochs],
        "weights": model.features.size,
        "alpha": model.base_weight,
    }
    if name.startswith(ABLATED):
        weights = model.weights.decoded()  # what has been reached on train, per list
        loss = curves.log_loss(material.train, model.scores(material.train, trees["train"]))
        found["objective"] = DESCENT["C"] * loss + float(weights @ weights) / 2 / material.train.sentences
    if name == "tag head":
        found["values"] = values.find(model, trees["train"], material.train)
    return Model(*scores, found)
