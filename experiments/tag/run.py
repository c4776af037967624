"""Constituent parsing with spines: Tables 1 to 3 of Carreras, Collins and Koo (2008) on open treebanks.

Usage: ``python experiments/tag/run.py [--treebanks wsj-sample …] [--sentences N] [--systems second …]``

Each cell is one training: treebank × system.  Systems are an unlexicalised PCFG, the first- and second-order models
with beams from 10⁻⁴ to 10⁻⁶, and the project's own dependency parsers.  A slice of train chooses the number of epochs;
the dev file is the test set.
"""

from __future__ import annotations

import functools
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
import common
import tables
from treebanks import TREEBANKS, Trees, count_dependencies, load_trees, to_sentences

from treewright import ConstituentOptions, ConstituentParser, Sentence
from treewright import TrainingOptions as DependencyOptions
from treewright.constituency.pcfg import train_pcfg
from treewright.constituency.spines import SpineTable, build_tree, extract_derivation
from treewright.constituency.tag import search
from treewright.constituency.tag.problem import gold_of
from treewright.constituency.tag.training import Material
from treewright.dependency.training import train_parser
from treewright.evaluation import evaluate_brackets
from treewright.features import Weights
from treewright.learning import Perceptron
from treewright.parsing.progress import Reporter

FOLDER = Path(__file__).parent

#: System → order and beam of the TAG parser.
TAG = {
    "first": ("first", 1e-4),
    "second": ("second", 1e-4),
    "first, 1e-5": ("first", 1e-5),
    "second, 1e-5": ("second", 1e-5),
    "second, 1e-6": ("second", 1e-6),
}
#: System → factorization, and whether relations (triples of nonterminals) are predicted as well.
DEPENDENCIES = {
    "arc": ("arc", False),
    "carreras": ("carreras", False),
    "carreras, labelled": ("carreras", True),
}
SYSTEMS = ("pcfg", *TAG, *DEPENDENCIES)
#: How long a training takes, relative to the first.
WORK = {"pcfg": 1, "first": 20, "second": 30, "first, 1e-5": 40, "second, 1e-5": 60, "second, 1e-6": 120}

EPOCHS, FOLDS = 8, 5


def plan(treebanks, options):
    """Give each pair of treebank and system its cell."""
    cells = {}
    for trees in treebanks:
        for system in options.systems:
            if system == "second, 1e-6" and trees.name != "wsj-sample":
                continue  # this beam is for one treebank, as in the paper
            settings = common.common_settings(trees, options.epochs, options)
            settings |= {"system": system, "folds": FOLDS}
            work = trees.words * WORK.get(system, 15)
            cells[trees.name, system] = common.Cell(trees, settings, f"{trees.title}: {system}", work)
    return cells


class Laboratory:
    """Trains parsers; keeps what the next one of the same treebank needs again."""

    def __init__(self) -> None:
        self._material = functools.lru_cache(maxsize=1)(self._make_material)

    def run(self, cell, say):
        """Train, choose the epoch on the validation slice, and count what is right on dev."""
        system = cell.settings["system"]
        if system == "pcfg":
            return self._pcfg(cell)
        return self._tag(cell, say) if system in TAG else self._dependencies(cell)

    def _pcfg(self, cell):
        trees, start = cell.treebank, time.process_time()
        grammar = train_pcfg(trees.train)
        found = [grammar.parse(tree.words)[0] for tree in trees.dev]
        return {"seconds": time.process_time() - start} | _judged(trees, found)

    def _make_material(self, trees, seed):
        options = ConstituentOptions(folds=FOLDS, seed=seed, threads=1)
        material = Material.of(trees.train, options, Reporter())
        return material, material.pruner(options, Reporter())

    def _tag(self, cell, say):
        trees, settings = cell.treebank, cell.settings
        order, beam = TAG[settings["system"]]
        material, pruner = self._material(trees, settings["seed"])
        pruner = replace(pruner, beam=beam)
        options = ConstituentOptions(order=order, beam=beam, seed=settings["seed"])
        problem = material.problem(pruner, options, Reporter())

        def parser_with(weights):
            return ConstituentParser(problem.features, weights, pruner, material.tagger, {})

        def validate(weights):
            parser = parser_with(weights)
            found = [parser.parse(list(tree.words))[0] for tree in trees.validation]
            return {"score": evaluate_brackets(trees.validation, found).all.brackets.f1}

        fit = common.fit(problem, Perceptron(), validate, settings, say)
        parser = parser_with(Weights.compress(fit.weights.values))
        found, seconds, peak = _timed(parser, trees.dev)
        outcome = {"validation": fit.validation["score"], "epoch": fit.epoch, "seconds": fit.seconds}
        outcome |= {"parsing seconds": seconds, "most items": peak} | _judged(trees, found)
        return outcome | _beam(parser, trees)

    def _dependencies(self, cell):
        trees, settings = cell.treebank, cell.settings
        factorization, labels = DEPENDENCIES[settings["system"]]
        chosen = {name: settings[name] for name in ("epochs", "patience", "seed", "folds")}
        options = DependencyOptions(
            factorization=factorization, labels=labels, learner="perceptron", threads=1, **chosen
        )
        parser = train_parser(to_sentences(trees.train), to_sentences(trees.validation), options)
        found = [parser.parse(list(tree.words))[0].heads for tree in trees.dev]
        gold = [sentence.heads for sentence in to_sentences(trees.dev)]
        correct, words = count_dependencies(trees.dev, gold, found)
        return {"UAS": 100 * sum(correct) / sum(words), "correct heads": correct}


