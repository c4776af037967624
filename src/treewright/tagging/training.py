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
from treewright.learning.kept import Kept
from treewright.learning.online import Mira, Mistake
from treewright.learning.training import Learner, Progress, train
from treewright.tagging.column import ColumnFeatures, ColumnSettings
from treewright.tagging.column_tagger import MOST, ColumnTagger
from treewright.tagging.differences import score_difference, tag_features
from treewright.tagging.lemmas.training import has_lemmas, train_lemmatizer
from treewright.tagging.sequence import HashedWords, best_tags
from treewright.tagging.tagger import Tagger
from treewright.treebank import Sentence

__all__ = ["COLUMNS", "EPOCHS", "TaggingProblem", "tagged_throughout", "train_tagger"]

#: The columns that are tagged, in this order, if the treebank has them.
COLUMNS = ("upos", "xpos", "feats")

#: The logarithms (base 2) of the largest sizes of the table of weights for one column: of a treebank of 200,000 words,
#: and of all that is learned from.
USUAL_BITS, MAX_BITS = 20, 22

#: The number of passes over the training data.
EPOCHS = 12


class TaggingProblem:
    """A column of a treebank as training examples for a tagger."""

    def __init__(self, sentences: Sequence[Sentence], features: ColumnFeatures) -> None:
        self.size = features.size
        self._features = features
        self._examples = [(sentence, features.tag_indices(sentence)) for sentence in sentences]
        self._kept = Kept[HashedWords]()

    def __len__(self) -> int:
        return len(self._examples)

    def words(self, index: int) -> int:
        """Count the words of a sentence."""
        return len(self._examples[index][0])

    def _hashed(self, index: int) -> HashedWords:
        """Hash a sentence."""
        sentence, features = self._examples[index][0], self._features
        return self._kept.get(index, lambda: features.hash(sentence, features.seen(sentence)), _bytes_of)

    def mistake(self, index: int, weights: Weights, cost: float) -> Mistake | None:
        """Tag one sentence, with ``cost`` added for each wrong tag; None if all tags are correct."""
        _, gold = self._examples[index]
        hashed, mask = self._hashed(index), self._features.mask
        found = best_tags(hashed, weights.table, mask, MOST, gold, cost)
        errors = np.count_nonzero(found != gold)
        if not errors:
            return None
        places, values = tag_features(hashed, gold, found, mask)
        return Mistake(places, values, float(errors), score_difference(places, values, weights.values))


def _bytes_of(hashed: HashedWords) -> int:
    return hashed.emission.nbytes + hashed.transition.nbytes + hashed.candidates.nbytes + hashed.starts.nbytes


def tagged_throughout(sentences: Sequence[Sentence]) -> Sequence[Sentence]:
    """Leave out sentences with words that have no tag (UPOS), such as those of partial trees; unless all are so."""
    return [sentence for sentence in sentences if "_" not in sentence.upos] or sentences


def train_tagger(
    sentences: Sequence[Sentence],
    *,
    clusters: WordClusters | None = None,
    bits: int | None = None,
    learner: Learner | None = None,
    epochs: int = EPOCHS,
    seed: int = 1,
    lemmas: bool = True,
    on_progress: Callable[[float], None] = lambda share: None,
) -> Tagger:
    """Train a tagger for the columns that a treebank has.

    Columns are tagged in the order of `COLUMNS`; the features of each include the columns before it.  Lemmas come last
    (`treewright.tagging.lemmas`).

    Parameters
    ----------
    sentences : sequence of Sentence
        With gold tags.  Those with words that have none (``_`` as UPOS) are left out.
    clusters : WordClusters, optional
        Adds features of the clusters of words.
    bits : int, optional
        The binary logarithm of the size of the table of weights of a column at most.
    learner : Learner, optional
        By default MIRA.
    epochs, seed : int
        As for `treewright.learning.train`.
    lemmas : bool
        Whether to find lemmas, too, if the treebank has them.
    on_progress : function of float
        Called with the share of the work that is done.
    """
    sentences = tagged_throughout(sentences)
    informative = informative_attributes(sentences)
    wanted = [column for column in COLUMNS if column in informative]
    steps = len(wanted) + (lemmas := lemmas and has_lemmas(sentences))
    words = sum(map(len, sentences))
    bits = min(bits or MAX_BITS, table_bits(words), max(USUAL_BITS, (4 * words).bit_length()))
    columns: list[ColumnTagger] = []
    for column in wanted:
        given = [before.name for before in columns]

        def report(progress: Progress, done: int = len(columns)) -> None:
            on_progress((done + progress.share) / steps)

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
    if not lemmas:
        return Tagger(columns)

    def report_lemmas(share: float) -> None:
        on_progress((len(wanted) + share) / steps)

    return Tagger(columns, train_lemmatizer(sentences, wanted, clusters=clusters, seed=seed, on_progress=report_lemmas))
