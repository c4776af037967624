"""Projective and non-projective training of three learners: Tables 2 and 3 of Koo et al. (2007) on open treebanks.

Usage: ``python experiments/matrix-tree/run.py [--languages danish dutch …] [--sentences N]``

Each cell is one training: treebank × learner × kind of trees × C.  A slice of train chooses C, the number of epochs,
for models trained non-projectively how to decode, and for Table 3 the kind of training; the dev file is the test set.
Where the best C is the smallest or the largest tried, the next one is tried, too.
"""

from __future__ import annotations

import functools
import math
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

from treewright.dependency.problem import ParsingProblem
from treewright.features import DependencyFeatures
from treewright.inference import Trees
from treewright.learning import MaxMargin, Perceptron, StochasticGradient

FOLDER = Path(__file__).parent
TREEBANKS = [
    "dep-native/danish-ddt-native",
    "dep-native/dutch-alpino-native",
    "ud/turkish-imst",
    "ud/portuguese-bosque",
    "ud/japanese-gsd",
    "ud/basque-bdt",
]
#: Learner → epochs at most, values of C to try, and how to make it.  The dual variables of max-margin training start 9
#: above zero on gold arcs, and come down by about one in an epoch: the weights of the first ten mean little.
LEARNERS = {
    "perceptron": (10, (None,), lambda C: Perceptron()),
    "max-margin": (14, (0.003, 0.01, 0.03), lambda C: MaxMargin(C=C, threads=1, report_primal=False)),
    "log-linear": (6, (0.1, 1.0, 10.0), lambda C: StochasticGradient(C=C)),
}
LETTERS = {"perceptron": "P", "max-margin": "E", "log-linear": "L"}
TRAININGS = {"p": True, "np": False}
#: Values of C at most.
MOST_VALUES = 9
#: How long an epoch takes, relative to the perceptron.
COST = {"perceptron": 1.0, "max-margin": 2.0, "log-linear": 2.0}

#: The test results of the paper: Table 2 in the order of LEARNERS × TRAININGS, and Table 3 in that of LEARNERS.
PAPER_2 = {
    "Arabic": (71.74, 71.84, 71.74, 72.99, 73.11, 73.67),
    "Dutch": (77.17, 78.83, 76.53, 79.69, 76.23, 79.55),
    "Japanese": (91.90, 91.78, 92.10, 92.18, 91.68, 91.49),
    "Slovene": (78.02, 78.66, 79.78, 80.10, 78.24, 79.66),
    "Spanish": (81.19, 80.02, 81.71, 81.93, 81.75, 81.57),
    "Turkish": (71.22, 71.70, 72.83, 72.02, 72.26, 72.62),
}
PAPER_3 = {
    "Arabic": (71.74, 72.99, 73.67),
    "Dutch": (78.83, 79.69, 79.55),
    "Japanese": (91.78, 92.18, 91.49),
    "Slovene": (78.66, 80.10, 79.66),
    "Spanish": (81.19, 81.93, 81.57),
    "Turkish": (71.70, 72.02, 72.26),
    "average": (79.05, 79.82, 79.71),
}
#: Sentences of all languages that are better and worse than with the perceptron (footnote 7).
PAPER_SIGNS = {"max-margin": (500, 383), "log-linear": (448, 343)}


def plan(treebanks, options):
    """List the cells, those of the smallest treebank first."""
    return [
        make_cell(treebank, learner, training, C, options)
        for treebank in sorted(treebanks, key=lambda treebank: treebank.words)
        for learner, (_, values, _) in LEARNERS.items()
        for training in TRAININGS
        for C in values
    ]


def make_cell(treebank, learner, training, C, options):
    most = LEARNERS[learner][0]
    epochs = min(options.epochs or most, most)
    settings = common.common_settings(treebank, epochs, options)
    settings |= {"learner": learner, "trees": training, "C": C}
    if learner == "max-margin":
        settings["patience"] = epochs
    title = " ".join([treebank.title, learner, training, *([f"C={C:g}"] if C else [])])
    return common.Cell(treebank, settings, title, treebank.words * epochs * COST[learner])


def compute(cells, store, options):
    """Compute the cells, and more of them while the best C of any training is at the edge; return all."""
    while True:
        common.compute(cells, store, run_cell)
        more = [cell for cell in wider(cells, store, options) if cell in store or not options.stored]
        if not more:
            return cells
        cells = cells + more