def _judged(trees: Trees, found) -> dict:
    """Score brackets, and the dependencies that are read off the trees."""
    outcome = evaluate_brackets(trees.dev, found).all
    by_tree = [evaluate_brackets([gold], [tree]).all.brackets for gold, tree in _scored(trees.dev, found)]
    gold, system = ([sentence.heads for sentence in to_sentences(part)] for part in (trees.dev, found))
    correct, words = count_dependencies(trees.dev, gold, system)
    brackets = outcome.brackets
    return {
        "precision": brackets.precision,
        "recall": brackets.recall,
        "F1": brackets.f1,
        "exact": outcome.exact.f1,
        "crossing": outcome.average_crossing,
        "tags": outcome.tags.f1,
        "UAS": 100 * sum(correct) / sum(words),
        "correct heads": correct,
        "F1 of sentences": [round(score.f1, 2) for score in by_tree],
    }


def _scored(gold, found):
    """Pair the trees that have words other than punctuation: others are not scored."""
    for pair in zip(gold, found, strict=True):
        if any(tag.isalnum() or tag[:1].isalpha() for tag in pair[0].tags):
            yield pair


def _timed(parser, dev):
    """Parse dev: the trees, CPU seconds without tagging and pruning (as in Table 3), and the largest chart."""
    found, total, peak = [], 0.0, 0
    for tree in dev:
        sentence = parser._prepared(Sentence.from_forms(tree.words), False)
        spaces = list(_first(parser._spaces(sentence)))
        start = time.process_time()
        scores = parser.features.score(parser.features.hash(sentence), parser.weights, spaces[0])
        _, joins = search.best(spaces[0], scores)
        total += time.process_time() - start
        peak = max(peak, spaces[0].layout.size)
        if joins is None:
            found.append(parser.parse_sentence(Sentence.from_forms(tree.words)))
        else:
            found.append(build_tree(spaces[0].derivation(sentence, joins), parser._table))
    return found, total, peak


def _first(spaces):
    yield next(iter(spaces))


def _beam(parser, trees) -> dict:
    """Compute the columns of the first stage of Table 3: active, coverage, oracle F1 (of predicted tags)."""
    automata, table = parser.features.automata, SpineTable(parser.features.automata.grammar.spines)
    known = len(table)
    survive = arcs = right = total = 0
    oracles = []
    for tree in trees.dev:
        sentence = parser._prepared(Sentence.from_forms(tree.words), False)
        space = next(parser._spaces(sentence))
        links = {row: number for number, row in enumerate(zip(*(c.tolist() for c in space.links), strict=True))}
        labelled = {row[:4] for row in links}  # whatever the adjunction
        derivation = extract_derivation(tree, "collins", table)
        if derivation.spines.max() < known:
            gold = gold_of(automata, derivation)
            rows, spines = list(zip(*(column.tolist() for column in gold.links), strict=True)), gold.spines.tolist()
        else:  # a spine that was never seen: nothing of it can be in the beam
            rows, spines = [], []
        survive, arcs, total = survive + len(labelled), arcs + len(tree) ** 2, total + len(tree)
        right += sum(row[:4] in labelled for row in rows)
        oracles.append(_closest(parser, space, sentence, rows, spines, links))
    labels = len(_relations(trees))
    oracle = evaluate_brackets(trees.dev, oracles).all.brackets.f1
    return {
        "active": 100 * survive / (arcs * labels),
        "coverage": 100 * right / total,
        "oracle": oracle,
        "labels": labels,
    }


def _relations(trees):
    """Give the triples of nonterminals that train has, tags among them, as in the paper."""
    from treewright.constituency.spines import grammatical_relations

    table = SpineTable()
    derivations = [extract_derivation(tree, "collins", table) for tree in trees.train]
    return {relation for derivation in derivations for relation in grammatical_relations(derivation, table)}


def _closest(parser, space, sentence, rows, spines, links):
    """Find the derivation in the beam that has the most links and spines of the gold one: the oracle."""
    x, at = space.graph, space.layout
    scores = np.zeros(at.parts)
    for row in rows:
        link = links.get(row)
        if link is not None:
            end = at.sibling[link + 1] if link + 1 < len(at.sibling) else at.begins_of_grand
            scores[at.sibling[link] : end] += 1.0
    for word, spine in enumerate(spines, 1):
        for sense in range(x.sense_starts[word], x.sense_starts[word + 1]):
            if space.senses.spines[sense] == spine:
                scores[at.close[2 * sense] : at.close[2 * sense] + word] += 1.0
    _, joins = search.best(space, scores)
    if joins is None:
        return parser.parse_sentence(sentence)
    return build_tree(space.derivation(sentence, joins), parser._table)


def parse_arguments():
    parser = common.arguments(__doc__, FOLDER, str(EPOCHS), languages=False)
    parser.set_defaults(epochs=EPOCHS)
    parser.add_argument("--treebanks", nargs="+", choices=TREEBANKS, default=list(TREEBANKS), help="which treebanks")
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=SYSTEMS, help="which systems")
    parser.add_argument("--dev", type=int, default=0, help="sentences of each dev file (default: all)")
    return parser.parse_args()


def main() -> None:
    options = parse_arguments()
    treebanks = [load_trees(options, name) for name in options.treebanks]
    treebanks = [trees for trees in treebanks if trees is not None]
    if not treebanks:
        raise SystemExit("nothing to do: none of the treebanks is there")
    cells, store = plan(treebanks, options), common.Store("tag", options, Laboratory, load_trees)
    common.compute(list(cells.values()), store, Laboratory().run)
    found = {key: store[cell] for key, cell in cells.items() if cell in store}
    hidden = ("correct heads", "F1 of sentences")
    rows = [
        store.settings(cells[key]) | {name: x for name, x in found[key].items() if name not in hidden} for key in found
    ]
    common.save(options.output, tables.report(found, {trees.name: trees for trees in treebanks}), rows, None)


if __name__ == "__main__":
    common.in_main(main)
