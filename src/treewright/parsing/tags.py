"""Tags for parsers: those of the sentence, or predicted."""

from __future__ import annotations

from treewright.errors import UsageError
from treewright.tagging import SentenceTagger
from treewright.tagging.given import Given, given_tags
from treewright.tagging.tagger import Tagging
from treewright.treebank import Sentence

__all__ = ["tagged", "taggings"]


def tagged(sentence: Sentence, tagger: SentenceTagger | None, keep_tags: bool) -> Sentence:
    """Return a sentence with the tags that a parser is to see: its own, or those that the tagger predicts.

    Even if tags are kept, words without any are tagged, if there is a tagger.
    """
    given = given_tags(sentence, blank_features=False) if keep_tags else None
    return taggings(sentence, tagger, given)[0].sentence


def taggings(sentence: Sentence, tagger: SentenceTagger | None, given: Given | None, k: int = 1) -> list[Tagging]:
    """Find the k best taggings of a sentence, around given tags if there are any.

    If k is 1, the probability of the one tagging is not computed, and counts as 1.
    """
    if tagger is None:
        if given is None:
            raise UsageError(
                "this model has no tagger, as it was trained on gold tags: "
                "give it tagged sentences with --keep-tags, or train one with --tags predicted"
            )
        return [Tagging(sentence, 0.0)]
    if given is not None and all(given[name].all() for name in tagger.names):
        return [Tagging(sentence, 0.0)]
    return [Tagging(tagger.tag(sentence, given), 0.0)] if k == 1 else tagger.k_best(sentence, k, given)
