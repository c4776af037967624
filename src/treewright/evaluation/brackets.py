"""Bracket scores of constituent trees against a gold standard that has the same words.

The scores are those of EVALB (Sekine and Collins 1997) with its parameters COLLINS.prm, the Parseval measures of Black
et al. (1991) as Collins (1997) reports them:

- Empty elements are removed, and with them constituents that have nothing else in them; then punctuation is removed.
- A bracket is the label of a constituent, without function tags, and the words that it covers.  Tags of words are not
  brackets, nor is the top of a tree: ``TOP``, the same under the names ``S1`` and ``ROOT``, or the empty bracket.
  ``PRT`` counts as ``ADVP``.
- If the same bracket occurs *n* times in the gold standard and *m* times in the system, min(*n*, *m*) are correct.
- A bracket of the system crosses a gold bracket if they share words and each has words that the other does not.
- The length of a sentence counts all words, punctuation included; tags are scored on words that are not punctuation.
- A sentence of only punctuation is not counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Final

import numpy as np

from treewright.arrays import Ints, Mask
from treewright.errors import UsageError
from treewright.evaluation.result import Plain
from treewright.evaluation.score import Score
from treewright.options import EmptyElements
from treewright.treebank import ConstituentTree, simplify

__all__ = [
    "COLLINS",
    "Bracket",
    "BracketEvaluation",
    "BracketRules",
    "BracketScores",
    "brackets_of",
    "count_brackets",
    "describe_difference",
    "evaluate_brackets",
    "simplify_system",
]

#: A label, and the numbers of words before the first word that it covers and up to the last.
Bracket = tuple[str, int, int]

# The last length in each bin.
_LENGTHS: Final = {"1-10": 10, "11-20": 20, "21-30": 30, "31-40": 40, "41+": None}

# The columns of the counts of each sentence; two more are correct tags and words.
_CORRECT, _GOLD, _SYSTEM, _CROSSING = range(4)

#: Correct, gold and system brackets by label.
_Labels = tuple[Counter[str], Counter[str], Counter[str]]


@dataclass(frozen=True, slots=True)
class BracketRules:
    """What to compare; by default the rules of COLLINS.prm, and ``S1`` and ``ROOT`` deleted like ``TOP``.

    Attributes
    ----------
    deleted : frozenset of str
        Labels of constituents that are not counted, and tags of words that are removed.
    equal : mapping of str to str
        Labels that count as another label.
    empty : {"penn", "historical", "keep"}
        What counts as an empty element; see `treewright.treebank.simplify`.
    """

    deleted: frozenset[str] = frozenset(["TOP", "S1", "ROOT", "-NONE-", ",", ":", "``", "''", "."])
    equal: Mapping[str, str] = field(default_factory=lambda: {"PRT": "ADVP"})
    empty: EmptyElements = "penn"


COLLINS: Final = BracketRules()


@dataclass(frozen=True, slots=True)
class BracketScores(Plain):
    """Bracket scores of some sentences.

    Attributes
    ----------
    sentences, words : int
        The numbers of sentences and of scored words.
    brackets : Score
        Labelled precision, recall and F1.
    exact : Score
        Sentences with all brackets correct and no others.
    crossing : int
        The number of brackets of the system that cross a gold bracket.
    no_crossing, few_crossing : Score
        Sentences with no crossing bracket, and with at most two.
    tags : Score
        Correct tags.
    """

    sentences: int
    words: int
    brackets: Score
    exact: Score
    crossing: int
    no_crossing: Score
    few_crossing: Score
    tags: Score

    @property
    def average_crossing(self) -> float:
        """The mean number of crossing brackets per sentence."""
        return self.crossing / self.sentences if self.sentences else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return everything in a form ready for JSON."""
        return {"average_crossing": self.average_crossing, **Plain.to_dict(self)}


