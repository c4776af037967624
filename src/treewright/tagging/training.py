"""Training a tagger, by the same learners as the parser.

The weights are the averaged weights of the last epoch, so no dev set is needed to choose an epoch, which makes
jackknifing simple.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from treewright.features.attributes import informative_attributes
from treewright.features.lexicon import WordClusters
from treewright.features.settings import table_bits
from treewright.features.weights import Weights
from treewright.learning.online import Mira, Mistake
from treewright.learning.training import Learner, Progress, train
from treewright.tagging.column import ColumnFeatures, ColumnSettings
from treewright.tagging.column_tagger import ColumnTagger
from treewright.tagging.sequence import HashedWords, best_tags, score_difference, tag_features
from treewright.tagging.tagger import Tagger
from treewright.treebank import Sentence

__all__ = ["COLUMNS", "EPOCHS", "TaggingProblem", "train_tagger"]

#: The columns that are tagged, in this order, if the treebank has them.
COLUMNS = ("upos", "xpos", "feats")

#: The logarithm (base 2) of the largest size of the table of weights for one column.
MAX_BITS = 20

#: The number of passes over the training data.
EPOCHS = 8


class TaggingProblem:
    """A column of a treebank as training examples for a tagger."""

    def __init__(self, sentences: Sequence[Sentence], features: ColumnFeatures) -> None:
        self.size = features.size
        self._features = features
        self._examples = [(sentence, features.tag_indices(sentence)) for sentence in sentences]

    def __len__(self) -> int:
        return len(self._examples)

    def words(self, index: int) -> int:
        """Count the words of a sentence."""
        return len(self._examples[index][0])

    def mistake(self, index: int, weights: Weights, cost: float) -> Mistake | None:
        """Tag one sentence, with ``cost`` added for each wrong tag; None if all tags are correct."""
        sentence, gold = self._examples[index]
        hashed: HashedWords = self._features.hash(sentence)
        found = best_tags(hashed, weights.table, self._features.mask, gold, cost)
        errors = np.count_nonzero(found != gold)
        if not errors:
            return None
        places, values = tag_features(hashed, gold, found, self._features.mask)
        return Mistake(places, values, float(errors), score_difference(places, values, weights.values))


def train_tagger(
    sentences: Sequence[Sentence],
    *,
    clusters: WordClusters | None = None,
    learner: Learner | None = None,
    epochs: int = EPOCHS,
    seed: int = 1,
    on_progress: Callable[[float], None] = lambda share: None,
) -> Tagger:
    """Train a tagger for the columns that a treebank has.

    Columns are tagged in the order of `COLUMNS`; the features of each include the columns before it.

    Parameters
    ----------
    sentences : sequence of Sentence
        With gold tags.
    clusters : WordClusters, optional
        Adds features of the clusters of words.
    learner : Learner, optional
        By default MIRA.
    epochs, seed : int
        As for `treewright.learning.train`.
    on_progress : function of float
        Called with the share of the work that is done.
    """
    informative = informative_attributes(sentences)
    wanted = [column for column in COLUMNS if column in informative]
    bits = min(MAX_BITS, table_bits(sum(map(len, sentences))))
    columns: list[ColumnTagger] = []
    for column in wanted:
        given = [before.name for before in columns]

        def report(progress: Progress, done: int = len(columns)) -> None:
            on_progress((done + progress.share) / len(wanted))

        settings = ColumnSettings.of(sentences, column, given, bits, clusters is not None)
        features = ColumnFeatures(settings, clusters)
        result = train(
            TaggingProblem(sentences, features),
            learner or Mira(C=0.05),
            epochs=epochs,
            seed=seed,
            on_progress=report,
        )
        if result.interrupted:
            raise KeyboardInterrupt
        columns.append(ColumnTagger(features, Weights.compress(result.weights.values)))
    return Tagger(columns)
