"""Beams and third-order models: Tables 1 and 3 of Koo and Collins (2010) on open treebanks.

Usage: ``python experiments/third-order/run.py [--languages ewt danish craft] [--learners perceptron mira] [--curve]``

Each cell is one training: treebank × learner × model × beam, and for the learning curve also × number of sentences.  A
slice of train chooses the number of epochs; the dev file is the test set.
"""

from __future__ import annotations

import functools
import itertools
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

from treewright import TrainingOptions
from treewright.dependency.cascade_training import report_pruning
from treewright.dependency.problem import ParsingProblem
from treewright.features import DependencyFeatures
from treewright.inference import Trees
from treewright.learning import Mira, Perceptron, train

FOLDER = Path(__file__).parent
TREEBANKS = ["ud/english-ewt", "dep-native/danish-ddt-native", "dep-native/english-craft"]
#: The learner of the paper, and another one.
LEARNERS = {"perceptron": Perceptron, "mira": Mira}

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
#: Epochs at most, and epochs of the first-order model that prunes: those of the paper.
EPOCHS = 10
PRUNER_EPOCHS = 10
#: Training sentences of the learning curve, beside all of them, and its models.
SIZES = (2000, 4000, 8000)
CURVE = ("Sibling", "Carreras (2007)", "Model 1", "Model 1, no-3rd", "Model 2", "Model 2, no-3rd")

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


#: Which models to test against each other on the learning curve.
CURVE_PAIRS = [pair for pair in PAIRS if set(pair) <= set(CURVE)]


def plan(treebanks, options):
    """List the cells, those of the least work first, and those of the same sentences and beam together."""
    groups = [
        [make_cell(*place, model, options) for model in (MODELS if place[1] == FIRST_BEAM else WITH_BEAMS)]
        for place in itertools.product(treebanks, BEAMS, options.learners)
    ]
    for part, learner in itertools.product(smaller(treebanks) if options.curve else (), options.learners):
        groups.append([make_cell(part, FIRST_BEAM, learner, model, options) for model in CURVE])
    groups.sort(key=lambda group: (work_of(group[0].treebank, groups), group[0].treebank.name))
    return [cell for group in groups for cell in group]


def work_of(treebank, groups):
    """Add up the work of all cells of a treebank."""
    return sum(cell.work for group in groups for cell in group if cell.treebank is treebank)


def smaller(treebanks):
    """Take the training sets of the learning curve, those that are much smaller than the whole."""
    return [
        replace(treebank, train=common.spread(treebank.train, size))
        for treebank in treebanks
        for size in SIZES
        if size < 0.9 * len(treebank.train)
    ]


def make_cell(treebank, beam, learner, model, options):
    epochs = options.epochs or EPOCHS
    settings = common.common_settings(treebank, epochs, options)
    settings |= {"pruner epochs": PRUNER_EPOCHS, "learner": learner, "model": model, "beam": beam}
    title = f"{treebank.title} {len(treebank.train):,}, {learner}: {model}, beam {beam:g}"
    return common.Cell(treebank, settings, title, treebank.words * epochs * MODELS[model][-1] * BEAMS[beam])


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
    settings, treebank, learner = cell.settings, cell.treebank, LEARNERS[cell.settings["learner"]]()
    factorization, without, _ = MODELS[settings["model"]]
    kinds = TrainingOptions(factorization=factorization, without=without, labels=False).kinds
    features = DependencyFeatures.of(treebank.train, kinds=kinds)
    trees = Trees(single_root=treebank.single_root, factorization=factorization)
    (train_masks, validation_masks, dev_masks), pruning = pruned(treebank, settings["beam"], settings["seed"])

    def validate(weights):
        correct = common.correct_heads(features, weights, trees, treebank.validation, validation_masks)
        return {"UAS": common.uas(correct, treebank.validation)}

    # What is compiled or loaded only once is not part of the time of an epoch.
    train(ParsingProblem(treebank.train[:5], features, trees, train_masks[:5]), learner, epochs=1)
    problem = ParsingProblem(treebank.train, features, trees, train_masks)
    fit = common.fit(problem, learner, validate, settings, say)
    return {
        "validation": fit.validation["UAS"],
        "epoch": fit.epoch,
        "seconds": fit.seconds,
        **pruning,
        "correct": common.correct_heads(features, fit.weights, trees, treebank.dev, dev_masks),
    }