@dataclass(frozen=True, slots=True)
class BracketEvaluation(Plain):
    """The scores of `evaluate_brackets`.

    Attributes
    ----------
    all, up_to_40 : BracketScores
        All sentences, and those of at most 40 words.
    by_length : dict of str to BracketScores
        By the number of words: ``1-10``, ``11-20``, ``21-30``, ``31-40``, ``41+``.
    by_label : dict of str to Score
        Brackets by label, the most frequent in the gold standard first.
    """

    all: BracketScores
    up_to_40: BracketScores
    by_length: dict[str, BracketScores]
    by_label: dict[str, Score]


def evaluate_brackets(
    gold: Iterable[ConstituentTree], system: Iterable[ConstituentTree], rules: BracketRules = COLLINS
) -> BracketEvaluation:
    """Score the constituents of a system against a gold standard, as EVALB does.

    Parameters
    ----------
    gold, system : iterable of ConstituentTree
        The same sentences with the same words, apart from empty elements.  The gold tags determine what is punctuation,
        so that both sides keep the same words; EVALB looks at the tags of each side.  Empty elements are removed from
        the system's trees unless their words are already those of the gold standard.
    rules : BracketRules
        What to compare; by default the rules of COLLINS.prm.

    Raises
    ------
    UsageError
        If sentences or words differ, or there are no words.

    Examples
    --------
    >>> gold = ConstituentTree.from_string("(S (NP (PRP I)) (VP (VBD saw) (NP (NP (NN art)) (PP (IN by) (NP us)))))")
    >>> system = ConstituentTree.from_string("(S (NP (PRP I)) (VP (VBD saw) (NP (NN art)) (PP (IN by) (NP us))))")
    >>> scores = evaluate_brackets([gold], [system]).all
    >>> scores.brackets
    Score(correct=5, gold=6, system=5)
    >>> scores.crossing
    0
    """
    return _summarize(*_count_all(gold, system, rules))


def count_brackets(
    gold: Iterable[ConstituentTree], system: Iterable[ConstituentTree], rules: BracketRules = COLLINS
) -> Ints:
    """Count the correct, gold and system brackets of each sentence that is scored, as `evaluate_brackets` does."""
    return _count_all(gold, system, rules)[0][:, [_CORRECT, _GOLD, _SYSTEM]]


def _count_all(
    gold: Iterable[ConstituentTree], system: Iterable[ConstituentTree], rules: BracketRules
) -> tuple[Ints, Ints, _Labels]:
    """Compute the counts of each sentence, its length, and the brackets of all by label."""
    counts: list[list[int]] = []
    lengths: list[int] = []
    labels: _Labels = Counter(), Counter(), Counter()
    for k, (reference, other) in enumerate(_paired(gold, system), 1):
        simple = simplify(reference, empty=rules.empty)
        trees = simple, simplify_system(other, simple, rules)
        words = [() if tree is None else tree.words for tree in trees]
        if words[0] != words[1]:
            raise UsageError(f"tree {k}: {describe_difference(*words)}")
        if trees[0] is None or trees[1] is None:
            continue
        if any(tag not in rules.deleted for tag in trees[0].tags):
            lengths.append(len(words[0]))
            counts.append(_count(trees[0], trees[1], rules, labels))
    if not counts:
        raise UsageError("there is nothing to evaluate: the gold standard has only punctuation, or no words")
    return np.array(counts, np.int64), np.array(lengths, np.int64), labels


def simplify_system(tree: ConstituentTree, gold: ConstituentTree | None, rules: BracketRules) -> ConstituentTree | None:
    """Simplify a tree of the system, as the gold tree is; None if no word is left.

    Empty elements are recognized by their tags.  A parser may tag a word as one by mistake, so nothing is removed from
    a tree whose words are already those of the gold tree.
    """
    whole = simplify(tree, empty="keep")
    if whole is not None and gold is not None and whole.words == gold.words:
        return whole
    return simplify(tree, empty=rules.empty)


