"""What constituent parsers learn from: trees taken apart and tagged, behind pruners; and how they are judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from treewright.constituency.spines import Derivation, Grammar, SpineTable, extract_derivation
from treewright.constituency.tag.automata import Automata
from treewright.constituency.tag.candidates import SpineDictionary
from treewright.constituency.tag.features import TagFeatures, TagSettings
from treewright.constituency.tag.options import ConstituentOptions
from treewright.constituency.tag.parser import ConstituentParser
from treewright.constituency.tag.problem import Gold, TagProblem, gold_of, relations_of
from treewright.constituency.tag.pruning import LinkPruner, train_link_pruner
from treewright.constituency.tag.tags import with_coarse_tags
from treewright.errors import UsageError
from treewright.evaluation import BracketRules, evaluate_brackets
from treewright.features import Lexicon, WordClusters
from treewright.features.settings import table_bits
from treewright.learning.folds import in_folds, set_aside
from treewright.parsing.progress import Reporter
from treewright.parsing.training import predict_tags
from treewright.tagging import Tagger
from treewright.threads import in_order
from treewright.treebank import ConstituentTree, HeadRules, Sentence, simplify

__all__ = ["Known", "Material", "judge", "simple_trees"]

#: A sentence, tagged as when it is parsed, and its tree.
Known: TypeAlias = tuple[Sentence, ConstituentTree]


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
