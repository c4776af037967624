"""Learning from raw text: Table 3 and Figure 1 of Suzuki, Isozaki, Carreras and Collins (2009) on open treebanks.

Usage: ``python experiments/ss-scm/run.py [--tokens N …] [--sizes 2000 0] [--bits 24 28] [--corpora EWT WSJ] [--tune once]``

Each row of Table 3 is one cell: treebank × sentences × features × system × raw text, trained for a few values of C or B,
of which a slice of train chooses one, as it chooses the epoch; the dev file is the test set.  Clusters are those of the
same raw text.
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

from treewright import TrainingOptions
from treewright.dependency.problem import ParsingProblem
from treewright.dependency.pruner_training import train_pruner
from treewright.dependency.semi_supervised import ExpectedCounts, estimate_models
from treewright.features import DependencyFeatures, GenerativeModels
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
#: Training sentences: those of one column of the paper.
SIZE = 2000
#: Tokens of raw text; 0 is all, 8.8 million (43 in the paper).
TOKENS, FIGURE = 0, [100_000, 400_000, 1_000_000, 4_000_000, 0]
#: What C of the log-linear models, and B of those with generative models, are chosen from.
C, B = [0.1, 1.0], [0.03, 0.1]
#: Iterations of L-BFGS at most, and how many to wait for a gain; epochs of MIRA at most; epochs of the pruner.
ITERATIONS, WAITED, EPOCHS, PRUNER_EPOCHS = 30, 6, 8, 5


class Row(NamedTuple):
    """What a parser is trained on, and how."""

    corpus: str
    clusters: bool
    system: str
    tokens: int


def wanted_rows(corpora, options):
    """List the rows of the table, and what more the figure asks for; the more telling first."""
    groups = [(corpus, name == "CL") for corpus in corpora for name in options.features]
    rows = [Row(*group, s, options.tokens if SYSTEMS[s].raw else 0) for group in groups for s in SYSTEMS]
    figure = [Row(*groups[0], tables.SS_SCM, tokens) for tokens in options.figure if groups[0][0] == "EWT"]
    end = max(len(SYSTEMS), len(rows) - len(SYSTEMS))  # the last column takes long, and tells least
    return list(dict.fromkeys([*rows[:end], *figure, *rows[end:]]))


def plan(corpora, options):
    """Give each row its cell."""
    return {row: make_cell(row, corpora, options) for row in wanted_rows(corpora, options)}


def make_cell(row, corpora, options, **choice):
    """Name a row in the store by all its settings; or its training with one choice of C and B."""
    treebank, system = corpora[row.corpus].gold(options.sentences), SYSTEMS[row.system]
    settings = common.common_settings(treebank, options.epochs, options)
    if system.is_batch:
        settings |= {"epochs": options.iterations, "patience": WAITED}
    settings |= row._asdict() | {"tagger epochs": raw_text.TAGGER_EPOCHS, "pruner epochs": PRUNER_EPOCHS}
    settings |= {"bit strings": raw_text.CLUSTERS * row.clusters, "seen": raw_text.MIN_COUNT * row.clusters}
    settings |= choice or {"all C": options.C, "all B": options.B * system.raw, "tune": options.tune}
    work = treebank.words * system.work + system.raw * (row.tokens or sum(raw_text.RAW.values())) / 16
    title = f"{row.corpus} {row.system}{' + CL' * row.clusters}{f', {row.tokens:,} tokens' * (row.tokens > 0)}"
    return common.Cell(treebank, settings, title, work * (1 + row.clusters))


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
        """List what is to be tried: C for the supervised model, which all keep; B where there is raw text.

        Choices are made for each treebank and its features, or once for the first; always for Table 3.
        """
        system, first = SYSTEMS[row.system], wanted_rows(self._corpora, self._options)[0]
        leader = row._replace(tokens=self._options.tokens) if system.raw else row
        if self._options.tune == "once":
            leader = leader._replace(corpus=first.corpus, clusters=first.clusters)
        is_supervised = row.system == tables.SCM
        c = None if is_supervised else self._chosen(self._supervised(row), "C")
        bs = self._options.B if system.raw else [0.0]
        if row != leader:
            chosen = {name: self._chosen(leader, name) for name in "CB"}
            return [chosen | {"first C": c if system.raw else None}]
        if is_supervised:
            return [{"C": value, "B": 0.0, "first C": None} for value in self._options.C]
        return [{"C": c if system.is_batch else Mira().C, "B": b, "first C": c if system.raw else None} for b in bs]

    def _supervised(self, row):
        return row._replace(system=tables.SCM, tokens=0)

    def _chosen(self, row, name):
        return self._store[make_cell(row, self._corpora, self._options)][name]

    def _train(self, row, cell, say):
        """Train; choose the epoch on the validation slice; count what is right on dev."""
        settings, corpus, gold = cell.settings, self._corpora[row.corpus], cell.treebank
        factorization, raw, _ = SYSTEMS[row.system]
        treebank = corpus.tagged(self._options.sentences, "all", settings["seed"])
        features, words = self._features(treebank, factorization, row.clusters), 0
        trees, masks = Trees(single_root=treebank.single_root, factorization=factorization), [None] * 3
        if raw:
            models, words = self._models(row, treebank, say)
            features = features.with_models(replace(models, factor=settings["B"]))
        if factorization != "arc":
            masks = self._masks(treebank, row.clusters, settings["seed"])
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

    def _features(self, treebank, factorization, clusters):
        kinds = TrainingOptions(factorization=factorization, labels=False).kinds
        known = raw_text.load_clusters(self._options.data) if clusters else None
        return DependencyFeatures.of(treebank.train, clusters=known, kinds=kinds)

    def _models(self, row, treebank, say):
        """Estimate generative models by the supervised model (step 2), unless that has been done."""
        supervised, options = self._supervised(row), self._options
        choice = {"C": self._chosen(supervised, "C"), "B": 0.0, "first C": None}
        cell = make_cell(supervised, self._corpora, options, **choice)
        name = json.dumps([self._store.settings(cell), row.tokens], sort_keys=True)
        path = common.CACHE / "ss-scm" / f"models-{hashlib.sha256(name.encode()).hexdigest()[:16]}.npz"
        if not path.exists():
            features, trees = self._features(treebank, "arc", row.clusters), Trees(single_root=treebank.single_root)
            seen = [0]

            def count(words):
                seen[0] = words
                say(f"{words:,} words of raw text read", 0.01)

            sentences = self._corpora[row.corpus].raw_text(options.data, row.tokens, options.seed)
            models = estimate_models(ExpectedCounts(features, self._store.kept(cell), trees), sentences, on_words=count)
            numbers, arrays = models.describe()
            np.savez(path, words=seen[0], **numbers, **arrays)
        with np.load(path) as arrays:
            return GenerativeModels.restore(arrays, arrays), int(arrays["words"])

    def _prune(self, treebank, clusters, seed):
        """Tell which arcs of train, validation and dev survive a first-order model."""
        lexicon = self._features(treebank, "arc", clusters).lexicon
        pruner = train_pruner(
            treebank.train, lexicon, Trees(single_root=treebank.single_root), epochs=PRUNER_EPOCHS, seed=seed
        )
        parts = (treebank.train, treebank.validation, treebank.dev)
        return [[pruner.allowed(sentence) for sentence in part] for part in parts]


def _tell(say, name, number, count, text, share):
    say(f"{name}: {text}", (number + share) / count)


def parse_arguments():
    parser = common.arguments(__doc__, FOLDER, str(EPOCHS), languages=False)
    parser.set_defaults(sentences=SIZE, epochs=EPOCHS)
    parser.add_argument("--corpora", nargs="+", choices=("EWT", "WSJ"), default=["EWT", "WSJ"], help="which treebanks")
    parser.add_argument("--features", nargs="+", choices=("baseline", "CL"), default=["baseline", "CL"])
    parser.add_argument("--tokens", type=int, default=TOKENS, help="of raw text, for Table 3; 0 is all (default)")
    parser.add_argument("--figure", type=int, nargs="*", default=FIGURE, help="of raw text, for the figure")
    parser.add_argument("--iterations", type=int, default=ITERATIONS, help=f"of L-BFGS (default: {ITERATIONS})")
    parser.add_argument("--C", type=float, nargs="+", default=C, help="what C is chosen from")
    parser.add_argument("--B", type=float, nargs="+", default=B, help="what B is chosen from")
    parser.add_argument(
        "--tune", choices=("each", "once"), default="each", help="choose C and B everywhere, or for the first column"
    )
    return parser.parse_args()


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
    common.save(options.output, tables.report(results), rows, functools.partial(tables.draw, results))


if __name__ == "__main__":
    common.in_main(main)
