"""Learning from raw text: Table 3 and Figure 1 of Suzuki, Isozaki, Carreras and Collins (2009) on open treebanks.

Usage: ``python experiments/ss-scm/run.py [--texts 1 9 …] [--sizes 2000 0] [--bits 24 28] [--corpora EWT WSJ]``

Each row of Table 3 is one cell: treebank × sentences × features × system × raw text, trained for a few values of C or
B, of which a slice of train chooses one, as it chooses the epoch; the dev file is the test set.  Clusters are those of
the same raw text.
"""

from __future__ import annotations

import functools
import hashlib
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
import common
import raw_text
import tables
from tables import Row

from treewright import TrainingOptions
from treewright.dependency.cascade_training import train_stage
from treewright.dependency.problem import ParsingProblem
from treewright.dependency.semi_supervised import MOST_WORDS, SHARD_WORDS, ExpectedCounts
from treewright.execution import sharded
from treewright.features import DependencyFeatures, GenerativeModels
from treewright.features.generative import Counts
from treewright.inference import Trees
from treewright.learning import LogLinear, Mira

FOLDER = Path(__file__).parent


class System(NamedTuple):
    """A factorization, whether it learns from raw text, and how long it takes, relative to the first."""

    factorization: str
    raw: bool
    work: float

    @property
    def is_batch(self):
        """Whether it is a log-linear model, trained by L-BFGS; MIRA otherwise."""
        return self.factorization == "arc"


SYSTEMS = {
    tables.SCM: System("arc", False, 1),
    tables.SS_SCM: System("arc", True, 2),
    tables.MIRA: System("carreras", False, 0.7),
    tables.TWO_STAGE: System("carreras", True, 1.5),
}
#: Training sentences: those of one column of the paper, and all (0).
SIZES = [2000, 0]
#: Millions of tokens of raw text; 43 in the paper, and 3,720 for its Table 4.
TEXTS = [0.1, 1.0, 4.0, 9.0, 49.0]
#: The binary logarithm of the size of the tables of counts.
BITS = [24]
#: What C of the log-linear models, and B of those with generative models, are chosen from.
C, B = [0.1, 1.0], [0.01, 0.03, 0.1]
#: Iterations of L-BFGS at most, and how many to wait for a gain; epochs of MIRA at most; epochs of the pruner.
ITERATIONS, WAITED, EPOCHS, PRUNER_EPOCHS = 30, 6, 8, 5
#: Counts of raw text are kept after so many shards.
SHARDS_KEPT = 10


def wanted_rows(corpora, options):
    """List the rows, the cheaper first; supervised ones stand before those that start from them."""
    rows = [
        Row.of((corpus, size, name == "CL"), system, tokens, bits)
        for size in sorted(options.sizes, key=lambda size: size or np.inf)
        for tokens in map(tables.tokens_of, sorted(options.texts))
        for corpus in corpora
        for name in options.features
        for bits in options.bits
        for system in SYSTEMS
    ]
    return list(dict.fromkeys(rows))


def plan(corpora, options):
    """Give each row its cell."""
    return {row: make_cell(row, corpora, options) for row in wanted_rows(corpora, options)}


def make_cell(row, corpora, options, **choice):
    """Name a row in the store by all its settings; or its training with one choice of C and B."""
    treebank, system = corpora[row.corpus].gold(row.size), SYSTEMS[row.system]
    settings = common.common_settings(treebank, options.epochs, options)
    if system.is_batch:
        settings |= {"epochs": options.iterations, "patience": WAITED}
    settings |= row._asdict() | {"tagger epochs": raw_text.TAGGER_EPOCHS, "pruner epochs": PRUNER_EPOCHS}
    settings |= {"bit strings": raw_text.CLUSTERS * row.clusters, "seen": raw_text.MIN_COUNT * row.clusters}
    settings |= choice or {"all C": options.C, "all B": options.B * system.raw}
    work = treebank.words * system.work + system.raw * row.tokens / 16
    text = f", {raw_text.millions(row.tokens)} million tokens" if row.tokens else ""
    text += f", {row.bits} bits" if row.bits else ""
    title = f"{row.corpus} {len(treebank.train):,}: {row.system}{' + CL' * row.clusters}{text}"
    first = before(row)
    after = None if choice or first is None else make_cell(first, corpora, options)
    return common.Cell(treebank, settings, title, work * (1 + row.clusters), after)


