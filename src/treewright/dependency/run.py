"""The steps of training a dependency parser: features, pruning, what is learned from, and calibration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TypeAlias

from treewright.arrays import Mask
from treewright.dependency.calibration import Calibration
from treewright.dependency.cascade_training import CascadeTraining, compare_pruned, report_pruning, train_stage
from treewright.dependency.options import FOLDED, TrainingOptions
from treewright.dependency.parser import Parser
from treewright.dependency.partial import surviving
from treewright.dependency.problem import ParsingProblem
from treewright.dependency.pruning import Cascade
from treewright.dependency.semi_supervised import learn_models
from treewright.dependency.temperatures import Example, fit_calibration, list_examples
from treewright.execution import Executor, Keep
from treewright.features import DependencyFeatures, Lexicon, LinearScorer, Weights, WordClusters
from treewright.features.generative import GenerativeModels
from treewright.features.hooks import name_of
from treewright.inference import Trees
from treewright.inference.bounds.non_local import Proposer
from treewright.learning import train
from treewright.learning.folds import set_aside
from treewright.parsing.progress import Reporter
from treewright.tagging import Tagger
from treewright.threads import in_order
from treewright.treebank import Sentence

__all__ = ["NEW_DOCUMENT", "TrainingRun", "document_starts"]

#: What prunes, and the arcs of each sentence to learn from that survive; neither where nothing is pruned.
Pruned: TypeAlias = tuple[Cascade, list[Mask]] | tuple[None, None]

#: The folds of a treebank that the calibration is fitted in, and the sentences of all that it is fitted to, at most.
CALIBRATION_FOLDS, MOST_EXAMPLES = 5, 2_500

#: What the comment of a sentence that a document begins with begins with.
NEW_DOCUMENT = "# newdoc"


@dataclass(frozen=True)
class TrainingRun:
    """What the steps of training share."""

    sentences: Sequence[Sentence]
    dev: Sequence[Sentence]
    trees: Trees
    tagger: Tagger | None
    clusters: WordClusters | None
    options: TrainingOptions
    report: Reporter
    hooks: Sequence[Proposer]
    executor: Executor | None
    log_tags: Sequence[float] = ()  # of the tags of each sentence, if they were predicted
    silver: int = 0  # how many sentences, the last ones, have trees that another model found

    @property
    def gold(self) -> int:
        """How many sentences have gold trees."""
        return len(self.sentences) - self.silver

    def features(self) -> DependencyFeatures:
        """Choose the features, and gather the words that the parser knows."""
        options = self.options
        return DependencyFeatures.of(
            self.sentences,
            clusters=self.clusters,
            top_words=options.top_words,
            kinds=options.kinds,
            non_local=options.non_local,
            hooks=[name_of(hook) for hook in self.hooks],
            ignored=options.ignored,
            bits=options.bits,
        )

    def with_models(
        self, features: DependencyFeatures, raw: Iterable[Sentence] | None, keep: Keep | None
    ) -> DependencyFeatures:
        """Add generative models of arcs, learned from raw text, if there is any."""
        if raw is None:
            return features
        options = self.options
        models = learn_models(
            self.sentences,
            raw,
            features,
            self.trees,
            self.tagger,
            rounds=options.rounds,
            C=options.C if options.C and options.learner == "log-linear" else 1.0,
            B=options.B,
            executor=self.executor,
            keep=keep,
            on_progress=self.report.stage,
        )
        return features.with_models(models)

    def prune(self, features: DependencyFeatures) -> Pruned:
        """Train what prunes, if anything is to be pruned, and prune the treebank; report what that does."""
        if self.options.chosen_oracle_loss is not None:
            cascade, masks = self._cascade(features.lexicon, self.options.chosen_oracle_loss)
        elif self.options.chosen_beam or self.options.max_heads:
            cascade = self._single_stage(features.lexicon)
            survive = partial(surviving, cascade.allowed, trees=self.trees)
            masks = list(in_order(survive, self.sentences, self.options.threads))
        else:
            return None, None
        dev = report_pruning(cascade, _tagged(self.tagger, self.dev), self.options.threads)
        self.report.pruning(compare_pruned(masks, self.sentences), dev)
        return cascade, masks

    def _cascade(self, lexicon: Lexicon, oracle_loss: float) -> tuple[Cascade, list[Mask]]:
        """Train a cascade, fit its thresholds, and prune each sentence by models that have not seen it."""
        options = self.options
        training = CascadeTraining(
            lexicon,
            self.trees,
            options.stages,
            oracle_loss,
            options.max_heads,
            options.threads,
            ignored=options.ignored,
            bits=options.bits,
            seed=options.seed,
        )
        return training.run(self.sentences, lambda share: self.report.stage("pruner", share))

    def _single_stage(self, lexicon: Lexicon) -> Cascade:
        """Train a stage whose threshold is given."""
        options = self.options
        stage = train_stage(
            self.sentences,
            lexicon,
            Trees(self.trees.projective, self.trees.single_root),
            ignored=options.ignored,
            bits=options.bits,
            seed=options.seed,
            on_progress=lambda share: self.report.stage("pruner", share),
        )
        return Cascade([replace(stage, beam=options.chosen_beam, max_heads=options.max_heads)])

    def problem(self, features: DependencyFeatures, allowed: Sequence[Mask] | None) -> ParsingProblem:
        """Make the treebank a problem to learn from, given the arcs that have survived pruning."""
        relaxed, minimum = self.options.learn_from == "automata", self.options.min_count
        rules = tuple(self.options.at_most_one)
        return ParsingProblem(self.sentences, features, self.trees, allowed, relaxed, minimum, self.hooks, rules)

    def parser(self, scorer: LinearScorer, pruner: Cascade | None) -> Parser:
        """Make a parser of what was learned."""
        hooks, rules = list(self.hooks), tuple(self.options.at_most_one)
        return Parser(scorer, self.trees, self.tagger, {}, pruner, hooks=hooks, at_most_one=rules)

    def split(self) -> tuple[TrainingRun, TrainingRun]:
        """Set sentences aside to fit the calibration on: return a run on the others, and one on these."""
        aside = set_aside(self.gold, starts=document_starts(self.sentences[: self.gold]))
        return self._part(sorted({*range(self.gold)} - {*aside}), silver=True), self._part(aside)

    def _part(self, numbers: Sequence[int], silver: bool = False) -> TrainingRun:
        """Return the same run on some of the gold sentences, and on the silver ones, too, or not."""
        numbers = [*numbers, *range(self.gold, len(self.sentences))] if silver else numbers
        log_tags = [self.log_tags[number] for number in numbers] if self.log_tags else []
        sentences = [self.sentences[number] for number in numbers]
        return replace(self, sentences=sentences, log_tags=log_tags, silver=self.silver if silver else 0)

    @property
    def calibrate(self) -> str:
        """How to calibrate: as the options say, or as suits the size of the treebank."""
        return self.options.calibrate or ("folds" if len(self.sentences) in FOLDED else "twice")

    def calibration(self, generative: GenerativeModels | None, epochs: int) -> Calibration:
        """Train the same parser on parts of the sentences, and fit the calibration on the others."""
        pairs = self._folds() if self.calibrate == "folds" else [self.split()]
        examples = list[Example]()
        for number, (run, aside) in enumerate(pairs):

            def progress(share: float, done: int = number) -> None:
                self.report.stage("calibration", (done + share) / len(pairs))

            if aside.sentences:
                parser = replace(run, report=Reporter()).learned(generative, epochs, progress)
                examples += list_examples(parser, aside.sentences, aside.log_tags, self.options.threads)
        return fit_calibration(self.trees, examples, self.options.threads)

    def _folds(self) -> list[tuple[TrainingRun, TrainingRun]]:
        """Cut the treebank into folds: for each a run on the others, and one on it (or on some of it)."""
        count = self.gold
        step = -(-count // MOST_EXAMPLES)
        bounds = [count * fold // CALIBRATION_FOLDS for fold in range(CALIBRATION_FOLDS + 1)]
        return [
            (self._part([*range(begin), *range(end, count)], silver=True), self._part(range(begin, end, step)))
            for begin, end in pairwise(bounds)
        ]

    def learned(self, generative: GenerativeModels | None, epochs: int, on_progress: Callable[[float], None]) -> Parser:
        """Train a parser for some epochs."""
        features = self.features().with_models(generative)
        pruner, allowed = self.prune(features)
        result = train(
            self.problem(features, allowed),
            self.options.make_learner(self.executor),
            epochs=epochs,
            seed=self.options.seed,
            on_progress=lambda progress: on_progress(progress.share),
        )
        return self.parser(LinearScorer(features, Weights.compress(result.weights.values)), pruner)


def document_starts(sentences: Sequence[Sentence]) -> list[int]:
    """Find the sentences that documents begin with, by their comments."""
    return [
        number
        for number, sentence in enumerate(sentences)
        if any(comment.startswith(NEW_DOCUMENT) for comment in sentence.comments)
    ]


def _tagged(tagger: Tagger | None, sentences: Sequence[Sentence]) -> list[Sentence]:
    """Tag sentences as they will be when they are parsed; their heads stay."""
    return [sentence if tagger is None else tagger.tag(sentence) for sentence in sentences]
