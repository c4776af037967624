"""Tags for parsers: those of the sentence, or predicted."""

from __future__ import annotations

from treewright.errors import UsageError
from treewright.tagging import Tagger
from treewright.tagging.given import given_tags
from treewright.tagging.tagger import Tagging
from treewright.treebank import Sentence

__all__ = ["tagged", "taggings"]


def tagged(sentence: Sentence, tagger: Tagger | None, keep_tags: bool) -> Sentence:
    """Return a sentence with the tags that a parser is to see: its own, or those that the tagger predicts."""
    return taggings(sentence, tagger, keep_tags=keep_tags)[0].sentence


def taggings(
    sentence: Sentence, tagger: Tagger | None, k: int = 1, *, keep_tags: bool = False, complete: bool = False
) -> list[Tagging]:
    """Find the k best taggings of a sentence; if k is 1, the probability of the one is not computed, and counts as 1.

    Parameters
    ----------
    sentence : Sentence
    tagger : Tagger, optional
        None if there is nothing to predict.
    k : int
    keep_tags : bool
        Whether tags that the sentence has are kept.  A word without any is tagged, if there is a tagger; one that has a
        tag has no features if its FEATS are ``_``.
    complete : bool
        Whether all tags that the sentence has are kept, and every ``_`` is filled in.
    """
    given = given_tags(sentence, blank_features=complete) if keep_tags or complete else None
    if tagger is None:
        if given is None or (complete and not (given["upos"] | given["xpos"]).all()):
            raise UsageError(
                "this model has no tagger, as it was trained on gold tags: "
                "give it tagged sentences with --keep-tags, or train one with --tags predicted"
            )
        return [Tagging(sentence, 0.0)]
    if given is not None and all(given[column.name].all() for column in tagger.columns):
        return [Tagging(sentence, 0.0)]
    return [Tagging(tagger.tag(sentence, given), 0.0)] if k == 1 else tagger.k_best(sentence, k, given)
