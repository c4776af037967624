"""Training a constituent parser: a treebank of trees in, a `ConstituentParser` out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypeAlias

from treewright.constituency.spines import Derivation, Grammar, SpineTable, extract_derivation
from treewright.constituency.tag.automata import Automata
from treewright.constituency.tag.calibration import tree_temperatures
from treewright.constituency.tag.candidates import SpineDictionary
from treewright.constituency.tag.features import TagFeatures, TagSettings
from treewright.constituency.tag.options import ConstituentOptions
from treewright.constituency.tag.parser import ConstituentParser
from treewright.constituency.tag.problem import Gold, TagProblem, gold_of, relations_of
from treewright.constituency.tag.pruning import LinkPruner, train_link_pruner
from treewright.constituency.tag.scorers import LinearTagScorer
from treewright.constituency.tag.tags import with_coarse_tags
from treewright.errors import UsageError
from treewright.evaluation import BracketRules, evaluate_brackets
from treewright.features import Lexicon, Weights, WordClusters
from treewright.features.settings import table_bits
from treewright.learning import Perceptron, Progress, train
from treewright.learning.folds import in_folds, set_aside
from treewright.parsing.description import describe_training
from treewright.parsing.mixture import UNIT, Mixture
from treewright.parsing.progress import Reporter
from treewright.parsing.trainer import HeldOutTrainer
from treewright.parsing.training import learn_parser, predict_tags
from treewright.tagging import Tagger
from treewright.threads import in_order
from treewright.treebank import ConstituentTree, HeadRules, Sentence, simplify

__all__ = ["Material", "TagTrainer", "judge", "simple_trees", "train_constituents"]

#: A sentence, tagged as when it is parsed, and its tree.
Known: TypeAlias = tuple[Sentence, ConstituentTree]


def train_constituents(
    treebank: Iterable[ConstituentTree],
    dev: Iterable[ConstituentTree],
    options: ConstituentOptions | None = None,
    *,
    tagger: Tagger | None = None,
    info: dict[str, Any] | None = None,
    report: Reporter | None = None,
) -> ConstituentParser:
    """Train a tagger, a pruner and a parser on a treebank of constituent trees.

    Parameters
    ----------
    treebank, dev : iterable of ConstituentTree
        Simplified first.  The dev set chooses the best epoch, and nothing else.
    options : ConstituentOptions, optional
    tagger : Tagger, optional
        The tagger to use in place of one learned from the trees, such as that of another model.  If it looks at word
        clusters, the parser has features of them, too.
    info : dict, optional
        What to note in the model: ``name``, ``language``, ``treebank``, ``licence``, ``attribution``.
    report : Reporter, optional

    Returns
    -------
    ConstituentParser
        That of the best epoch; Ctrl-C ends training early and keeps the best so far.

    Raises
    ------
    UsageError
        If the treebank cannot be learned from.
    KeyboardInterrupt
        If Ctrl-C comes before the first epoch is done.
    """
    options, report = options or ConstituentOptions(), report or Reporter()
    trees, held_out = (
        simple_trees("training", treebank, options, options.longest),
        simple_trees("dev", dev, options, ConstituentParser.MAX_WORDS),
    )
    whole = Material.of(trees, options, report, tagger)
    material, aside = whole.split(trees) if options.calibrate == "aside" else (whole, [])
    pruner, pruners = material.pruners(options, report)
    problem = material.problem(pruners, options, report)
    parser, result = learn_parser(
        problem,
        Perceptron(),
        lambda weights: ConstituentParser(LinearTagScorer(problem.features, weights), pruner, material.tagger, {}),
        lambda parser: judge(parser, held_out, options.threads),
        report,
        epochs=options.epochs,
        patience=options.patience,
        seed=options.seed,
    )
    if options.calibrate == "twice" and result.best and not result.interrupted:
        parser.temperatures = _temperatures(*whole.split(trees), options, result.best.number, report)
    elif aside:
        parser.temperatures = tree_temperatures(parser, aside)
    dev_scores = judge(parser, held_out, options.threads)
    parser.info = describe_training(info, asdict(options), material.sentences, result, dev_scores)
    return parser


def _temperatures(
    material: Material, aside: Sequence[Known], options: ConstituentOptions, epochs: int, report: Reporter
) -> Mixture:
    """Train the same parser on a part of the treebank, and fit the temperatures on the rest of it."""
    if not aside:
        return UNIT
    pruner, pruners = material.pruners(options, Reporter())
    problem = material.problem(pruners, options, Reporter())

    def progress(progress: Progress) -> None:
        report.stage("calibration", progress.share)

    result = train(problem, Perceptron(), epochs=epochs, seed=options.seed, on_progress=progress)
    weights = Weights.compress(result.weights.values)
    return tree_temperatures(
        ConstituentParser(LinearTagScorer(problem.features, weights), pruner, material.tagger, {}), aside
    )


@dataclass(frozen=True)
class TagTrainer(HeldOutTrainer[ConstituentTree]):
    """Trains constituent parsers as `train_constituents` does."""

    options: ConstituentOptions = field(default_factory=ConstituentOptions)

    def fit(
        self, trees: Sequence[ConstituentTree], dev: Sequence[ConstituentTree], report: Reporter
    ) -> ConstituentParser:
        """Train a parser."""
        return train_constituents(trees, dev, self.options, report=report)


@dataclass(frozen=True)
class Material:
    """What is learned from."""

    sentences: list[Sentence]  # with the tags that the parser will see, and gold heads
    gold: list[Gold]  # their derivations
    automata: Automata
    tagger: Tagger | None

    @classmethod
    def of(
        cls,
        trees: Sequence[ConstituentTree],
        options: ConstituentOptions,
        report: Reporter,
        tagger: Tagger | None = None,
    ) -> Material:
        """Take trees apart, and tag them as they will be tagged when they are parsed."""
        rules, table = HeadRules.load(options.rules), SpineTable()
        derivations = [extract_derivation(tree, rules, table, levels=options.levels) for tree in trees]
        sentences = [
            Sentence.from_forms(tree.words, xpos=tree.tags, heads=derivation.heads)
            for tree, derivation in zip(trees, derivations, strict=True)
        ]
        seen = list[Derivation]()
        if options.tags == "predicted":
            tagger, sentences = _tags(sentences, options, report, tagger)
            seen = [
                replace(derivation, tags=tuple(sentence.xpos))
                for derivation, sentence in zip(derivations, sentences, strict=True)
            ]
        automata = Automata(Grammar.count([*derivations, *seen], table))
        gold = [gold_of(automata, derivation) for derivation in derivations]
        return cls([with_coarse_tags(sentence) for sentence in sentences], gold, automata, tagger)

    @property
    def clusters(self) -> WordClusters | None:
        """The word clusters that the tagger looks at, if any: those of the parser."""
        return self.tagger.clusters if self.tagger is not None else None

    def split(self, trees: Sequence[ConstituentTree]) -> tuple[Material, list[Known]]:
        """Set trees aside to fit a temperature on: return the material without them, and these."""
        aside = set_aside(len(trees))
        others = sorted({*range(len(trees))} - {*aside})
        rest = replace(
            self,
            sentences=[self.sentences[number] for number in others],
            gold=[self.gold[number] for number in others],
        )
        return rest, [(self.sentences[number], trees[number]) for number in aside]

    def pruners(self, options: ConstituentOptions, report: Reporter) -> tuple[LinkPruner, list[LinkPruner]]:
        """Train the pruner of the parser, and those for learning: for each sentence one that has not seen it."""
        count, folds = len(self.sentences), min(options.pruner_folds, len(self.sentences))
        trainings = folds + 1 if folds > 1 else 1
        pruner = self._pruner(range(count), options, lambda share: report.stage("pruner", share / trainings))
        if folds == 1:
            return pruner, [pruner] * count

        def fit(others: list[int], on_progress: Callable[[float], None]) -> Callable[[int], LinkPruner]:
            of_others = self._pruner(others, options, on_progress)
            return lambda number: of_others

        def progress(share: float) -> None:
            report.stage("pruner", (1 + folds * share) / trainings)

        return pruner, in_folds(fit, count, folds, options.threads, on_progress=progress)

    def _pruner(
        self, numbers: Sequence[int], options: ConstituentOptions, on_progress: Callable[[float], None]
    ) -> LinkPruner:
        """Train the models that prune, on some of the sentences."""
        sentences = [self.sentences[number] for number in numbers]
        return train_link_pruner(
            sentences,
            [relations_of(self.automata, self.gold[number]) for number in numbers],
            self.automata,
            Lexicon.of(sentences, clusters=self.clusters),
            beam=options.beam,
            seed=options.seed,
            on_progress=on_progress,
        )

    def problem(self, pruners: Sequence[LinkPruner], options: ConstituentOptions, report: Reporter) -> TagProblem:
        """Prune the treebank, each sentence by its own pruner, and make it a problem to learn from."""
        second = options.order == "second"
        bits = options.bits or table_bits(sum(map(len, self.sentences))) + (2 if second else 1)
        settings = TagSettings.of(self.sentences, second=second, bits=bits, clusters=self.clusters is not None)
        return TagProblem(
            self.sentences,
            self.gold,
            TagFeatures(settings, Lexicon.of(self.sentences, clusters=self.clusters), self.automata),
            SpineDictionary(self.automata),
            lambda number, choices: pruners[number].links(self.sentences[number], choices, options.beam),
            on_progress=lambda share: report.stage("pruning", share),
        )


def _tags(
    sentences: list[Sentence],
    options: ConstituentOptions,
    report: Reporter,
    tagger: Tagger | None,
) -> tuple[Tagger, list[Sentence]]:
    """Tag a treebank by a given tagger, which has not seen it; or train one, and tag it by jackknifing."""
    if tagger is None:
        folds, seed, threads = min(options.folds, len(sentences)), options.seed, options.threads
        tagger, jackknifed = predict_tags(sentences, report, folds=folds, seed=seed, threads=threads)
        return tagger, jackknifed.sentences
    own, done = tagger.of_columns("upos", "xpos"), []
    for sentence in in_order(own.tag, sentences, options.threads):
        done.append(sentence)
        report.stage("tagging", len(done) / len(sentences))
    return own, done


def simple_trees(
    which: str, trees: Iterable[ConstituentTree], options: ConstituentOptions, longest: int
) -> list[ConstituentTree]:
    """Drop what parsers do not predict, and what is empty then, or too long; refuse what cannot be learned from."""
    simple = (simplify(tree, empty=options.empty) for tree in trees)
    kept = [tree for tree in simple if tree is not None and len(tree) <= longest]
    if not kept or (which == "training" and len(kept) < 2):
        raise UsageError(f"the {which} treebank has {'one tree' if kept else 'no trees'}; there must be more")
    return kept


def judge(parser: ConstituentParser, dev: Sequence[ConstituentTree], threads: int) -> dict[str, float]:
    """Parse the dev set and score it; F1 decides."""
    sentences = [Sentence.from_forms(tree.words, xpos=tree.tags) for tree in dev]
    system = parser.parse_all(sentences, keep_tags=parser.needs_tags, threads=threads or None)
    outcome = evaluate_brackets(dev, system, BracketRules(empty="keep")).all  # what is empty is gone, or was kept
    brackets = outcome.brackets
    scores = {"F1": brackets.f1, "precision": brackets.precision, "recall": brackets.recall, "exact": outcome.exact.f1}
    if parser.tagger is not None:
        scores["tags"] = outcome.tags.f1
    return {name: round(score, 4) for name, score in scores.items()}
