"""What hidden values mean: the findings of Koo and Collins (2005), section 6.3, from a trained model.

As there, each training sentence gets its most probable candidate, and that its most probable values.  A finding is a
property of the words of a tag, and the share of the words with each value that have it.
"""

from __future__ import annotations

from collections import Counter

from treewright.reranking.hidden import annotate

#: Constituents, or relations, after a noun that modify it.
AFTER = {"PP", "SBAR", "S", "VP", "ADJP", "RRC", "WHPP", "nmod", "acl", "acl:relcl"}
SUBJECTS = {"NP", "nsubj", "nsubj:pass"}
#: A value of fewer words is left out.
LEAST = 20


def _has_neighbour(tag):
    """Whether a word is connected with one of a tag: the modal is the head in constituents, and not in UD."""
    return lambda annotation, word, below, above: any(annotation.tags[other] == tag for other in (*below, *above))


def _has_subject(annotation, word, below, above):
    return any(other < word and annotation.highest[other] in SUBJECTS for other in below)


def _has_modifier_after(annotation, word, below, above):
    return any(other > word and annotation.highest[other] in AFTER for other in below)


#: The name of a finding: the tag, the property, and what the article says.
FINDINGS = {
    "VB with *to*": ("VB", _has_neighbour("TO"), "VB1 92 % of 11,546, VB2 5 % of 11,042"),
    "VB with a modal": ("VB", _has_neighbour("MD"), "VB2 76 % of 11,042, VB1 1 % of 11,546"),
    "*to* with a subject": ("TO", _has_subject, "TO1 and TO5 97 % of 976, TO4 0 % of 10,148"),
    "NNS with a post-modifier": ("NNS", _has_modifier_after, "NNS3 95 % of 12,664, NNS5 10 % of 39,763"),
    "NN with a post-modifier": ("NN", _has_modifier_after, "similar"),
    "NNP with a post-modifier": ("NNP", _has_modifier_after, "similar"),
}


def find(model, lists, candidates) -> dict[str, dict[str, list[int]]]:
    """Count for each finding and each value the words with the property, and all words."""
    words, having = Counter(), Counter()
    for annotation in annotate(model, lists, candidates):
        below, above = ([[] for _ in annotation.forms] for _ in range(2))
        for u, v in annotation.edges:
            below[u].append(v)
            above[v].append(u)
        for name, (tag, has, _) in FINDINGS.items():
            for word, value in enumerate(annotation.values):
                if annotation.tags[word] == tag:
                    words[name, value] += 1
                    having[name, value] += has(annotation, word, below[word], above[word])
    return {
        name: {value: [having[name, value], words[name, value]] for own, value in words if own == name}
        for name in FINDINGS
    }


def rows(title, found) -> list[dict[str, object]]:
    """Write the findings of a treebank, the values with the largest share first."""
    shown = []
    for name, values in found.items():
        if values:
            order = sorted(values, key=lambda value: (-values[value][0] / values[value][1], value))
            having, words = (sum(column) for column in zip(*values.values(), strict=True))
            shares = [
                f"{value} {100 * values[value][0] / values[value][1]:.0f} % of {values[value][1]:,}"
                for value in order
                if values[value][1] >= LEAST
            ]
            row = {"treebank": title, "words": name, "all values": f"{100 * having / words:.0f} % of {words:,}"}
            shown.append(row | {"by value": ", ".join(shares), "*article*": f"*{FINDINGS[name][2]}*"})
    return shown