def before(row):
    """Find the row that a row starts from: two stages take the generative models of one stage, that takes C."""
    if row.system == tables.TWO_STAGE:
        return row._replace(system=tables.SS_SCM)
    return supervised(row) if row.system == tables.SS_SCM else None


def supervised(row):
    """Find the supervised row of first order with the same features."""
    return Row.of((row.corpus, row.size, row.clusters), tables.SCM, row.tokens, row.bits)


class Laboratory:
    """Trains parsers; keeps what the next one may need again."""

    def __init__(self, corpora, store, options):
        self._corpora, self._store, self._options = corpora, store, options
        self._masks = functools.lru_cache(maxsize=1)(self._prune)

    def run(self, cell, say):
        """Train for each choice of C and B; keep the one that is best on the validation slice."""
        row = Row(*(cell.settings[name] for name in Row._fields))
        choices, tried = self._choices(row), []
        for number, choice in enumerate(choices):
            name = f"C = {choice['C']:g}, B = {choice['B']:g}"
            single = make_cell(row, self._corpora, self._options, **choice)
            if single not in self._store:
                tell = functools.partial(_tell, say, name, number, len(choices))
                self._store[single] = self._train(row, single, tell)
            tried.append(choice | self._store[single] | {"name": name})
        best = max(tried, key=lambda value: value["validation"])
        scores = "; ".join(f"{value.pop('name')}: {value['validation']:.2f}" for value in tried)
        return best | {"tried": scores}

    def _choices(self, row):
        """List what is to be tried: C for the supervised model, which all keep; B where there is raw text."""
        system, options = SYSTEMS[row.system], self._options
        if row.system == tables.SCM:
            return [{"C": value, "B": 0.0, "first C": None} for value in options.C]
        first = self._chosen(supervised(row), "C") if system.raw else None
        c = first if system.is_batch else Mira().C
        return [{"C": c, "B": b, "first C": first} for b in (options.B if system.raw else [0.0])]

    def _chosen(self, row, name):
        return self._store[make_cell(row, self._corpora, self._options)][name]

    def _train(self, row, cell, say):
        """Train; choose the epoch on the validation slice; count what is right on dev."""
        settings, corpus, gold = cell.settings, self._corpora[row.corpus], cell.treebank
        factorization, raw, _ = SYSTEMS[row.system]
        treebank = corpus.tagged(row.size, "all", settings["seed"])
        features, words = self._features(treebank, factorization, row), 0
        trees, masks = Trees(single_root=treebank.single_root, factorization=factorization), [None] * 3
        if raw:
            models, words = self._models(row, treebank, say)
            features = features.with_models(replace(models, factor=settings["B"]))
        if factorization != "arc":
            masks = self._masks(treebank, supervised(row), settings["seed"])
        validation, dev = corpus.counted(gold.validation), corpus.counted(gold.dev)

        def validate(weights):
            correct = raw_text.count_correct(features, weights, trees, treebank.validation, validation, masks[1])
            return {"score": raw_text.percentage(correct, validation)}

        learner = LogLinear(C=settings["C"], threads=1) if factorization == "arc" else Mira()
        fit = common.fit(ParsingProblem(treebank.train, features, trees, masks[0]), learner, validate, settings, say)
        if row.system == tables.SCM:
            self._store.keep(cell, fit.weights)
        correct = raw_text.count_correct(features, fit.weights, trees, treebank.dev, dev, masks[2])
        return {
            "validation": fit.validation["score"],
            "epoch": fit.epoch,
            "seconds": fit.seconds,
            "raw words": words,
            "score": raw_text.percentage(correct, dev),
            "correct": correct,
        }

    def _features(self, treebank, factorization, row):
        kinds = TrainingOptions(factorization=factorization, labels=False).kinds
        known = raw_text.load_clusters(self._options.data, row.tokens) if row.clusters else None
        return DependencyFeatures.of(treebank.train, clusters=known, kinds=kinds)

    def _models(self, row, treebank, say):
        """Estimate generative models by the supervised model (step 2), unless that has been done."""
        first, options = supervised(row), self._options
        choice = {"C": self._chosen(first, "C"), "B": 0.0, "first C": None}
        cell = make_cell(first, self._corpora, options, **choice)
        name = json.dumps([self._store.settings(cell), row.tokens, row.bits], sort_keys=True)
        path = common.CACHE / "ss-scm" / f"models-{hashlib.sha256(name.encode()).hexdigest()[:16]}.npz"
        if not path.exists():
            features, trees = self._features(treebank, "arc", row), Trees(single_root=treebank.single_root)
            if self._store.kept(cell) is None:  # its results are committed, its weights are not
                self._train(first, cell, say)
            task = ExpectedCounts(features, self._store.kept(cell), trees, bits=row.bits)
            sentences = self._corpora[row.corpus].raw_text(options.data, row.tokens, options.seed)
            counts = count_features(task, sentences, path.with_suffix(".part.npz"), say)
            numbers, arrays = GenerativeModels.of(counts).describe()
            np.savez(path, words=counts.words, **numbers, **arrays)
            path.with_suffix(".part.npz").unlink(missing_ok=True)
        with np.load(path) as arrays:
            return GenerativeModels.restore(arrays, arrays), int(arrays["words"])

    def _prune(self, treebank, row, seed):
        """Tell which arcs of train, validation and dev survive a first-order model."""
        lexicon = self._features(treebank, "arc", row).lexicon
        pruner = train_stage(
            treebank.train, lexicon, Trees(single_root=treebank.single_root), epochs=PRUNER_EPOCHS, seed=seed
        )
        parts = (treebank.train, treebank.validation, treebank.dev)
        return [[pruner.allowed(sentence) for sentence in part] for part in parts]


