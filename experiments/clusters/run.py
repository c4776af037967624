"""Word clusters: Tables 2, 3, 7 and 8 of Koo, Carreras and Collins (2008) on open treebanks.

Usage: ``python experiments/clusters/run.py [--sizes 1000 2000 …] [--sentences N] [--tables text 3 8] [--models arc]``,
where ``--sizes`` is for Table 3 and ``--sentences`` for Tables 2, 7 and 8.

Each cell is one training with the averaged perceptron: treebank × sentences × tagger × model × clusters or none.  A
slice of train chooses the number of epochs; the dev file is the test set.  The table ``text`` is ours: clusters of 1, 9
and 49 million words, with the paper's features (words and tags) and with ours, to tell what the gain depends on.
"""

from __future__ import annotations

import functools
import itertools
import sys
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))
import common
import raw_text
import tables

from treewright import TrainingOptions
from treewright.dependency.cascade_training import train_stage
from treewright.dependency.problem import ParsingProblem
from treewright.features import DependencyFeatures
from treewright.features.settings import TAG_ATTRIBUTES
from treewright.inference import Trees
from treewright.learning import Perceptron

FOLDER = Path(__file__).parent
#: Model → how long an epoch takes, relative to the first; with clusters twice as long.
MODELS = {"arc": 1, "carreras": 4}
#: Training sentences of Table 3; 0 is all.
SIZES = [1000, 2000, 4000, 8000, 0]
#: What the tagger is trained on.
TAGGERS = ("all", "reduced")
#: Training sentences of the table about the text and the features; 0 is all.
TEXT_SIZES = (2000, 0)
#: Millions of words of raw text to make clusters of; all other tables use the last.
TEXTS = [1.0, 9.0, 49.0]
#: What the features of the paper do not look at: they have words and one kind of tags.
OURS = ("shape", "lower", *(f"{end}{size}" for end in ("prefix", "suffix") for size in range(1, 6)))
#: How many words have features of their form, in Table 7; None is all.
TOP_WORDS = (100, 200, 400, 800, 1600, None)
#: Epochs at most, and epochs of the first-order model that prunes.  Up to 30 in the paper, which did not prune.
EPOCHS, PRUNER_EPOCHS = 10, 5
#: How often a feature is to be seen to be learned.
MINIMUM = 2
#: Two to this power is the size of each table of weights.  The paper does not hash: where features share few weights,
#: those of clusters, which are many, are not at a disadvantage.
BITS = 24


TABLES = ("text", "8", "3", "7", "2")


class Condition(NamedTuple):
    """What a parser is trained on, and what it looks at."""

    corpus: str
    size: int
    tagger: str
    model: str
    clusters: bool
    words: int | None = None
    tags: bool = True
    labels: bool = False
    text: int | None = None
    plain: bool = False

    def completed(self, options):
        """Return the condition with the largest text, if it has clusters and no text is given."""
        is_open = self.clusters and self.text is None
        return self._replace(text=tokens_of(options.texts[-1])) if is_open else self


def tokens_of(millions):
    return round(1e6 * millions)


def wanted_conditions(options):
    """List the conditions that the tables ask for, the cheaper and more telling first; some more than once."""
    pairs = [(model, clusters) for model in options.models for clusters in (False, True)]
    main = ("EWT", options.sentences, "all")
    sizes = [("EWT", size, tagger) for size in options.sizes for tagger in options.taggers if size or tagger == "all"]
    wsj = [("WSJ", raw_text.WSJ_SIZE, tagger) for tagger in options.taggers]
    texts = [(False, None), *((True, tokens_of(millions)) for millions in options.texts)]
    places = [
        place for place in itertools.product(["EWT"], TEXT_SIZES, options.taggers) if place[1] or place[2] == "all"
    ]
    asked = {
        "text": [
            Condition(*place, model, clusters, text=text, plain=plain)
            for place, model, plain in itertools.product(places, options.models, (True, False))
            for clusters, text in texts
        ],
        "8": [Condition(*main, *pair, tags=tags) for pair in pairs for tags in (False, True)],
        "3": [Condition(*place, *pair) for place in [*sizes, *wsj] for pair in pairs],
        "7": [Condition(*main, *pair, words=words) for pair in pairs for words in TOP_WORDS],
        "2": [Condition(*main, *pair, labels=labels) for pair in pairs for labels in (False, True)],
    }
    return [condition.completed(options) for table in asked if table in options.tables for condition in asked[table]]


def plan(corpora, options):
    """Give each condition its cell."""
    cells = {}
    for condition in wanted_conditions(options):
        if condition.corpus not in corpora or condition in cells:
            continue
        treebank, epochs = corpora[condition.corpus].gold(condition.size), options.epochs
        settings = common.common_settings(treebank, epochs, options) | condition._asdict()
        settings |= {
            "tagger epochs": raw_text.TAGGER_EPOCHS,
            "pruner epochs": PRUNER_EPOCHS,
            "minimum": MINIMUM,
            "bits": BITS,
        }
        settings |= {
            "bit strings": raw_text.CLUSTERS * condition.clusters,
            "seen": raw_text.MIN_COUNT * condition.clusters,
        }
        work = treebank.words * MODELS[condition.model] * (1 + condition.clusters) * (1 + condition.labels)
        cells[condition] = common.Cell(treebank, settings, title(condition), work * epochs)
    return cells


def title(condition):
    """Describe a condition in a few words."""
    size = f"{condition.size:,}" if condition.size else "all"
    extras = [
        f"clusters of {raw_text.millions(condition.text)} million words" if condition.clusters else "",
        f"{condition.words} words" if condition.words else "",
        "" if condition.tags else "no tags",
        "labelled" if condition.labels else "",
        "words and tags only" if condition.plain else "",
    ]
    place = f"{condition.corpus} {size}, tagger on {condition.tagger}: {condition.model}"
    return " + ".join([place, *filter(None, extras)])


