"""Tags for parsers: those of the sentence, or predicted."""

from __future__ import annotations

from treewright.errors import UsageError
from treewright.tagging import Tagger
from treewright.treebank import Sentence

__all__ = ["tagged"]


def tagged(sentence: Sentence, tagger: Tagger | None, keep_tags: bool) -> Sentence:
    """Return a sentence with the tags that a parser is to see: its own, or those that the tagger predicts."""
    if keep_tags:
        return sentence
    if tagger is None:
        raise UsageError(
            "this model has no tagger, as it was trained on gold tags: "
            "give it tagged sentences with --keep-tags, or train one with --tags predicted"
        )
    return tagger.tag(sentence)
