"""Training a lemmatizer: a dictionary of the treebank, and a classifier of edit scripts for all other words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from treewright.arrays import Heads
from treewright.features.lexicon import WordClusters
from treewright.features.settings import table_bits
from treewright.features.weights import Weights
from treewright.learning.online import Mira
from treewright.learning.training import Learner, Progress, train
from treewright.tagging.lemmas.choice import Choices
from treewright.tagging.lemmas.dictionary import LemmaDictionary, Word, coarse_of, most_frequent
from treewright.tagging.lemmas.features import LemmaFeatures, LemmaSettings
from treewright.tagging.lemmas.lemmatizer import Lemmatizer, words_of
from treewright.tagging.lemmas.problem import LemmaProblem
from treewright.tagging.lemmas.scripts import REFUSAL, apply_script, edit_script, edited_ending
from treewright.treebank import Sentence

__all__ = ["has_lemmas", "train_lemmatizer"]

#: The logarithm (base 2) of the largest size of the table of weights.
MAX_BITS = 19

#: The number of passes over the words of the treebank.
EPOCHS = 8

#: How many words are learned from at once.
WORDS = 32

#: How many words must have a script for it to be a candidate of others.
MINIMUM = 2

#: Words with their tags, and how often each was seen with each script, by number.
Seen = Mapping[Word, Mapping[int, int]]


def has_lemmas(sentences: Sequence[Sentence]) -> bool:
    """Return whether a treebank has lemmas: at least two that are not ``_``."""
    return len({lemma for sentence in sentences for lemma in sentence.lemmas} - {REFUSAL}) > 1


def train_lemmatizer(
    sentences: Sequence[Sentence],
    given: Sequence[str],
    *,
    tagged: Sequence[Sentence] = (),
    clusters: WordClusters | None = None,
    learner: Learner | None = None,
    epochs: int = EPOCHS,
    seed: int = 1,
    on_progress: Callable[[float], None] = lambda share: None,
) -> Lemmatizer:
    """Train a lemmatizer.

    Each word is learned from once with each of its tags, however often it occurs: unknown words are like rare ones.

    Parameters
    ----------
    sentences : sequence of Sentence
        With gold lemmas and tags.
    given : sequence of str
        The columns of tags to look at, the coarsest first.
    tagged : sequence of Sentence
        The same with tags predicted by taggers that have not seen them, so as to learn what lemmas words have that are
        tagged wrongly.
    clusters : WordClusters, optional
        Adds features of the clusters of words.
    learner : Learner, optional
        By default MIRA.
    epochs, seed : int
        As for `treewright.learning.train`.
    on_progress : function of float
        Called with the share of the work that is done.
    """
    scripts, seen = _count([*sentences, *tagged], given)
    bits = min(MAX_BITS, table_bits(len(seen)))
    settings = LemmaSettings(list(given), scripts, _endings(scripts, seen), bits, clusters is not None)
    features = LemmaFeatures(settings, clusters)
    dictionary = LemmaDictionary.of(seen, scripts)
    problem = LemmaProblem(list(_examples(features, dictionary, seen, seed)), features.size, features.mask)

    def report(progress: Progress) -> None:
        on_progress(progress.share)

    result = train(problem, learner or Mira(C=0.05), epochs=epochs, seed=seed, on_progress=report)
    if result.interrupted:
        raise KeyboardInterrupt
    return Lemmatizer(features, Weights.compress(result.weights.values), dictionary)


def _count(sentences: Sequence[Sentence], given: Sequence[str]) -> tuple[list[str], Seen]:
    """List the scripts of a treebank, and count the words that have each."""
    found: defaultdict[Word, Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        for word, lemma in zip(words_of(sentence, given), sentence.lemmas, strict=True):
            found[word][edit_script(word[0], lemma)] += 1
    scripts = sorted({script for counts in found.values() for script in counts})
    index = {script: number for number, script in enumerate(scripts)}
    seen = {word: {index[script]: count for script, count in counts.items()} for word, counts in found.items()}
    return scripts, seen


def _endings(scripts: Sequence[str], seen: Seen) -> dict[str, dict[str, list[int]]]:
    """Find the scripts that words have with each coarse tag and each ending that is edited."""
    forms: defaultdict[int, set[str]] = defaultdict(set)
    found: defaultdict[str, defaultdict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for (form, tags), numbers in seen.items():
        for number in numbers:
            ending = edited_ending(scripts[number], form)
            if ending is not None:
                forms[number].add(form.lower())
                found[coarse_of(tags)][ending].add(number)
    endings: dict[str, dict[str, list[int]]] = {}
    for tag, of_tag in sorted(found.items()):
        endings[tag] = {}
        for ending, suitable in sorted(of_tag.items()):
            common = sorted(number for number in suitable if len(forms[number]) >= MINIMUM)
            if common:
                endings[tag][ending] = common
    return endings


def _examples(
    features: LemmaFeatures, dictionary: LemmaDictionary, seen: Seen, seed: int
) -> Iterator[tuple[Choices, Heads]]:
    """Hash words, some at a time, each as if it were unknown, and as if it were known with other tags alone."""
    attested = _Attested(features.settings.scripts, seen)
    examples = list[tuple[Word, list[int], str, int]]()
    for word, numbers in seen.items():
        candidates, number = features.candidates(word), most_frequent(numbers)
        if number in candidates:
            for known in dict.fromkeys(("", dictionary.others(word))):
                examples.append((word, candidates, known, candidates.index(number)))
    order = np.random.default_rng(seed).permutation(len(examples)).tolist()
    for start in range(0, len(examples), WORDS):
        some = [examples[place] for place in order[start : start + WORDS]]
        words, candidates_of, known_of, places = (list(column) for column in zip(*some, strict=True))
        choices = features.hash(words, candidates_of, known_of, attested)
        yield choices, choices.starts[:-1] + np.array(places, np.int32)


class _Attested:
    """Says whether a lemma is known from another word than the one in question."""

    def __init__(self, scripts: Sequence[str], seen: Seen) -> None:
        self._forms: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for (form, tags), numbers in seen.items():
            for number in numbers:
                self._forms[apply_script(scripts[number], form), coarse_of(tags)].add(form.lower())

    def __call__(self, lemma: str, word: Word) -> bool:
        form, tags = word
        forms = self._forms.get((lemma, coarse_of(tags)), ())
        return len(forms) > (form.lower() in forms)
