"""Non-local features by branch and bound: Tables 2 and 3 and Figures 4 and 5 of Qian and Liu (2013) on open treebanks.

Usage: ``python experiments/branch-and-bound/run.py [--languages english danish] [--sentences N] [--features NAME …]``

Each cell is one training with the averaged perceptron: treebank × features.  A slice of train chooses the number of
epochs; the dev file is the test set.  The cell with all features is also parsed with other pruning (Table 3).
"""

from __future__ import annotations

import functools
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import common
import numpy as np
from hand_crafted import hand_crafted

from treewright import TrainingOptions
from treewright.dependency.problem import ParsingProblem
from treewright.dependency.search import best_with_factors
from treewright.features import DependencyFeatures, Weights
from treewright.features.hooks import proposal
from treewright.inference import Parts, Trees
from treewright.learning import Perceptron, train

FOLDER = Path(__file__).parent
TREEBANKS = ["ud/english-ewt", "dep-native/danish-ddt-native"]

BASE, ALL, THIRD, CRAFT = "Baseline", "+ all of the best", "Third order (Model 1)", "+ hand-crafted"
#: Features → factorization, non-local kinds, whether there are hand-crafted ones, time of an epoch, and the UAS of the
#: paper's Table 2: English (PTB) and Chinese (CTB).
MODELS = {
    BASE: ("carreras", (), False, 1, 92.81, 86.89),
    "+ all grandchildren": ("carreras", ("grandchildren",), False, 5, 92.97, 87.02),
    "+ all siblings": ("carreras", ("siblings",), False, 4, 93.00, 87.05),
    "+ combs": ("carreras", ("combs",), False, 2, 92.86, 86.91),
    CRAFT: ("carreras", (), True, 2, 92.89, None),
    ALL: ("carreras", ("grandchildren", "siblings", "combs"), True, 10, 93.17, 87.25),
    THIRD: ("grand-sibling", (), False, 2, 93.03, 87.07),
    "+ all great-grandchildren": ("carreras", ("great-grandchildren",), False, 12, 92.78, 86.77),
    "+ all tri-siblings": ("carreras", ("tri-siblings",), False, 10, 92.79, 86.81),
}
#: Heads of each word that pruning keeps (0: all), and the paper's Table 3: UAS and words per second, twice.
HEADS = {
    0: (93.18, 52, 87.28, 73),
    20: (93.17, 105, 87.28, 76),
    10: (93.17, 177, 87.25, 97),
    5: (93.10, 264, 86.94, 108),
    3: (92.68, 493, 85.76, 128),
}
#: The heads kept in training and for Table 2; epochs at most (6 in the paper); nodes at most when an epoch is chosen;
#: sentences of dev for Table 3 and the figures.
KEPT, EPOCHS, PRUNER_EPOCHS = 10, 6, 10
FEW_NODES, TIMED = 5, 200
#: Which models to test against each other.
PAIRS = [*((name, BASE) for name in MODELS if name != BASE), (ALL, THIRD)]


def plan(treebanks, options):
    """List the cells of all treebanks, those of the least work first."""
    return sorted((cell for treebank in treebanks for cell in plan_treebank(treebank, options)), key=lambda c: c.work)


def plan_treebank(treebank, options):
    cells, epochs = [], options.epochs or EPOCHS
    for model, (*_, work, _, _) in MODELS.items():
        if model == CRAFT and "english" not in treebank.name:
            continue
        if options.features and model not in (BASE, ALL) and not model_starts(model, options.features):
            continue
        settings = common.common_settings(treebank, epochs, options) | {"features": model, "nodes": options.nodes}
        cells.append(common.Cell(treebank, settings, f"{treebank.title} {model}", treebank.words * epochs * work))
    return cells


def model_starts(model, names):
    """Tell whether any word of a title begins as asked for: ``siblings`` does not mean ``tri-siblings``."""
    return any(word.lower().startswith(name.lower()) for word in model.split() for name in names)


@functools.lru_cache(maxsize=1)
def pruned(treebank, seed):
    """Tell which arcs of train, validation and dev are among the best for each word."""
    pruner = pruner_with(treebank, seed, KEPT)
    parts = (treebank.train, treebank.validation, treebank.dev)
    return [[pruner.allowed(sentence) for sentence in part] for part in parts]


def pruner_with(treebank, seed, heads):
    pruner = common.pruner_of(treebank, Trees(single_root=treebank.single_root), PRUNER_EPOCHS, seed)
    return replace(pruner, beam=0.0, max_heads=heads)


