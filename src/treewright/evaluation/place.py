"""Sentences, as messages name them."""

from __future__ import annotations

from treewright.treebank import Sentence

__all__ = ["place"]


def place(k: int, sentence: Sentence) -> str:
    """Name a sentence in a message: its number and, if a comment has one, its ``sent_id``."""
    for comment in sentence.comments:
        key, equals, value = comment.lstrip("#").partition("=")
        if equals and key.strip() == "sent_id":
            return f"sentence {k + 1} (sent_id {value.strip()})"
    return f"sentence {k + 1}"
