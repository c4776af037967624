"""Beams and third-order models: Tables 1 and 3 of Koo and Collins (2010) on open treebanks.

Usage: ``python experiments/third-order/run.py [--languages english danish] [--sentences N]``

Each cell is one training with the averaged perceptron: treebank × model × beam.  A slice of train chooses the number of
epochs; the dev file is the test set.
"""

from __future__ import annotations

import functools
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

from treewright import TrainingOptions
from treewright.dependency.problem import ParsingProblem
from treewright.dependency.pruner_training import report_pruning
from treewright.features import DependencyFeatures
from treewright.inference import Trees
from treewright.learning import Perceptron, train

FOLDER = Path(__file__).parent
TREEBANKS = ["ud/english-ewt", "dep-native/danish-ddt-native"]

#: Model → its factorization, the features left out, and how long an epoch takes, relative to the first.
MODELS = {
    "Arc": ("arc", (), 1),
    "Sibling": ("sibling", (), 2),
    "Model 0": ("grandchild", (), 3),
    "Carreras (2007)": ("carreras", (), 4),
    "Model 1": ("grand-sibling", (), 9),
    "Model 1, no-3rd": ("grand-sibling", ("third-order",), 7),
    "Model 2": ("tri-sibling", (), 13),
    "Model 2, no-3rd": ("tri-sibling", ("third-order",), 9),
    "Model 2, no-G": ("tri-sibling", ("grandchild",), 5),
}
#: Beam → how long an epoch takes, relative to the first.
BEAMS = {1e-4: 1.0, 1e-3: 0.5, 1e-2: 0.25}
FIRST_BEAM = 1e-4
#: The models of Table 1; the others are trained with the first beam only.
WITH_BEAMS = ("Model 1", "Model 2")
#: Epochs at most, and epochs of the first-order model that prunes; 10 and 10 in the paper.
EPOCHS, PRUNER_EPOCHS = 8, 10

#: The words of the paper's training set, and its Table 1: pass rate, oracle, UAS of Models 1 and 2, minutes of both.
PAPER_WORDS = 950_028
PAPER_1 = {
    1e-4: (26.5, 99.92, 93.49, 93.49, 49.6, 73.5),
    1e-3: (16.7, 99.72, 93.37, 93.29, 25.9, 24.2),
    1e-2: (9.1, 99.19, 93.26, 93.16, 6.7, 7.9),
}
#: Table 3 of the paper: English and Czech.
PAPER_3 = {
    "Model 0": (93.07, 87.39),
    "Carreras (2007)": (93.14, 87.25),
    "Model 1": (93.49, 87.64),
    "Model 1, no-3rd": (93.17, 87.57),
    "Model 2": (93.49, 87.46),
    "Model 2, no-3rd": (93.20, 87.43),
    "Model 2, no-G": (92.92, 86.76),
}
#: Which models to test against each other.
PAIRS = [
    ("Sibling", "Arc"),
    ("Model 1", "Sibling"),
    ("Model 1", "Model 0"),
    ("Model 1", "Carreras (2007)"),
    ("Model 1", "Model 1, no-3rd"),
    ("Model 2", "Model 2, no-3rd"),
    ("Model 2", "Model 2, no-G"),
    ("Model 0", "Model 2, no-G"),
    ("Model 2", "Model 1"),
]


def plan(treebank, options):
    """List the cells of a treebank, those with the same beam together."""
    cells, epochs = [], options.epochs or EPOCHS
    for beam, faster in BEAMS.items():
        for model in MODELS if beam == FIRST_BEAM else WITH_BEAMS:
            settings = common.common_settings(treebank, epochs, options)
            settings |= {"pruner epochs": PRUNER_EPOCHS, "model": model, "beam": beam}
            title = f"{treebank.title} {model}, beam {beam:g}"
            cells.append(common.Cell(treebank, settings, title, treebank.words * epochs * MODELS[model][-1] * faster))
    return cells