def count_features(task, sentences, path, say):
    """Count what `estimate_models` would; keep the counts now and then, and go on from there after a stop."""
    usable = (sentence for sentence in sentences if 0 < len(sentence) <= MOST_WORDS)
    total, done = None, 0
    if path.exists():
        with np.load(path) as arrays:
            kept = {name: arrays[name] for name in ("expected", "occurring", "totals", "distinct")}
            total, done = Counts(**kept, words=int(arrays["words"])), int(arrays["done"])
    for number, shard in enumerate(sharded(usable, SHARD_WORDS, len), 1):
        if number > done:
            counts = task(shard)
            total = (total or Counts.zero(len(counts.totals), task.bits)).merge(counts)
            say(f"{total.words:,} words of raw text read", 0.01)
            if number % SHARDS_KEPT == 0:
                save_arrays(path, **vars(total), done=number)
    return total


def save_arrays(path, **arrays):
    """Save arrays; a process that is killed meanwhile leaves the file as it was."""
    new = path.with_name(f"new-{path.name}")
    np.savez(new, **arrays)
    new.replace(path)


def _tell(say, name, number, count, text, share):
    say(f"{name}: {text}", (number + share) / count)


def parse_arguments():
    parser = common.arguments(__doc__, FOLDER, str(EPOCHS), languages=False)
    parser.set_defaults(epochs=EPOCHS)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="training sentences; 0 is all (2000 0)")
    parser.add_argument("--corpora", nargs="+", choices=("EWT", "WSJ"), default=["EWT", "WSJ"], help="which treebanks")
    parser.add_argument("--features", nargs="+", choices=("baseline", "CL"), default=["baseline", "CL"])
    parser.add_argument("--texts", type=float, nargs="+", default=TEXTS, help="millions of tokens (0.1 1 4 9 49)")
    parser.add_argument(
        "--bits", type=int, nargs="+", default=BITS, help="tables of counts have 2 to this power places"
    )
    parser.add_argument("--iterations", type=int, default=ITERATIONS, help=f"of L-BFGS (default: {ITERATIONS})")
    parser.add_argument("--C", type=float, nargs="+", default=C, help="what C is chosen from")
    parser.add_argument("--B", type=float, nargs="+", default=B, help="what B is chosen from")
    options = parser.parse_args()
    options.sizes = [options.sentences] if options.sentences else options.sizes
    return options


def main() -> None:
    options = parse_arguments()
    corpora = raw_text.load_corpora(options.data)
    corpora = {title: corpora[title] for title in options.corpora if title in corpora}
    cells = plan(corpora, options)
    store = common.Store("ss-scm", options, Laboratory, raw_text.load_corpora)
    common.compute(list(cells.values()), store, Laboratory(corpora, store, options).run)
    found = {row: store[cell] for row, cell in cells.items() if cell in store}
    results = tables.Results(found, corpora, options)
    rows = [
        store.settings(cells[row]) | {name: x for name, x in value.items() if name != "correct"}
        for row, value in found.items()
    ]
    common.save(store, tables.report(results), rows, functools.partial(tables.draw, results))


if __name__ == "__main__":
    common.in_main(main)