def run_cell(cell, say):
    """Train; choose the epoch on the validation slice; count correct heads on dev."""
    settings, treebank = cell.settings, cell.treebank
    factorization, kinds, crafted, *_ = MODELS[settings["features"]]
    hooks = [hand_crafted] if crafted and "english" in treebank.name else []
    features = DependencyFeatures.of(
        treebank.train,
        kinds=TrainingOptions(factorization=factorization, labels=False).kinds,
        non_local=kinds,
        hooks=[hook.__name__ for hook in hooks],
    )
    trees = Trees(single_root=treebank.single_root, factorization=factorization)
    train_masks, validation_masks, dev_masks = pruned(treebank, settings["seed"])

    def parses(weights, sentences, masks, nodes):
        pairs = zip(sentences, masks, strict=True)
        return [parse(features, weights, trees, hooks, *pair, nodes) for pair in pairs]

    def validate(weights):
        found = parses(weights, treebank.validation, validation_masks, FEW_NODES)
        return {"UAS": common.uas([each["correct"] for each in found], treebank.validation)}

    # What is compiled or loaded only once is not part of the time of an epoch.
    train(ParsingProblem(treebank.train[:5], features, trees, train_masks[:5], hooks=hooks), Perceptron(), epochs=1)
    problem = ParsingProblem(treebank.train, features, trees, train_masks, hooks=hooks)
    fit = common.fit(problem, Perceptron(), validate, settings, say)
    weights = Weights.compress(fit.weights.values)
    value = {"validation": fit.validation["UAS"], "epoch": fit.epoch, "seconds": fit.seconds}
    most = settings["nodes"] or None
    found = parses(weights, treebank.dev, dev_masks, most)
    value |= {name: [each[name] for each in found] for name in found[0]}
    if settings["features"] == ALL:
        value["pruning"] = {}
        for heads in HEADS:
            say(f"pruning to {heads or 'all'} heads", 0.99)
            pruner = pruner_with(treebank, settings["seed"], heads)
            found = parses(weights, *timed(treebank, pruner), most)
            value["pruning"][str(heads)] = {name: [each[name] for each in found] for name in found[0]}
    return value


def timed(treebank, pruner):
    """Choose the sentences of Table 3, and what survives of them."""
    sentences = common.spread(treebank.dev, TIMED)
    if pruner.max_heads:
        return sentences, [pruner.allowed(sentence) for sentence in sentences]
    return sentences, [np.ones((len(sentence) + 1,) * 2, bool) for sentence in sentences]


def parse(features, weights, trees, hooks, sentence, mask, nodes):
    """Parse a sentence: correct heads, CPU seconds from features to tree, and what the search took."""
    began = time.process_time()
    parts, hashed = Parts(mask, projective=True), features.hash(sentence)
    scores = features.score(hashed, weights, parts)
    if features.has_factors:
        proposed = proposal(hooks, sentence, parts, features.settings.hooks) if hooks else None
        factors = features.factors(hashed, weights, parts, proposed)
        found = best_with_factors(trees, weights.resolution, scores, factors, nodes)
        took = {"nodes": found.nodes, "calls": found.calls, "certificate": bool(found.certificate)}
    else:
        found, took = trees.argmax(scores), {"nodes": 1, "calls": 1, "certificate": True}
    seconds = round(time.process_time() - began, 6)
    return {"correct": int(np.count_nonzero(found.heads[1:] == sentence.heads)), "cpu": seconds, **took}


class Results:
    """The cells, by treebank and features."""

    def __init__(self, treebanks, cells, store):
        self.treebanks, self.cells, self.store = treebanks, cells, store
        self._found = {
            (cell.settings["treebank"], cell.settings["features"]): store[cell] for cell in cells if cell in store
        }

    def of(self, treebank, model):
        return self._found.get((treebank.name, model))

    def pruning(self, treebank, heads):
        """Return what Table 3 shows of the model with all features, if it is there."""
        cell = self.of(treebank, ALL)
        return None if cell is None else cell["pruning"][str(heads)]

    def uas(self, treebank, model):
        cell = self.of(treebank, model)
        return None if cell is None else common.uas(cell["correct"], treebank.dev)


def table_2(results):
    rows = []
    for model, (*_, english, chinese) in MODELS.items():
        row = {"features": model, **{treebank.title: results.uas(treebank, model) for treebank in results.treebanks}}
        rows.append(row | {"*paper: English*": english, "*paper: Chinese*": chinese})
    return rows


def effort(results):
    """Tell what the search takes for each set of features."""
    rows = []
    for treebank in results.treebanks:
        words = sum(map(len, treebank.dev))
        for model in MODELS:
            cell = results.of(treebank, model)
            if cell is not None:
                rows.append({"treebank": treebank.title, "features": model, **took(cell, words)})
    return rows


def took(cell, words):
    sentences = len(cell["calls"])
    return {
        "words/s": round(words / sum(cell["cpu"])),
        "searches": sum(cell["calls"]) / sentences,
        "nodes": sum(cell["nodes"]) / sentences,
        "% in one node": 100 * sum(nodes == 1 for nodes in cell["nodes"]) / sentences,
        "% certified": 100 * sum(cell["certificate"]) / sentences,
    }