class Results:
    """The cells that are stored, by treebank, sentences, learner, model and beam."""

    def __init__(self, treebanks, cells, store, options):
        self.treebanks, self.cells, self.store, self.learners = treebanks, cells, store, options.learners
        names = ("treebank", "sentences", "learner", "model", "beam")
        self._found = {tuple(cell.settings[name] for name in names): store[cell] for cell in cells if cell in store}

    def groups(self):
        """List pairs of treebank and learner."""
        return list(itertools.product(self.treebanks, self.learners))

    def of(self, treebank, learner, model, beam=FIRST_BEAM, size=0):
        return self._found.get((treebank.name, size or len(treebank.train), learner, model, beam))

    def uas(self, treebank, *cell, **size):
        found = self.of(treebank, *cell, **size)
        return None if found is None else common.uas(found["correct"], treebank.dev)

    def sizes(self, treebank):
        """List the numbers of sentences of the learning curve that have been trained with, the whole last."""
        return sorted({size for name, size, *_ in self._found if name == treebank.name})


def table_1(results):
    rows = []
    for treebank, learner in results.groups():
        for beam in BEAMS:
            cells = [results.of(treebank, learner, model, beam) for model in WITH_BEAMS]
            if None not in cells:
                scores = [common.uas(cell["correct"], treebank.dev) for cell in cells]
                minutes = [cell["seconds"] / 60 for cell in cells]
                numbers = (cells[0]["pass"], cells[0]["oracle"], *scores, *minutes)
                rows.append(row_1(treebank.title, learner, beam, treebank.words, *numbers))
    paper = [row_1("*paper: English*", "perceptron", beam, PAPER_WORDS, *numbers) for beam, numbers in PAPER_1.items()]
    return rows + paper


def row_1(title, learner, beam, words, passed, oracle, uas_1, uas_2, minutes_1, minutes_2):
    scores = {"pass %": passed, "oracle": oracle, "UAS 1": uas_1, "UAS 2": uas_2}
    times = {"minutes 1": minutes_1, "minutes 2": minutes_2}
    speeds = {"words/s 1": round(words / minutes_1 / 60), "words/s 2": round(words / minutes_2 / 60)}
    return {"treebank": title, "learner": learner, "beam": f"{beam:g}", **scores, **times, **speeds}


def table_3(results):
    rows = []
    for model in MODELS:
        scores = {
            f"{treebank.title}, {kind}": results.uas(treebank, kind, model) for treebank, kind in results.groups()
        }
        english, czech = PAPER_3.get(model, (None, None))
        rows.append({"model": model, **scores, "*paper: English*": english, "*paper: Czech*": czech})
    return rows


def curve(results):
    """List the UAS of the learning curve."""
    return [
        {
            "treebank": treebank.title,
            "learner": learner,
            "sentences": size,
            **{model: results.uas(treebank, learner, model, size=size) for model in CURVE},
        }
        for treebank, learner in results.groups()
        for size in results.sizes(treebank)
    ]


def curve_signs(results):
    """Compare models in pairs along the learning curve."""
    return [
        row
        for (treebank, learner), (a, b) in itertools.product(results.groups(), CURVE_PAIRS)
        for size in results.sizes(treebank)
        for row in signs(results, treebank, learner, (a,), (b,), f"{a} against {b}", size)
    ]


def beam_signs(results):
    """Compare the narrower beams with the first."""
    return [
        row
        for (treebank, learner), model in itertools.product(results.groups(), WITH_BEAMS)
        for beam in BEAMS
        if beam != FIRST_BEAM
        for title in [f"{model}, {beam:g} against {FIRST_BEAM:g}"]
        for row in signs(results, treebank, learner, (model, beam), (model, FIRST_BEAM), title)
    ]


def model_signs(results):
    """Compare models in pairs."""
    return [
        row | {"*paper: English*": paper_gain(a, b, 0), "*paper: Czech*": paper_gain(a, b, 1)}
        for (treebank, learner), (a, b) in itertools.product(results.groups(), PAIRS)
        for row in signs(results, treebank, learner, (a,), (b,), f"{a} against {b}")
    ]


def signs(results, treebank, learner, a, b, title, size=0):
    """Compare two cells: one row, or none if one of them is not there."""
    found = [results.of(treebank, learner, *cell, size=size) for cell in (a, b)]
    if None in found:
        return []
    scores = [common.uas(cell["correct"], treebank.dev) for cell in found]
    place = {"treebank": treebank.title, "learner": learner} | ({"sentences": size} if size else {})
    test = common.sign_test(*(cell["correct"] for cell in found))
    return [{**place, "comparison": title, "gain": scores[0] - scores[1], **test}]


