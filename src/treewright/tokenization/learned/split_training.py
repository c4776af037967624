"""Learning which syntactic words tokens are: forms, endings, and what tells the splits of a form apart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from treewright.features.weights import Weights
from treewright.learning.online import Mira, Mistake
from treewright.learning.training import train
from treewright.tokenization.languages import language_of
from treewright.tokenization.learned.material import Passage
from treewright.tokenization.learned.splits import (
    LONGEST_ENDING,
    SHORTEST_STEM,
    Ending,
    Split,
    Splits,
    context_features,
    default_split,
)  # fmt: skip
from treewright.tokenization.words import form_splitter

__all__ = ["SplitProblem", "learn_endings", "train_splits"]

#: An ending must stand for the same in so many forms, and in this share of the forms that have it.
ENOUGH, SHARE = 2, 0.7

#: A split of a form counts if it is this share of its occurrences.
RARE = 0.02

#: A treebank of so many words without a token of several words has none.
MANY_WORDS = 3_000

#: The logarithm (base 2) of the size of the table of weights.
BITS = 14

EPOCHS = 8


@dataclass(frozen=True)
class _Example:
    """A token that may be split in several ways: the hashes of its context, how many there are, and the right one."""

    features: Sequence[int]
    count: int
    right: int


class SplitProblem:
    """Choices between the splits of a form, as training examples."""

    size = 1 << BITS

    def __init__(self, passages: Iterable[Passage], table: Mapping[str, Sequence[Split]]) -> None:
        self._examples: list[_Example] = []
        for passage in passages:
            for tokens in passage.sentences:
                forms = [passage.text[start:end] for start, end, _ in tokens]
                for place, (form, token) in enumerate(zip(forms, tokens, strict=True)):
                    splits, split = table.get(form.lower(), ()), _lower(token.words)
                    if len(splits) > 1 and split in splits:
                        features = context_features(forms, place, self.size - 1)
                        self._examples.append(_Example(features, len(splits), splits.index(split)))

    def __len__(self) -> int:
        return len(self._examples)

    def words(self, index: int) -> int:
        """Count an example as one word."""
        return 1

    def mistake(self, index: int, weights: Weights, cost: float) -> Mistake | None:
        """Choose a split, each wrong one with ``cost`` added."""
        example = self._examples[index]
        places = (np.array(example.features)[None, :] + np.arange(example.count)[:, None]) % self.size
        scores = weights.values[places].sum(axis=1)
        augmented = scores + cost
        augmented[example.right] -= cost
        found = int(np.argmax(augmented))
        if found == example.right:
            return None
        both = np.concatenate([places[example.right], places[found]]).astype(np.int32)
        values = np.repeat(np.array([1, -1], np.float32), len(example.features))
        return Mistake(both, values, 1.0, float(scores[example.right] - scores[found]))


def train_splits(passages: Sequence[Passage], language: str, seed: int) -> Splits:
    """Learn the words of tokens from a treebank."""
    counts: defaultdict[str, Counter[Split]] = defaultdict(Counter)
    for passage in passages:
        for tokens in passage.sentences:
            for start, end, words in tokens:
                counts[passage.text[start:end].lower()][_lower(words)] += 1
    has_splits = any(len(split) > 1 for splits in counts.values() for split in splits)
    if not has_splits and sum(splits.total() for splits in counts.values()) >= MANY_WORDS:
        return Splits()
    endings = learn_endings(counts) if has_splits else {}
    fallback = form_splitter(language_of(language))
    table = {}
    for form, found in sorted(counts.items()):
        usual = [split for split, count in found.most_common() if count >= RARE * found.total()]
        if usual != [default_split(form, endings, fallback)]:
            table[form] = usual
    problem = SplitProblem(passages, table)
    if not len(problem):
        return Splits(language, table, endings)
    result = train(problem, Mira(C=0.05), epochs=EPOCHS, seed=seed)
    if result.interrupted:
        raise KeyboardInterrupt
    return Splits(language, table, endings, Weights.compress(result.weights.values))


def learn_endings(counts: Mapping[str, Counter[Split]]) -> dict[str, Ending]:
    """Learn what endings stand for, from forms in lower case and their splits.

    An ending is kept if it is needed: if a shorter one does not say the same.

    Examples
    --------
    >>> forms = {"isn't": ("is", "n't"), "can't": ("ca", "n't"), "ant": ("ant",), "want": ("want",)}
    >>> learn_endings({form: Counter([split]) for form, split in forms.items()})
    {"n't": ('', ("n't",))}
    """
    rules: defaultdict[str, Counter[Ending]] = defaultdict(Counter)
    for form, found in counts.items():
        [(split, _)] = found.most_common(1)
        same = _common(form, split[0]) if len(split) > 1 else len(form)
        for start in range(max(SHORTEST_STEM, len(form) - LONGEST_ENDING), len(form)):
            if len(split) == 1:
                rules[form[start:]]["", ()] += 1
            elif SHORTEST_STEM <= start <= same:
                rules[form[start:]][split[0][start:], split[1:]] += 1
            else:
                rules[form[start:]]["?", ()] += 1
    endings: dict[str, Ending] = {}
    for ending in sorted(rules, key=len):
        [(rule, count)] = rules[ending].most_common(1)
        enough = count >= ENOUGH and count >= SHARE * rules[ending].total() and rule[0] != "?"
        if enough and rule != _shorter(ending, endings):
            endings[ending] = rule
    return endings


def _shorter(ending: str, endings: Mapping[str, Ending]) -> Ending:
    """Return what the endings of an ending say of it; without any, it is that of one word."""
    for start in range(1, len(ending)):
        rule = endings.get(ending[start:])
        if rule is not None:
            return (ending[:start] + rule[0], rule[1]) if rule[1] else rule
    return "", ()


def _lower(words: Sequence[str]) -> Split:
    return tuple(word.lower() for word in words)


def _common(form: str, word: str) -> int:
    """Count the characters that two words begin with alike."""
    count = 0
    while count < min(len(form), len(word)) and form[count] == word[count]:
        count += 1
    return count
