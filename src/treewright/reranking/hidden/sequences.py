"""Tagged sequences as candidates (Koo and Collins 2005, section 6.1): a chain of words.

The features are those of Figure 2 that make sense in a sequence: the word, its tag, and the surrounding tags in place
of paths and rules; for two neighbours their tags, with the tag before or the tag after.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treewright.errors import UsageError
from treewright.kernels import kernel
from treewright.reranking.hidden.hashing import Hashes64, hash_text, mix
from treewright.reranking.hidden.observation import Observation

__all__ = ["TaggedSequence", "observe_sequence"]

#: The number of single-variable features of a word.
CONTEXTS = 12


class TaggedSequence(NamedTuple):
    """Words with labels, such as part-of-speech tags or the kinds of named entities."""

    forms: Sequence[str]
    tags: Sequence[str]


def observe_sequence(sequence: TaggedSequence) -> Observation:
    """Observe a tagged sequence.

    Examples
    --------
    >>> observe_sequence(TaggedSequence(["Trees", "grow", "up"], ["NNS", "VBP", "RP"])).parent.tolist()
    [-1, 0, 1]
    """
    forms, tags = list(sequence.forms), list(sequence.tags)
    n = len(forms)
    if len(tags) != n:
        raise UsageError(f"{n} words need as many tags, not {len(tags)}")
    words = np.array([hash_text(form) for form in forms], np.uint64)
    labels = np.array([hash_text(tag) for tag in ("<s>", "<s>", *tags, "</s>")], np.uint64)
    contexts, pairs = sequence_features(words, labels)
    edges = np.column_stack([np.arange(n - 1), np.arange(1, n)]).astype(np.int32)
    starts = np.arange(0, (n + 1) * CONTEXTS, CONTEXTS, dtype=np.int64)
    return Observation(forms, tags, tags, ["_"] * n, edges, starts, contexts, pairs[1:])


@kernel
def sequence_features(words: Hashes64, tags: Hashes64) -> tuple[Hashes64, Hashes64]:
    """List what is observed at each word, and at each word with the one before; ``tags`` starts with two borders."""
    n = len(words)
    contexts, pairs = np.empty(n * CONTEXTS, np.uint64), np.zeros((n, 3), np.uint64)
    for w in range(n):
        earlier, before, tag, after = tags[w], tags[w + 1], tags[w + 2], tags[w + 3]
        a = w * CONTEXTS
        contexts[a] = np.uint64(60)
        contexts[a + 1] = mix(tag, np.uint64(61))
        contexts[a + 2] = mix(mix(before, tag), np.uint64(62))
        contexts[a + 3] = mix(mix(tag, after), np.uint64(63))
        contexts[a + 4] = mix(mix(mix(before, tag), after), np.uint64(64))
        contexts[a + 5] = mix(mix(mix(earlier, before), tag), np.uint64(65))
        for k in range(CONTEXTS // 2):
            contexts[a + CONTEXTS // 2 + k] = mix(contexts[a + k], words[w])
        if w:
            pairs[w, 0] = mix(mix(before, tag), np.uint64(66))
            pairs[w, 1] = mix(pairs[w, 0], mix(earlier, np.uint64(67)))
            pairs[w, 2] = mix(pairs[w, 0], mix(after, np.uint64(68)))
    return contexts, pairs