@functools.lru_cache(maxsize=1)
def pruned(treebank, beam, seed):
    """Tell which arcs of train, validation and dev survive a beam; the first two columns of Table 1 beside them."""
    pruner = common.pruner_of(treebank, Trees(single_root=treebank.single_root), PRUNER_EPOCHS, seed)
    pruner = replace(pruner, beam=beam)
    train_report, dev_report = (report_pruning(pruner, part, 1) for part in (treebank.train, treebank.dev))
    parts = (treebank.train, treebank.validation, treebank.dev)
    masks = [[pruner.allowed(sentence) for sentence in part] for part in parts]
    return masks, {"pass": train_report.pass_rate, "oracle": dev_report.oracle}


def run_cell(cell, say):
    """Train; choose the epoch on the validation slice; count correct heads on dev."""
    settings, treebank = cell.settings, cell.treebank
    factorization, without, _ = MODELS[settings["model"]]
    kinds = TrainingOptions(factorization=factorization, without=without, labels=False).kinds
    features = DependencyFeatures.of(treebank.train, kinds=kinds)
    trees = Trees(single_root=treebank.single_root, factorization=factorization)
    (train_masks, validation_masks, dev_masks), pruning = pruned(treebank, settings["beam"], settings["seed"])

    def validate(weights):
        correct = common.correct_heads(features, weights, trees, treebank.validation, validation_masks)
        return {"UAS": common.uas(correct, treebank.validation)}

    # What is compiled or loaded only once is not part of the time of an epoch.
    train(ParsingProblem(treebank.train[:5], features, trees, train_masks[:5]), Perceptron(), epochs=1)
    fit = common.fit(
        ParsingProblem(treebank.train, features, trees, train_masks), Perceptron(), validate, settings, say
    )
    return {
        "validation": fit.validation["UAS"],
        "epoch": fit.epoch,
        "seconds": fit.seconds,
        **pruning,
        "correct": common.correct_heads(features, fit.weights, trees, treebank.dev, dev_masks),
    }


class Results:
    """The cells, by treebank, model and beam."""

    def __init__(self, treebanks, cells, store):
        self.treebanks, self.cells, self.store = treebanks, cells, store
        names = ("treebank", "model", "beam")
        self._found = {tuple(cell.settings[name] for name in names): store[cell] for cell in cells}

    def of(self, treebank, model, beam=FIRST_BEAM):
        return self._found[treebank.name, model, beam]

    def uas(self, treebank, model, beam=FIRST_BEAM):
        return common.uas(self.of(treebank, model, beam)["correct"], treebank.dev)


def table_1(results):
    rows = []
    for treebank in results.treebanks:
        for beam in BEAMS:
            cells = [results.of(treebank, model, beam) for model in WITH_BEAMS]
            scores = [results.uas(treebank, model, beam) for model in WITH_BEAMS]
            minutes = [cell["seconds"] / 60 for cell in cells]
            numbers = (cells[0]["pass"], cells[0]["oracle"], *scores, *minutes)
            rows.append(row_1(treebank.title, beam, treebank.words, *numbers))
    return rows + [row_1("*paper: English*", beam, PAPER_WORDS, *numbers) for beam, numbers in PAPER_1.items()]


def row_1(title, beam, words, passed, oracle, uas_1, uas_2, minutes_1, minutes_2):
    scores = {"pass %": passed, "oracle": oracle, "UAS 1": uas_1, "UAS 2": uas_2}
    times = {"minutes 1": minutes_1, "minutes 2": minutes_2}
    speeds = {"words/s 1": round(words / minutes_1 / 60), "words/s 2": round(words / minutes_2 / 60)}
    return {"treebank": title, "beam": f"{beam:g}", **scores, **times, **speeds}


