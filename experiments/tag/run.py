"""Constituent parsing with spines: Tables 1 to 3 of Carreras, Collins and Koo (2008) on open treebanks.

Usage: ``python experiments/tag/run.py [--treebanks wsj-sample …] [--sentences N] [--systems "second, 1e-5" …]``

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
from treewright.constituency.spines import SpineTable, build_tree, extract_derivation, grammatical_relations
from treewright.constituency.tag import search
from treewright.constituency.tag.candidates import SpineDictionary
from treewright.constituency.tag.coverage import Coverage, count_coverage, gold_dependencies
from treewright.constituency.tag.material import Material
from treewright.constituency.tag.scorers import LinearTagScorer
from treewright.constituency.tag.space import Space
from treewright.dependency.training import train_parser
from treewright.evaluation import count_brackets, evaluate_brackets
from treewright.features import Weights
from treewright.learning import Perceptron
from treewright.parsing.progress import Reporter

FOLDER = Path(__file__).parent

EPOCHS, FOLDS, PRUNER_FOLDS = 20, 5, 5

#: System → order and beam of the TAG parser, and the folds in which training trees are pruned.
TAG = {f"{order}, {beam}": (order, float(beam), PRUNER_FOLDS) for beam in tables.BEAMS for order in ("first", "second")}
TAG[tables.OWN_PRUNER] = ("second", 1e-5, 1)
#: System → factorization, and whether relations (triples of nonterminals) are predicted, too.
DEPENDENCIES = {
    "arc": ("arc", False),
    "carreras": ("carreras", False),
    "arc, labelled": ("arc", True),
    "carreras, labelled": ("carreras", True),
}
SYSTEMS = ("pcfg", *DEPENDENCIES, *TAG)
#: How long a training takes, relative to the first.
WORK = {"pcfg": 1, "arc": 5, "carreras": 15, "arc, labelled": 15, "carreras, labelled": 25}
WORK |= {"first, 1e-4": 20, "second, 1e-4": 30, "first, 1e-5": 40, "second, 1e-5": 60}
WORK |= {"first, 1e-6": 80, "second, 1e-6": 120, tables.OWN_PRUNER: 60}


def plan(treebanks, options):
    """Give each pair of treebank and system its cell."""
    cells = {}
    for trees in treebanks:
        for system in options.systems:
            settings = common.common_settings(trees, options.epochs, options)
            settings |= {"system": system, "folds": FOLDS}
            settings |= {"pruner folds": TAG[system][2]} if system in TAG else {}
            work = trees.words * WORK[system]
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
        options = ConstituentOptions(folds=FOLDS, pruner_folds=PRUNER_FOLDS, seed=seed, threads=1)
        material = Material.of(trees.train, options, Reporter())
        return material, *material.pruners(options, Reporter())

    def _tag(self, cell, say):
        trees, settings = cell.treebank, cell.settings
        order, beam, folds = TAG[settings["system"]]
        material, pruner, pruners = self._material(trees, settings["seed"])
        pruner = replace(pruner, beam=beam)
        pruners = [replace(own, beam=beam) for own in pruners] if folds > 1 else [pruner] * len(pruners)
        options = ConstituentOptions(order=order, beam=beam, seed=settings["seed"])
        problem = material.problem(pruners, options, Reporter())

        def parser_with(weights):
            return ConstituentParser(LinearTagScorer(problem.features, weights), pruner, material.tagger, {})

        def validate(weights):
            parser = parser_with(weights)
            found = [parser.parse(list(tree.words))[0] for tree in trees.validation]
            return {"score": evaluate_brackets(trees.validation, found).all.brackets.f1}

        fit = common.fit(problem, Perceptron(), validate, settings, say)
        parser = parser_with(Weights.compress(fit.weights.values))
        found, seconds, peak = _timed(parser, trees.dev)
        outcome = {"validation": fit.validation["score"], "epoch": fit.epoch, "seconds": fit.seconds}
        outcome |= {"parsing seconds": seconds, "most items": peak} | _judged(trees, found)
        return outcome | _beam(parser, trees) | {"train coverage": _train_coverage(material, pruners, trees)}

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
        return _judged_heads(trees, gold, found)


def _judged(trees: Trees, found) -> dict:
    """Score brackets, and the dependencies that are read off the trees."""
    outcome = evaluate_brackets(trees.dev, found).all
    gold, system = ([sentence.heads for sentence in to_sentences(part)] for part in (trees.dev, found))
    brackets = outcome.brackets
    return {
        "precision": brackets.precision,
        "recall": brackets.recall,
        "F1": brackets.f1,
        "exact": outcome.exact.f1,
        "crossing": outcome.average_crossing,
        "tags": outcome.tags.f1,
        "brackets": count_brackets(trees.dev, found).tolist(),
        **_judged_heads(trees, gold, system),
    }


def _judged_heads(trees: Trees, gold, found) -> dict:
    """Score heads, punctuation aside."""
    correct, words = count_dependencies(trees.dev, gold, found)
    return {"UAS": 100 * sum(correct) / sum(words), "heads": list(zip(correct, words, words, strict=True))}


def _timed(parser, dev):
    """Parse dev: the trees, CPU seconds without tagging and pruning (as in Table 3), and the largest chart."""
    scorer, found, total, peak = parser.scorer, [], 0.0, 0
    for tree in dev:
        sentence = parser._tagged(Sentence.from_forms(tree.words), False)
        first = next(parser._spaces(sentence))
        start = time.process_time()
        space = Space.of(scorer.automata.tables, first.senses, first.links, second=scorer.second)
        scores = scorer.score(sentence, space)
        _, joins = search.best(space, scores)
        total += time.process_time() - start
        peak = max(peak, space.layout.size)
        if joins is None:
            found.append(parser.parse_sentence(Sentence.from_forms(tree.words)))
        else:
            found.append(build_tree(space.derivation(sentence, joins), parser._table))
    return found, total, peak


def _beam(parser, trees) -> dict:
    """Compute the columns of the first stage of Table 3, with predicted tags: active, coverage, oracle F1."""
    automata, table = parser.scorer.automata, SpineTable(parser.scorer.automata.grammar.spines)
    dictionary, coverage, oracles = SpineDictionary(automata), Coverage(), []
    for tree in trees.dev:
        sentence = parser._tagged(Sentence.from_forms(tree.words), False)
        space, choices = next(parser._spaces(sentence)), dictionary.choices(sentence.xpos)
        derivation = extract_derivation(tree, "collins", table)
        coverage += count_coverage(automata, choices, space.links, derivation, table)
        oracles.append(_closest(parser, space, sentence, derivation, table))
    labels, arcs = len(_relations(trees)), sum(len(tree) ** 2 for tree in trees.dev)
    return {
        "active": 100 * coverage.survivors / (arcs * labels),
        "coverage": coverage.coverage,
        "unseen": coverage.lost_unseen,
        "spines": coverage.spine_coverage,
        "oracle": evaluate_brackets(trees.dev, oracles).all.brackets.f1,
        "labels": labels,
    }


def _train_coverage(material, pruners, trees) -> float:
    """Compute the coverage of every tenth training tree, as it is pruned for learning."""
    automata, table = material.automata, SpineTable(material.automata.grammar.spines)
    dictionary, coverage = SpineDictionary(automata), Coverage()
    for number in range(0, len(pruners), 10):
        sentence, derivation = material.sentences[number], extract_derivation(trees.train[number], "collins", table)
        choices = dictionary.choices(sentence.xpos)
        links = pruners[number].links(sentence, choices)
        coverage += count_coverage(automata, choices, links, derivation, table)
    return coverage.coverage


def _relations(trees):
    """Find the triples of nonterminals that train has, tags among them, as in the paper."""
    table = SpineTable()
    derivations = [extract_derivation(tree, "collins", table) for tree in trees.train]
    return {relation for derivation in derivations for relation in grammatical_relations(derivation, table)}


def _closest(parser, space, sentence, derivation, table):
    """Find the derivation in the beam that has the most links and spines of the gold one: the oracle."""
    x, at = space.graph, space.layout
    links = {row: number for number, row in enumerate(zip(*(column.tolist() for column in space.links), strict=True))}
    scores, bounds = np.zeros(at.parts), np.append(at.sibling, at.begins_of_grand)
    gold = gold_dependencies(parser.scorer.automata, derivation, table)
    for row, adjunction in zip(gold, derivation.adjunctions.tolist(), strict=True):
        link = links.get((*row, adjunction))
        if link is not None:
            scores[bounds[link] : bounds[link + 1]] += 1.0
    for word, spine in enumerate(derivation.spines.tolist(), 1):
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
    hidden = ("heads", "brackets")
    rows = [
        store.settings(cells[key]) | {name: x for name, x in found[key].items() if name not in hidden} for key in found
    ]
    common.save(store, tables.report(found, {trees.name: trees for trees in treebanks}), rows, None)


if __name__ == "__main__":
    common.in_main(main)