def _count(gold: ConstituentTree, system: ConstituentTree, rules: BracketRules, labels: _Labels) -> list[int]:
    """Compute the counts of one sentence, and add its brackets to the counts by label."""
    kept = [tag not in rules.deleted for tag in gold.tags]
    places = np.concatenate([[0], np.cumsum(kept)])
    reference, other = brackets_of(gold, places, rules), brackets_of(system, places, rules)
    correct = reference & other
    for counter, brackets in zip(labels, (correct, reference, other), strict=True):
        for (label, _, _), number in brackets.items():
            counter[label] += number
    crossing = _count_crossing(reference, other)
    right = sum(one == two for one, two, is_kept in zip(gold.tags, system.tags, kept, strict=True) if is_kept)
    return [correct.total(), reference.total(), other.total(), crossing, right, int(places[-1])]


def brackets_of(tree: ConstituentTree, places: Ints, rules: BracketRules) -> Counter[Bracket]:
    """Count the brackets of a tree over the words that are kept; ``places`` is the number of those before each word."""
    starts, ends = places[tree.starts].tolist(), places[tree.ends].tolist()
    found: Counter[Bracket] = Counter()
    for label, start, end, is_leaf in zip(tree.labels, starts, ends, tree.is_leaf.tolist(), strict=True):
        if start < end and not is_leaf and label and label not in rules.deleted:
            found[rules.equal.get(label, label), start, end] += 1
    return found


def _count_crossing(gold: Counter[Bracket], system: Counter[Bracket]) -> int:
    """Count the brackets of the system that overlap a gold bracket without nesting."""
    spans = {(start, end) for _, start, end in gold}
    total = 0
    for (_, start, end), number in system.items():
        if any(a < start < b < end or start < a < end < b for a, b in spans):
            total += number
    return total


def _summarize(table: Ints, lengths: Ints, labels: _Labels) -> BracketEvaluation:
    by_length = {}
    low = 0
    for name, high in _LENGTHS.items():
        high = high or int(lengths.max()) + low
        by_length[name] = _add_up(table[(lengths > low) & (lengths <= high)])
        low = high
    names = sorted({*labels[1], *labels[2]}, key=lambda name: (-labels[1][name], name))
    by_label = {name: Score(*(counter[name] for counter in labels)) for name in names}
    return BracketEvaluation(_add_up(table), _add_up(table[lengths <= 40]), by_length, by_label)


def _add_up(table: Ints) -> BracketScores:
    correct, gold, system, crossing, tags, words = table.sum(0).tolist()
    n = len(table)

    def sentences(which: Mask) -> Score:
        return Score(int(np.count_nonzero(which)), n, n)

    return BracketScores(
        sentences=n,
        words=words,
        brackets=Score(correct, gold, system),
        exact=sentences((table[:, _CORRECT] == table[:, _GOLD]) & (table[:, _CORRECT] == table[:, _SYSTEM])),
        crossing=crossing,
        no_crossing=sentences(table[:, _CROSSING] == 0),
        few_crossing=sentences(table[:, _CROSSING] <= 2),
        tags=Score(tags, words, words),
    )


def _paired(
    gold: Iterable[ConstituentTree], system: Iterable[ConstituentTree]
) -> Iterator[tuple[ConstituentTree, ConstituentTree]]:
    missing = object()
    for k, (one, two) in enumerate(zip_longest(gold, system, fillvalue=missing), 1):
        if not isinstance(one, ConstituentTree) or not isinstance(two, ConstituentTree):
            side = "the system" if one is missing else "the gold standard"
            raise UsageError(f"tree {k} is only in {side}: both must have the same sentences")
        yield one, two


def describe_difference(gold: Sequence[str], system: Sequence[str]) -> str:
    """Describe the first difference between the words of two sentences, which must differ."""
    if len(gold) != len(system):
        counts = f"the gold standard has {len(gold)} words and the system {len(system)}"
        return f"{counts}: both must have the same, empty elements (--empty) aside"
    place = next(i for i, (one, two) in enumerate(zip(gold, system, strict=True)) if one != two)
    found = f"word {place + 1} is {gold[place]!r} in the gold standard and {system[place]!r} in the system"
    return f"{found}: both must have the same words"