def wider(cells, store, options):
    """List the cells with the next C beyond the best, where the best is the smallest or the largest."""
    more = []
    for group in by_training(cells):
        values = {cell.settings["C"]: store[cell]["validation"] for cell in group if cell in store}
        if (C := next_value(values)) is not None:
            settings = group[0].settings
            more.append(make_cell(group[0].treebank, settings["learner"], settings["trees"], C, options))
    return more


def by_training(cells):
    """Group the cells that differ in C alone."""
    groups = {}
    for cell in cells:
        groups.setdefault(tuple(cell.settings[name] for name in ("treebank", "learner", "trees")), []).append(cell)
    return groups.values()


def next_value(values):
    """Return the next C to try, given the scores of others; None if the best is between two, or there are enough."""
    ordered = sorted(values, key=lambda C: C or 0)
    if not 1 < len(ordered) < MOST_VALUES:
        return None
    best = max(ordered, key=values.__getitem__)
    if best not in (ordered[0], ordered[-1]):
        return None
    beyond = best**2 / ordered[1 if best == ordered[0] else -2]
    half_decades = round(2 * math.log10(beyond))
    return float(f"{3 if half_decades % 2 else 1}e{half_decades // 2}")


@functools.lru_cache(maxsize=1)
def features_of(treebank):
    return DependencyFeatures.of(treebank.train, kinds=["arc"])


def run_cell(cell, say):
    """Train; choose the epoch, and how to decode, on the validation slice; count correct heads on dev."""
    settings, treebank = cell.settings, cell.treebank
    features = features_of(treebank)
    trees = Trees(TRAININGS[settings["trees"]], treebank.single_root)
    decoders = {"projective": Trees(True, treebank.single_root)}
    if not trees.projective:
        decoders["nonprojective"] = trees

    def validate(weights):
        scores = {}
        for name, decoder in decoders.items():
            correct = common.correct_heads(features, weights, decoder, treebank.validation)
            scores[name] = common.uas(correct, treebank.validation)
        return {"best": max(scores.values()), **scores}

    learner = LEARNERS[settings["learner"]][-1](settings["C"])
    fit = common.fit(ParsingProblem(treebank.train, features, trees), learner, validate, settings, say)
    decoding = max(decoders, key=fit.validation.__getitem__)
    return {
        "validation": fit.validation["best"],
        "epoch": fit.epoch,
        "decoding": decoding,
        "seconds": fit.seconds,
        "correct": common.correct_heads(features, fit.weights, decoders[decoding], treebank.dev),
    }


class Results:
    """The cells that validation chose."""

    def __init__(self, treebanks, cells, store):
        self.treebanks, self.cells, self.store = treebanks, cells, store

    def best(self, treebank, learner, training=None):
        """Give the settings and the result of the best C (and of the better kind of training if it is not given)."""
        wanted = {"treebank": treebank.name, "learner": learner} | ({"trees": training} if training else {})
        found = [cell for cell in self.cells if wanted.items() <= cell.settings.items() and cell in self.store]
        cell = max(found, key=lambda cell: self.store[cell]["validation"])
        return cell.settings | self.store[cell]

    def uas(self, treebank, learner, training=None):
        return common.uas(self.best(treebank, learner, training)["correct"], treebank.dev)

    def pooled(self, learner, training=None):
        """Count the correct heads of each sentence of all treebanks."""
        return np.concatenate([self.best(treebank, learner, training)["correct"] for treebank in self.treebanks])


def table_2(results):
    columns = [(learner, training) for learner in LEARNERS for training in TRAININGS]
    rows = []
    for treebank in results.treebanks:
        row = {"treebank": treebank.title}
        rows.append(row | {f"{learner} {kind}": results.uas(treebank, learner, kind) for learner, kind in columns})
    for language, scores in PAPER_2.items():
        names = (f"{learner} {kind}" for learner, kind in columns)
        rows.append({"treebank": f"*paper: {language}*", **dict(zip(names, scores, strict=True))})
    return rows


def table_3(results):
    rows = [
        {"treebank": treebank.title, **{LETTERS[learner]: results.uas(treebank, learner) for learner in LEARNERS}}
        for treebank in results.treebanks
    ]
    rows.append({"treebank": "average", **{letter: mean(row[letter] for row in rows) for letter in LETTERS.values()}})
    for language, scores in PAPER_3.items():
        rows.append({"treebank": f"*paper: {language}*", **dict(zip(LETTERS.values(), scores, strict=True))})
    return rows


def mean(numbers):
    return float(np.mean(list(numbers)))