def table_3(results):
    rows = []
    for model in MODELS:
        row = {"model": model, **{treebank.title: results.uas(treebank, model) for treebank in results.treebanks}}
        english, czech = PAPER_3.get(model, (None, None))
        rows.append(row | {"*paper: English*": english, "*paper: Czech*": czech})
    return rows


def beam_signs(results):
    """Compare the narrower beams with the first."""
    return [
        signs(results, treebank, (model, beam), (model, FIRST_BEAM), f"{model}, {beam:g} against {FIRST_BEAM:g}")
        for treebank in results.treebanks
        for model in WITH_BEAMS
        for beam in BEAMS
        if beam != FIRST_BEAM
    ]


def model_signs(results):
    """Compare models in pairs."""
    return [
        signs(results, treebank, (a,), (b,), f"{a} against {b}")
        | {"*paper: English*": paper_gain(a, b, 0), "*paper: Czech*": paper_gain(a, b, 1)}
        for treebank in results.treebanks
        for a, b in PAIRS
    ]


def signs(results, treebank, a, b, title):
    gain = results.uas(treebank, *a) - results.uas(treebank, *b)
    test = common.sign_test(*(results.of(treebank, *cell)["correct"] for cell in (a, b)))
    return {"treebank": treebank.title, "comparison": title, "gain": gain, **test}


def paper_gain(a, b, language):
    return PAPER_3[a][language] - PAPER_3[b][language] if a in PAPER_3 and b in PAPER_3 else None


def report(results):
    """Write all tables."""
    sections = {
        "Table 1: beams, UAS of Models 1 and 2, CPU minutes and words per second of an epoch": table_1,
        "Table 3: models, with the first beam": table_3,
        "Sign test over sentences: models": model_signs,
        "Sign test over sentences: beams": beam_signs,
    }
    lines = [
        "# Third order: results\n",
        "Written by `run.py`. UAS on dev, all words, gold tags, averaged perceptron.\n",
    ]
    lines.append(common.markdown(common.treebank_table(results.treebanks)))
    for title, table in sections.items():
        lines += [f"\n## {title}\n", common.markdown(table(results))]
    return "\n".join([*lines, ""])


def draw(results, pyplot):
    """Draw the UAS of all models, and that of Models 1 and 2 against the time of an epoch for all beams."""
    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4.5))
    names = list(reversed(MODELS))
    for treebank in results.treebanks:
        axes[0].plot([results.uas(treebank, name) for name in names], names, "o", label=treebank.title)
        for style, model in zip(("o-", "s--"), WITH_BEAMS, strict=True):
            seconds = [results.of(treebank, model, beam)["seconds"] for beam in BEAMS]
            scores = [results.uas(treebank, model, beam) for beam in BEAMS]
            [line] = axes[1].plot(seconds, scores, style, label=f"{treebank.title}, {model}")
            for place in zip(seconds, scores, BEAMS, strict=True):
                label = {"xytext": (4, 5), "textcoords": "offset points", "fontsize": 7, "color": line.get_color()}
                axes[1].annotate(f"{place[2]:g}", place[:2], **label)
    axes[0].set(title="Models (Table 3)", xlabel="UAS on dev")
    axes[0].grid(axis="y", linewidth=0.3)
    axes[1].set(title="Beams (Table 1)", xlabel="CPU seconds of an epoch", ylabel="UAS on dev", xscale="log")
    for axis in axes:
        axis.legend(fontsize=8)
    return figure


def main() -> None:
    options = common.arguments(__doc__, FOLDER, str(EPOCHS)).parse_args()
    treebanks = common.load_treebanks(options, TREEBANKS)
    cells = [cell for treebank in treebanks for cell in plan(treebank, options)]
    store = common.Store("third-order", fresh=options.fresh)
    common.compute(cells, store, run_cell)
    results = Results(treebanks, cells, store)
    common.save(options.output, report(results), common.csv_rows(cells, store), functools.partial(draw, results))


if __name__ == "__main__":
    common.in_main(main)
