"""Hand-crafted features for English, as in section 4.3 of Qian and Liu (2013): a hook whose features are learned.

The paper's thirteen are not listed but for one, "A … rather than A"; the others here are of the same kind: words that
belong together though they are far apart.
"""

from __future__ import annotations

import itertools

PAIRS = {("either", "or"), ("neither", "nor"), ("both", "and"), ("not", "but"), ("from", "to"), ("if", "then")}
BRACKETS = {"(": ")", "[": "]", "``": "''", '"': '"', "“": "”"}


def hand_crafted(sentence, parts):
    """Propose factors for one sentence."""
    words = ["", *(form.lower() for form in sentence.forms)]
    tags = ["", *sentence.upos]
    yield from rather_than(words)
    yield from brackets(words)
    yield from correlatives(words, tags)
    yield from lists(words, tags)
    yield from ends(words, tags)


def rather_than(words):
    """Propose A … rather than A: as the paper has it, and as Universal Dependencies do."""
    for m in range(3, len(words)):
        if words[m - 2 : m] == ["rather", "than"]:
            for h in range(1, m - 2):
                if words[h] == words[m]:
                    yield [(h, m - 1), (m - 1, m - 2), (m - 1, m)], "rather than: chain"
                    yield [(m, m - 2), (m, m - 1)], "rather than: marks"


def brackets(words):
    """Propose that two brackets, or quotes, have one head, which is between them."""
    opened = {}
    for m in range(1, len(words)):
        if words[m] in opened:
            i = opened.pop(words[m])
            if m - i <= 12:
                for h in range(i + 1, m):
                    yield [(h, i), (h, m)], ["brackets", f"brackets {words[i]}"]
        elif words[m] in BRACKETS:
            opened[BRACKETS[words[m]]] = m


def correlatives(words, tags):
    """Propose both words of either A or B, as modifiers of A and B, with A as the head of B."""
    for i in range(1, len(words)):
        for j in range(i + 2, min(i + 8, len(words))):
            if (words[i], words[j]) in PAIRS:
                for h in range(i + 1, j):
                    for m in range(j + 1, min(j + 5, len(words))):
                        if tags[h] == tags[m]:
                            yield [(h, i), (m, j), (h, m)], ["correlative", f"correlative {words[i]}"]


def lists(words, tags):
    """Propose A, B and C with the same tag: B and C are modifiers of A, and the conjunction one of C."""
    for m in range(4, len(words)):
        if tags[m - 1] == "CCONJ" and tags[m] in ("NOUN", "PROPN", "ADJ", "VERB"):
            same = [k for k in range(max(1, m - 8), m - 1) if tags[k] == tags[m]]
            for a, b in itertools.pairwise(same):
                if "," in words[a + 1 : b]:
                    yield [(a, b), (a, m), (m, m - 1)], ["list", f"list {tags[m]}"]


def ends(words, tags):
    """Propose that the last full stop belongs to the root."""
    n = len(words) - 1
    if words[n] in (".", "!", "?"):
        for h in range(1, n):
            if tags[h] in ("VERB", "NOUN", "ADJ", "AUX"):
                yield [(0, h), (h, n)], ["stop", f"stop {tags[h]}"]