def chosen_table(results):
    """Tell what validation chose."""
    rows = []
    for treebank in results.treebanks:
        row = {"treebank": treebank.title}
        for learner in LEARNERS:
            for training in TRAININGS:
                best = results.best(treebank, learner, training)
                C = [] if best["C"] is None else [f"C {best['C']:g}"]
                decoding = [] if training == "p" else [best["decoding"]]
                row[f"{learner} {training}"] = ", ".join([*C, f"T {best['epoch']}", *decoding])
        rows.append(row)
    return rows


def training_signs(results):
    """Compare non-projective with projective training."""
    rows = []
    for treebank in [*results.treebanks, None]:
        for learner in LEARNERS:
            if treebank is None:
                title, gain = "all", mean(gain_of(results, bank, learner) for bank in results.treebanks)
                pair = [results.pooled(learner, training) for training in ("np", "p")]
            else:
                title, gain = treebank.title, gain_of(results, treebank, learner)
                pair = [results.best(treebank, learner, training)["correct"] for training in ("np", "p")]
            rows.append({"treebank": title, "learner": learner, "np − p": gain, **common.sign_test(*pair)})
    return rows


def gain_of(results, treebank, learner):
    return results.uas(treebank, learner, "np") - results.uas(treebank, learner, "p")


def learner_signs(results):
    """Compare max-margin and log-linear models with the perceptron, and with each other, as in footnote 7."""
    rows = []
    for a, b in (("max-margin", "perceptron"), ("log-linear", "perceptron"), ("max-margin", "log-linear")):
        gain = mean(results.uas(treebank, a) - results.uas(treebank, b) for treebank in results.treebanks)
        test = common.sign_test(results.pooled(a), results.pooled(b))
        paper = "{} better, {} worse, p ≤ 0.001".format(*PAPER_SIGNS[a]) if b == "perceptron" else ""
        rows.append({"learners": f"{a} against {b}", "gain": gain, **test, "paper": paper})
    return rows


def report(results):
    """Write all tables."""
    return "\n".join(
        [
            "# Matrix-tree: results\n",
            "Written by `run.py`. UAS on dev, all words, gold tags.\n",
            common.markdown(common.treebank_table(results.treebanks)),
            "\n## Table 2: projective (p) and non-projective (np) training\n",
            common.markdown(table_2(results)),
            "\n## Table 3: learners, the kind of training chosen on validation\n",
            common.markdown(table_3(results)),
            "\n## Sign test over sentences: learners, all treebanks together\n",
            common.markdown(learner_signs(results)),
            "\n## Sign test over sentences: non-projective against projective training\n",
            common.markdown(training_signs(results)),
            "\n## What validation chose\n",
            common.markdown(chosen_table(results)),
            "",
        ]
    )


def draw(results, pyplot):
    """Draw what non-projective training gains, by treebank, and what the learners gain over the perceptron."""
    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4.5))
    banks = sorted(results.treebanks, key=lambda bank: bank.lifted)
    places, names = np.arange(len(banks)), [f"{bank.title}\n{bank.lifted:.1f} %" for bank in banks]
    for offset, learner in enumerate(LEARNERS):
        gains = [gain_of(results, bank, learner) for bank in banks]
        axes[0].bar(places + 0.27 * (offset - 1), gains, 0.25, label=learner)
    axes[0].set(title="Non-projective less projective training", ylabel="UAS points", xlabel="arcs lifted")
    for offset, learner in enumerate(list(LEARNERS)[1:]):
        gains = [results.uas(bank, learner) - results.uas(bank, "perceptron") for bank in banks]
        axes[1].bar(places + 0.27 * (offset - 0.5), gains, 0.25, label=learner, color=f"C{offset + 1}")
    axes[1].set(title="Marginal-based learners less the perceptron", ylabel="UAS points")
    for axis in axes:
        axis.axhline(0, color="black", linewidth=0.8)
        axis.set_xticks(places, names, fontsize=8)
        axis.legend()
    return figure


def main() -> None:
    epochs = "10 for the perceptron, 14 for max-margin, 6 for log-linear models"
    options = common.arguments(__doc__, FOLDER, epochs).parse_args()
    treebanks = common.load_treebanks(options, TREEBANKS)
    store = common.Store("matrix-tree", options, run_cell)
    cells = compute(plan(treebanks, options), store, options)
    results = Results(treebanks, cells, store)
    common.save(store, report(results), common.csv_rows(cells, store), functools.partial(draw, results))


if __name__ == "__main__":
    common.in_main(main)
