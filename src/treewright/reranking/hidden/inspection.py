"""What hidden values mean (Koo and Collins 2005, section 6.3): counts of the most probable assignments.

As in the paper, each sentence gets its most probable candidate t*, and t* its most probable assignment h*.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.hidden.features import Candidate, forms_and_tags
from treewright.reranking.hidden.likelihood import find_assignment
from treewright.reranking.hidden.model import HiddenReranker
from treewright.reranking.hidden.trees import HiddenTrees

__all__ = ["Annotation", "annotate", "best_assignment", "describe_values", "describe_words"]

#: The number of words on either side of an example.
AROUND = 3


@dataclass(frozen=True)
class Annotation:
    """A candidate with its most probable hidden values."""

    forms: Sequence[str]
    tags: Sequence[str]
    highest: Sequence[str]  # the highest constituent that each word heads, or its relation
    edges: Sequence[tuple[int, int]]  # the words that are connected, from 0: in trees, a parent and a child
    values: Sequence[str]  # the name of the hidden value of each word, such as NN3

    def __str__(self) -> str:
        return " ".join(f"{form}/{value}" for form, value in zip(self.forms, self.values, strict=True))


def best_assignment(
    model: HiddenReranker, trees: HiddenTrees, sentence: int, candidate: int, tree: Candidate
) -> Annotation:
    """Find the most probable hidden values of a candidate, which is counted from the first of its sentence."""
    c = int(trees.candidates[sentence]) + candidate
    first, last = trees.positions[c : c + 2].tolist()
    _, chosen = find_assignment(trees, sentence, c, model.weights.values, model.weights.scale)
    words, nodes = trees.word[first:last], trees.node[first:last]
    values = [""] * len(words)
    for word, node, k in zip(words.tolist(), nodes.tolist(), chosen.tolist(), strict=True):
        values[word] = model.features.domains.value_names(int(trees.domain[node]))[k]
    seen = model.features.observe(tree)
    return Annotation(*forms_and_tags(tree), seen.highest, [(u, v) for u, v in seen.edges.tolist()], values)


def annotate(
    model: HiddenReranker,
    lists: Sequence[Sequence[Candidate]],
    candidates: Candidates,
    on_sentence: Callable[[int], None] = lambda done: None,
) -> list[Annotation]:
    """Annotate the most probable candidate of each sentence; ``on_sentence`` gets the number of sentences read."""
    trees = model.read(lists, candidates, on_sentence)
    chosen = candidates.best(model.log_probabilities(trees)) - candidates.offsets[:-1]
    return [
        best_assignment(model, trees, s, c, own[c])
        for s, (own, c) in enumerate(zip(lists, np.asarray(chosen).tolist(), strict=True))
    ]


def describe_values(annotations: Iterable[Annotation], most: int = 8, least: int = 5) -> str:
    """Describe each frequent value: its words, what they modify, and what modifies them.

    Parameters
    ----------
    annotations : iterable of Annotation
    most : int
        The number of entries to list.
    least : int
        The number of words a value must have to be described.
    """
    words, heads, modifiers = (defaultdict[str, Counter[str]](Counter) for _ in range(3))
    for annotation in annotations:
        roots = set(range(len(annotation.forms))) - {word for _, word in annotation.edges}
        for word, value in enumerate(annotation.values):
            words[value][annotation.forms[word]] += 1
        for parent, word in (*annotation.edges, *((-1, root) for root in roots)):
            heads[annotation.values[word]][_described(annotation, parent)] += 1
            if parent >= 0:
                modifiers[annotation.values[parent]][annotation.tags[word]] += 1
    lines = []
    for value in sorted(words, key=lambda value: (value.rstrip("0123456789"), -words[value].total(), value)):
        if words[value].total() >= least:
            lines.append(f"{value}: {words[value].total():,} words")
            lines.append(f"    words      {_frequent(words[value], most)}")
            lines.append(f"    below      {_frequent(heads[value], most)}")
            lines.append(f"    above      {_frequent(modifiers[value], most) or 'nothing'}")
    return "\n".join(lines)


def describe_words(annotations: Iterable[Annotation], forms: Sequence[str] = (), most: int = 20) -> str:
    """Describe the values of words, with an example of each: of the given words, or of the most frequent ones."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    examples: dict[tuple[str, str], str] = {}
    for annotation in annotations:
        for word, (form, value) in enumerate(zip(annotation.forms, annotation.values, strict=True)):
            counts[form][value] += 1
            examples.setdefault((form, value), _example(annotation, word))
    frequent = sorted(counts, key=lambda form: (-counts[form].total(), form))
    lines = []
    for form in forms or [form for form in frequent if len(counts[form]) > 1][:most]:
        lines.append(f"{form}: {counts[form].total():,} times" if form in counts else f"{form}: not seen")
        for value, count in _ordered(counts.get(form, Counter())):
            lines.append(f"    {value:<12}{count:>7,}   {examples[form, value]}")
    return "\n".join(lines)


def _described(annotation: Annotation, word: int) -> str:
    return f"{annotation.forms[word]}/{annotation.tags[word]}" if word >= 0 else "(root)"


def _example(annotation: Annotation, word: int) -> str:
    before, after = annotation.forms[max(word - AROUND, 0) : word], annotation.forms[word + 1 : word + 1 + AROUND]
    return " ".join([*before, f"[{annotation.forms[word]}]", *after])


def _ordered(counts: Counter[str]) -> list[tuple[str, int]]:
    """Sort by frequency, then by name, so that reports do not depend on the order of sentences."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _frequent(counts: Counter[str], most: int) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in _ordered(counts)[:most])