def paper_gain(a, b, language):
    return PAPER_3[a][language] - PAPER_3[b][language] if a in PAPER_3 and b in PAPER_3 else None


def report(results):
    """Write all tables."""
    sections = {
        "Table 1: beams, UAS of Models 1 and 2, CPU minutes and words per second of an epoch": table_1,
        "Table 3: models, with the first beam": table_3,
        "Sign test over sentences: models": model_signs,
        "Sign test over sentences: beams": beam_signs,
        "Learning curve: UAS by training sentences": curve,
        "Sign test over sentences: learning curve": curve_signs,
    }
    lines = ["# Third order: results\n", "Written by `run.py`. UAS on dev, all words, gold tags.\n"]
    lines.append(common.markdown(common.treebank_table(results.treebanks)))
    for title, table in sections.items():
        if rows := table(results):
            lines += [f"\n## {title}\n", common.markdown(rows)]
    return "\n".join([*lines, ""])


def draw(results, pyplot):
    """Draw the UAS of all models, that of Models 1 and 2 against the time of an epoch, and the learning curves."""
    count = max(2, len(results.treebanks))
    figure, axes = pyplot.subplots(2, count, figsize=(5.5 * count, 9))
    draw_models(results, axes[0, 0])
    draw_beams(results, axes[0, 1])
    for axis, treebank in zip(axes[1], results.treebanks, strict=False):
        draw_curve(results, treebank, axis)
    for axis in axes.flat:
        axis.legend(fontsize=7) if axis.has_data() else axis.set_axis_off()
    return figure


def draw_models(results, axis):
    names = list(reversed(MODELS))
    for treebank, learner in results.groups():
        pairs = [(results.uas(treebank, learner, name), name) for name in names]
        points = [pair for pair in pairs if pair[0] is not None]
        if points:
            axis.plot(*zip(*points, strict=True), "o", label=f"{treebank.title}, {learner}")
    axis.set(title="Models (Table 3)", xlabel="UAS on dev")
    axis.grid(axis="y", linewidth=0.3)


def draw_beams(results, axis):
    for (treebank, learner), model in itertools.product(results.groups(), WITH_BEAMS):
        found = {beam: cell for beam in BEAMS if (cell := results.of(treebank, learner, model, beam))}
        seconds = [cell["seconds"] for cell in found.values()]
        scores = [results.uas(treebank, learner, model, beam) for beam in found]
        style = "o-" if model == WITH_BEAMS[0] else "s--"
        [line] = axis.plot(seconds, scores, style, label=f"{treebank.title}, {learner}, {model}")
        for *place, beam in zip(seconds, scores, found, strict=True):
            label = {"xytext": (4, 5), "textcoords": "offset points", "fontsize": 7, "color": line.get_color()}
            axis.annotate(f"{beam:g}", place, **label)
    axis.set(title="Beams (Table 1)", xlabel="CPU seconds of an epoch", ylabel="UAS on dev", xscale="log")


def draw_curve(results, treebank, axis):
    for learner, style in zip(results.learners, ("o-", "s--"), strict=False):
        for number, model in enumerate(CURVE):
            pairs = [(size, results.uas(treebank, learner, model, size=size)) for size in results.sizes(treebank)]
            points = [pair for pair in pairs if pair[1] is not None]
            if points:
                axis.plot(*zip(*points, strict=True), style, color=f"C{number}", label=f"{model}, {learner}")
    axis.set(title=f"{treebank.title}: learning curve", xlabel="training sentences", ylabel="UAS on dev", xscale="log")


def main() -> None:
    parser = common.arguments(__doc__, FOLDER, str(EPOCHS))
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=list(LEARNERS), help="default: both")
    parser.add_argument("--curve", action="store_true", help="train on fewer sentences, too: the learning curve")
    options = parser.parse_args()
    treebanks = common.load_treebanks(options, TREEBANKS)
    cells, store = plan(treebanks, options), common.Store("third-order", options, run_cell)
    common.compute(cells, store, run_cell)
    results = Results(treebanks, cells, store, options)
    common.save(store, report(results), common.csv_rows(cells, store), functools.partial(draw, results))


if __name__ == "__main__":
    common.in_main(main)