def table_3(results):
    rows = []
    for treebank in results.treebanks:
        sentences = common.spread(treebank.dev, TIMED)
        words = sum(map(len, sentences))
        for heads in HEADS:
            cell = results.pruning(treebank, heads)
            if cell is None:
                continue
            row = {
                "treebank": treebank.title,
                "heads": str(heads or "all"),
                "UAS": common.uas(cell["correct"], sentences),
            }
            rows.append(row | took(cell, words))
    for title, first in (("*paper: English*", 0), ("*paper: Chinese*", 2)):
        for heads, numbers in HEADS.items():
            row = {"treebank": title, "heads": str(heads or "all")}
            calls = {0: (54.7, 44.3)[first // 2]}.get(heads)
            rows.append(row | {"UAS": numbers[first], "words/s": numbers[first + 1], "searches": calls})
    return rows


def signs(results):
    """Compare features in pairs."""
    rows = []
    for treebank in results.treebanks:
        for a, b in PAIRS:
            one, other = results.of(treebank, a), results.of(treebank, b)
            if one is not None and other is not None:
                gain = results.uas(treebank, a) - results.uas(treebank, b)
                test = common.sign_test(one["correct"], other["correct"])
                paper = [gain_of(a, b, column) for column in (-2, -1)]
                rows.append({"treebank": treebank.title, "comparison": f"{a} against {b}", "gain": gain, **test})
                rows[-1] |= {"*paper: English*": paper[0], "*paper: Chinese*": paper[1]}
    return rows


def gain_of(a, b, column):
    one, other = MODELS[a][column], MODELS[b][column]
    return None if one is None or other is None else one - other


def report(results):
    """Write all tables."""
    sections = {
        "Table 2: features": table_2,
        "Sign test over sentences": signs,
        "What the search takes (ten heads for each word)": effort,
        f"Table 3: pruning, all of the best features, {TIMED} sentences of dev": table_3,
    }
    lines = [
        "# Branch and bound: results\n",
        "Written by `run.py`. UAS on dev, all words, gold tags, averaged perceptron; CPU time of one thread, "
        "from features to trees.\n",
    ]
    lines.append(common.markdown(common.treebank_table(results.treebanks)))
    for title, table in sections.items():
        if rows := table(results):
            lines += [f"\n## {title}\n", common.markdown(rows)]
    return "\n".join([*lines, ""])


def rows_of(cells, store):
    """List all cells, and those of Table 3, without what is known of each sentence."""
    rows = []
    for cell in (cell for cell in cells if cell in store):
        value, settings = store[cell], {**store.settings(cell), "heads": KEPT}
        shared = {name: value[name] for name in ("validation", "epoch", "seconds")}
        words = sum(map(len, cell.treebank.dev))
        rows.append(
            settings | shared | {"dev UAS": common.uas(value["correct"], cell.treebank.dev)} | took(value, words)
        )
        sentences = common.spread(cell.treebank.dev, TIMED)
        for heads, found in value.get("pruning", {}).items():
            measured = {"dev UAS": common.uas(found["correct"], sentences)} | took(found, sum(map(len, sentences)))
            rows.append(settings | {"dev sentences": len(sentences), "heads": int(heads)} | shared | measured)
    return rows


def draw(results, pyplot):
    """Draw Figures 4 and 5: seconds and searches of a sentence against its length, averaged over five lengths."""
    count = len(results.treebanks)
    figure, axes = pyplot.subplots(count, 2, figsize=(11, 4 * count), squeeze=False)
    for row, treebank in zip(axes, results.treebanks, strict=True):
        lengths = np.array([len(sentence) for sentence in common.spread(treebank.dev, TIMED)])
        bins = lengths // 5 * 5
        for heads in HEADS:
            cell = results.pruning(treebank, heads)
            if cell is None:
                continue
            for axis, name in zip(row, ("cpu", "calls"), strict=True):
                values = np.array(cell[name])
                means = [values[bins == start].mean() for start in np.unique(bins)]
                axis.plot(np.unique(bins) + 2, means, label=f"k = {heads}" if heads else "no pruning")
        row[0].set(
            title=f"{treebank.title} (Figure 4)", xlabel="words", ylabel="CPU seconds of a sentence", yscale="log"
        )
        row[1].set(title=f"{treebank.title} (Figure 5)", xlabel="words", ylabel="searches of a sentence", yscale="log")
        for axis in row:
            axis.legend(fontsize=8)
    return figure


def main() -> None:
    parser = common.arguments(__doc__, FOLDER, str(EPOCHS))
    parser.add_argument(
        "--features", nargs="+", metavar="NAME", help="beside the first and all, such as combs (default: all)"
    )
    parser.add_argument("--nodes", type=int, default=10_000, help="of a search at most (default: 10,000; 0: no limit)")
    options = parser.parse_args()
    treebanks = common.load_treebanks(options, TREEBANKS)
    cells = plan(treebanks, options)
    store = common.Store("branch-and-bound", options, run_cell)
    common.compute(cells, store, run_cell)
    results = Results(treebanks, cells, store)
    common.save(store, report(results), rows_of(cells, store), functools.partial(draw, results))


if __name__ == "__main__":
    common.in_main(main)
