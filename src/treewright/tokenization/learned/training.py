"""Training a tokenizer on a treebank, by the learners of the parser.

Decisions are learned one sentence at a time, each given the right ones before it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from treewright.arrays import Ints, Mask
from treewright.errors import UsageError
from treewright.features.weights import Weights
from treewright.learning.online import Mira, Mistake, OnlineProblem
from treewright.learning.training import Progress, train
from treewright.tokenization.learned.alphabet import SPACES, letters_of
from treewright.tokenization.learned.cuts import CUT_FEATURES, Chunks, scan_cuts
from treewright.tokenization.learned.ends import END_FEATURES, scan_ends
from treewright.tokenization.learned.material import Passage, passages_of
from treewright.tokenization.learned.split_training import train_splits
from treewright.tokenization.learned.tokenizer import TRUST, Tokenizer, chunks_of, rule_ends, shift_of
from treewright.tokenization.learned.words import Words, words_of
from treewright.tokenization.words import RULE_KINDS
from treewright.treebank.sentence import Sentence

__all__ = ["CutProblem", "EndProblem", "best_threshold", "sentences_found", "train_tokenizer"]

#: Sentences end where the score is above this (F1 gains where a doubtful end is one), unless the parts of a treebank,
#: each cut by what the others have taught, say that another threshold is better.
THRESHOLD, THRESHOLDS, PARTS = -0.2, np.arange(0, -10, -1) / 10, 3

#: The logarithms (base 2) of the sizes of the tables of weights; the same where there are no spaces between words.
END_BITS, CUT_BITS, UNSPACED_END_BITS, UNSPACED_CUT_BITS = 18, 17, 16, 19

#: The largest steps of MIRA, and the passes.
END_STEP, CUT_STEP, EPOCHS = 0.01, 0.05, 8

#: Kinds of tokens that the rules are trusted with, unless there are so many in the treebank, and so many wrong.
TRUSTED = ("web", "emoticon", "emoji", "phone", "short", "special")
MANY, WRONG = 5, 0.05


class _Place(NamedTuple):
    """An example: the passage, and where its decisions begin and end."""

    passage: int
    first: int
    last: int


class _Decisions:
    """Decisions in a treebank, as training examples; the two kinds of them fill in how one is judged."""

    features: int

    def __init__(self, bits: int) -> None:
        self.size = 1 << bits
        self.shift = shift_of(self.size)
        self.examples: list[_Place] = []

    def __len__(self) -> int:
        return len(self.examples)

    def words(self, index: int) -> int:
        """Count the decisions of an example."""
        return self.examples[index].last - self.examples[index].first

    def mistake(self, index: int, weights: Weights, cost: float) -> Mistake | None:
        """Decide; None if all is right."""
        places = np.empty(self.words(index) * self.features, np.int32)
        values = np.empty(len(places), np.float32)
        noted, wrong, margin = self.scan(self.examples[index], weights, cost, places, values)
        return Mistake(places[:noted], values[:noted], float(wrong), margin) if wrong else None

    def scan(
        self, at: _Place, weights: Weights, cost: float, places: np.ndarray, values: np.ndarray
    ) -> tuple[int, int, float]:
        """Note what is wrong in an example: see `scan_cuts`."""
        raise NotImplementedError


class EndProblem(_Decisions):
    """Where sentences end."""

    features = END_FEATURES

    def __init__(self, passages: Iterable[Passage], language: str, bits: int = END_BITS) -> None:
        super().__init__(bits)
        self._known: list[tuple[Words, np.ndarray, Mask, Mask]] = []
        for number, passage in enumerate(passages):
            letters = letters_of(passage.text)
            words, gold = words_of(passage.text, letters, language), _ends_of(passage)
            self._known.append((words, letters.lower, rule_ends(passage.text, language), gold))
            stops = [0, *(np.flatnonzero(gold[words.last]) + 1).tolist()]
            self.examples += [_Place(number, a, b) for a, b in itertools.pairwise(stops)]

    def scan(
        self, at: _Place, weights: Weights, cost: float, places: np.ndarray, values: np.ndarray
    ) -> tuple[int, int, float]:
        """Note what is wrong in a sentence."""
        words, lower, rules, gold = self._known[at.passage]
        return scan_ends(
            words, lower, rules, at.first, at.last, weights.table, self.shift, TRUST, 0.0, gold, cost,
            np.empty(len(gold), np.bool_), places, values,
        )  # fmt: skip


class CutProblem(_Decisions):
    """Where tokens end."""

    features = CUT_FEATURES

    def __init__(self, passages: Iterable[Passage], language: str, bits: int = CUT_BITS) -> None:
        super().__init__(bits)
        self._known = list[tuple[Chunks, Mask]]()
        for number, passage in enumerate(passages):
            gold = np.zeros(len(passage.text), np.bool_)
            gold[[token.end - 1 for tokens in passage.sentences for token in tokens]] = True
            chunks = chunks_of(passage.text, letters_of(passage.text), _ends_of(passage), language)
            self._known.append((chunks, gold))
            self.examples += [_Place(number, tokens[0].start, tokens[-1].end) for tokens in passage.sentences]
        self.protected = _trusted(self._known)

    def scan(
        self, at: _Place, weights: Weights, cost: float, places: np.ndarray, values: np.ndarray
    ) -> tuple[int, int, float]:
        """Note what is wrong in a sentence."""
        chunks, gold = self._known[at.passage]
        return scan_cuts(
            chunks, at.first, at.last, weights.table, self.shift, TRUST, self.protected, gold, cost,
            np.empty(len(gold), np.bool_), places, values,
        )  # fmt: skip


def _has_no_spaces(passages: Iterable[Passage]) -> bool:
    """Return whether most tokens follow each other without white space."""
    pairs = [pair for one in passages for tokens in one.sentences for pair in itertools.pairwise(tokens)]
    return 2 * sum(one.end == after.start for one, after in pairs) > len(pairs) > 0


def _ends_of(passage: Passage) -> Mask:
    """Mark the last character of each sentence."""
    ends = np.zeros(len(passage.text), np.bool_)
    ends[[tokens[-1].end - 1 for tokens in passage.sentences]] = True
    return ends


def _trusted(known: Sequence[tuple[Chunks, Mask]]) -> int:
    """Find the kinds of tokens that are better left to the rules, a bit for each."""
    seen, right = np.zeros(len(RULE_KINDS)), np.zeros(len(RULE_KINDS))
    for chunks, gold in known:
        stops = np.flatnonzero(chunks.prior & 1)
        starts = np.append(0, stops[:-1] + 1)
        gold_cuts, rule_cuts = np.append(0, np.cumsum(gold)), np.append(0, np.cumsum(chunks.prior & 1))
        before = (starts == 0) | (gold[starts - 1] | (chunks.kinds[starts - 1] == SPACES))
        inner = (gold_cuts[stops] - gold_cuts[starts]) == (rule_cuts[stops] - rule_cuts[starts])
        kinds = chunks.prior[stops] >> 1
        np.add.at(seen, kinds, 1)
        np.add.at(right, kinds, gold[stops] & inner & before)
    numbers = [RULE_KINDS.index(kind) for kind in TRUSTED]
    return sum(1 << k for k in numbers if seen[k] < MANY or right[k] >= (1 - WRONG) * seen[k])


def train_tokenizer(
    sentences: Iterable[Sentence],
    *,
    language: str,
    seed: int = 1,
    on_progress: Callable[[float], None] = lambda share: None,
) -> Tokenizer:
    """Learn from a treebank how its text is cut into sentences and words.

    Parameters
    ----------
    sentences : iterable of Sentence
        In the order of the text, with multiword tokens, ``SpaceAfter=No``, and ``# newdoc`` or ``# newpar`` where there
        are documents and paragraphs.
    language : str
        An ISO 639 code: whose rules are the prior.
    seed : int
        The order of the examples; the same seed gives the same tokenizer.
    on_progress : function of float
        Called with the share of the work that is done.

    Raises
    ------
    UsageError
        If there are no sentences.
    KeyboardInterrupt
        If Ctrl-C comes before it is done.
    """
    passages = list(passages_of(sentences))
    if not passages:
        raise UsageError("there are no sentences to learn a tokenizer from")

    def learn(problem: OnlineProblem, step: float, start: float, share: float) -> Weights:
        def report(progress: Progress) -> None:
            on_progress(start + share * progress.share)

        result = train(problem, Mira(C=step), epochs=EPOCHS, seed=seed, on_progress=report)
        if result.interrupted:
            raise KeyboardInterrupt
        return Weights.compress(result.weights.values)

    unspaced = _has_no_spaces(passages)
    end_bits, cut_bits = (UNSPACED_END_BITS, UNSPACED_CUT_BITS) if unspaced else (END_BITS, CUT_BITS)
    ends = learn(EndProblem(passages, language, end_bits), END_STEP, 0.0, 0.2)
    threshold = THRESHOLD
    if len(passages) >= PARTS:
        counts = np.zeros((len(THRESHOLDS), 2), np.int64)
        for part in range(PARTS):
            rest = [one for number, one in enumerate(passages) if number % PARTS != part]
            weights = learn(EndProblem(rest, language, end_bits), END_STEP, 0.2 + 0.1 * part, 0.1)
            counts += sentences_found(passages[part::PARTS], language, weights)
        threshold = best_threshold(counts, sum(len(one.sentences) for one in passages))
    problem = CutProblem(passages, language, cut_bits)
    cuts = learn(problem, CUT_STEP, 0.5, 0.4)
    splits = train_splits(passages, language, seed)
    on_progress(1.0)
    return Tokenizer(language, ends, cuts, splits, problem.protected, threshold)


def sentences_found(passages: Sequence[Passage], language: str, weights: Weights) -> Ints:
    """Count the sentences found under each threshold, and how many of them are right: a row for each threshold."""
    counts = np.zeros((len(THRESHOLDS), 2), np.int64)
    for passage in passages:
        gold = _ends_of(passage)
        for row, threshold in zip(counts, THRESHOLDS.tolist(), strict=True):
            tokenizer = Tokenizer(language, weights, weights, threshold=threshold)
            found = tokenizer.find_ends(passage.text, letters_of(passage.text))
            row += found.sum(), np.count_nonzero((found & gold) & _starts_agree(found, gold))
    return counts


def _starts_agree(found: Mask, gold: Mask) -> Mask:
    """Mark the characters before which the last sentence ended at the same place in both."""
    before = [np.maximum.accumulate(np.where(ends, np.arange(len(ends)), -1)) for ends in (found, gold)]
    return np.append(True, (before[0] == before[1])[:-1])


def best_threshold(counts: Ints, gold: int) -> float:
    """Choose the threshold of the best F1, if more sentences speak for it than chance would have (two deviations)."""
    f1 = 2 * counts[:, 1] / (counts[:, 0] + gold)
    gain = (f1.max() - f1[THRESHOLDS == THRESHOLD][0]) * gold
    return float(THRESHOLDS[f1.argmax()]) if gain > 2 * np.sqrt(gold) else THRESHOLD