class Laboratory:
    """Trains parsers; keeps what the next one may need again."""

    def __init__(self, corpora, folder):
        self._corpora, self._folder = corpora, folder
        self._treebank = functools.lru_cache(maxsize=2)(self._make_treebank)
        self._masks = functools.lru_cache(maxsize=2)(self._prune)

    def run(self, cell, say):
        """Train; choose the epoch on the validation slice; count what is right on dev."""
        settings = cell.settings
        condition = Condition(*(settings[name] for name in Condition._fields))
        corpus, seed = self._corpora[condition.corpus], settings["seed"]
        gold = corpus.gold(condition.size)
        tagged = corpus.tagged(condition.size, condition.tagger, seed)
        treebank = self._treebank(tagged, condition.plain, None if condition.tags else condition.text)
        kinds = TrainingOptions(factorization=condition.model, labels=condition.labels).kinds
        features = self._features(treebank, condition, kinds=kinds)
        trees = Trees(single_root=treebank.single_root, factorization=condition.model)
        masks = [None] * 3
        if condition.model != "arc":
            # The pruner knows what the parser knows, but all words in Table 7 as well.
            masks = self._masks(treebank, condition._replace(model="arc", words=None, labels=False), seed)
        validation, dev = corpus.counted(gold.validation), corpus.counted(gold.dev)

        def validate(weights):
            correct = raw_text.count_correct(features, weights, trees, treebank.validation, validation, masks[1])
            return {"score": raw_text.percentage(correct, validation)}

        problem = ParsingProblem(treebank.train, features, trees, masks[0], minimum=MINIMUM)
        fit = common.fit(problem, Perceptron(), validate, settings, say)
        correct = raw_text.count_correct(features, fit.weights, trees, treebank.dev, dev, masks[2])
        return {
            "validation": fit.validation["score"],
            "epoch": fit.epoch,
            "seconds": fit.seconds,
            "tags right": tag_accuracy(gold.dev, tagged.dev),
            "score": raw_text.percentage(correct, dev),
            "correct": correct,
        }

    def _make_treebank(self, tagged, plain, text):
        """Prepare a treebank: fine tags only, as in the paper; or bit strings of clusters where it has tags."""
        if text is not None:
            clusters = raw_text.load_clusters(self._folder, text)
            return retagged(tagged, lambda sentence: [[clusters[w][:n] for w in sentence.forms] for n in (4, 6)])
        return retagged(tagged, lambda sentence: (sentence.xpos, sentence.xpos)) if plain else tagged

    def _features(self, treebank, condition, **choices):
        clusters = raw_text.load_clusters(self._folder, condition.text) if condition.clusters else None
        words, ignored, bits = condition.words, ignored_attributes(condition), BITS
        return DependencyFeatures.of(
            treebank.train, clusters=clusters, top_words=words, ignored=ignored, bits=bits, **choices
        )

    def _prune(self, treebank, condition, seed):
        """Train a first-order log-linear model, and tell which arcs of train, validation and dev survive it."""
        lexicon = self._features(treebank, condition, kinds=["arc"]).lexicon
        ignored, trees = ignored_attributes(condition), Trees(single_root=treebank.single_root)
        pruner = train_stage(treebank.train, lexicon, trees, ignored=ignored, epochs=PRUNER_EPOCHS, seed=seed)
        parts = (treebank.train, treebank.validation, treebank.dev)
        return [[pruner.allowed(sentence) for sentence in part] for part in parts]


def retagged(treebank, tags_of):
    """Give the sentences of a treebank other coarse and fine tags."""
    parts = {}
    for name in ("train", "validation", "dev"):
        pairs = [(sentence, tags_of(sentence)) for sentence in getattr(treebank, name)]
        parts[name] = [sentence.replace(upos=coarse, xpos=fine) for sentence, (coarse, fine) in pairs]
    return replace(treebank, **parts)


def ignored_attributes(condition):
    """List the attributes that features do not look at.  With clusters and no tags there are bit strings for tags."""
    without_tags = () if condition.tags or condition.clusters else TAG_ATTRIBUTES
    return (*without_tags, *(OURS if condition.plain else ()))


def tag_accuracy(gold, tagged):
    right = [a == b for pair in zip(gold, tagged, strict=True) for a, b in zip(*(s.xpos for s in pair), strict=True)]
    return 100 * sum(right) / len(right)


def parse_arguments():
    parser = common.arguments(__doc__, FOLDER, str(EPOCHS), languages=False)
    parser.set_defaults(epochs=EPOCHS)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="training sentences of Table 3; 0 is all")
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=TABLES, help="which tables (default: all)")
    parser.add_argument("--texts", type=float, nargs="+", default=TEXTS, help="millions of words to cluster (1 9 49)")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS), help="which parsers")
    parser.add_argument("--taggers", nargs="+", choices=TAGGERS, default=TAGGERS, help="what taggers are trained on")
    return parser.parse_args()


def main() -> None:
    options = parse_arguments()
    corpora = raw_text.load_corpora(options.data)
    cells, store = plan(corpora, options), common.Store("clusters", options, Laboratory, raw_text.load_corpora)
    common.compute(list(cells.values()), store, Laboratory(corpora, options.data).run)
    found = {condition: store[cell] for condition, cell in cells.items() if cell in store}
    results = tables.Results(found, corpora, options)
    rows = [
        store.settings(cells[condition]) | {name: x for name, x in found[condition].items() if name != "correct"}
        for condition in found
    ]
    common.save(store, tables.report(results), rows, functools.partial(tables.draw, results))


if __name__ == "__main__":
    common.in_main(main)
