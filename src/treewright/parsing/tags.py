"""Tags for parsers: those of the sentence, or predicted; for training, predicted by taggers that have not seen them."""

from __future__ import annotations

from collections.abc import Sequence

from treewright.errors import UsageError
from treewright.features import WordClusters
from treewright.parsing.progress import Reporter
from treewright.tagging import Tagger, jackknife, train_tagger
from treewright.treebank import Sentence

__all__ = ["predict_tags", "tagged"]


def tagged(sentence: Sentence, tagger: Tagger | None, keep_tags: bool) -> Sentence:
    """Return a sentence with the tags that a parser is to see.

    Raises
    ------
    UsageError
        If its tags are not to be kept, and there is no tagger.
    """
    if keep_tags:
        return sentence
    if tagger is None:
        raise UsageError(
            "this model has no tagger, as it was trained on gold tags: "
            "give it tagged sentences with --keep-tags, or train one with --tags predicted"
        )
    return tagger.tag(sentence)


def predict_tags(
    sentences: Sequence[Sentence],
    report: Reporter,
    *,
    clusters: WordClusters | None = None,
    folds: int,
    seed: int,
    threads: int,
) -> tuple[Tagger, list[Sentence]]:
    """Train a tagger, and tag the treebank by taggers that have not seen it (jackknifing)."""
    tagger = train_tagger(
        sentences, clusters=clusters, seed=seed, on_progress=lambda share: report.stage("tagger", share)
    )
    retagged = jackknife(
        sentences,
        clusters=clusters,
        folds=folds,
        seed=seed,
        threads=threads,
        on_progress=lambda share: report.stage("jackknife", share),
    )
    return tagger, retagged
