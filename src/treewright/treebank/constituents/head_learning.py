"""Learn head rules from constituent trees paired with dependency heads.

The head of a constituent is the child that contains the one word whose own head lies outside the constituent.  For each
label the rules are a decision list (Rivest 1987, *Learning Decision Lists*), built greedily: of all children and
directions, the next step is the one that is most often right where it applies, among the constituents to which no
earlier step applies.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from treewright.arrays import Heads
from treewright.errors import UsageError
from treewright.options import EmptyElements
from treewright.treebank.constituents.heads import Direction, HeadRules, Step
from treewright.treebank.constituents.simplification import simplify, strip_function_tag
from treewright.treebank.constituents.tree import ConstituentTree
from treewright.treebank.sentence import Sentence

__all__ = ["learn_head_rules"]

#: The labels of the children of a constituent, and the index of its head.
Expansion = tuple[tuple[str, ...], int]


def learn_head_rules(
    trees: Iterable[ConstituentTree], sentences: Iterable[Sentence], *, empty: EmptyElements = "penn"
) -> HeadRules:
    """Learn the head rules that best predict given dependencies.

    Parameters
    ----------
    trees : iterable of ConstituentTree
    sentences : iterable of Sentence
        The dependencies of the same sentences, in the same order and with as many words.
    empty : {"penn", "historical", "keep"}
        What counts as an empty element and is not a word; see `simplify`.

    Returns
    -------
    HeadRules
        ``str(rules)`` is the text of a file of rules.

    Raises
    ------
    UsageError
        If the trees and the sentences do not match.

    Examples
    --------
    >>> tree = ConstituentTree.from_string("(S (NP (DT the) (NN wood)) (VP (VBZ grows)))")
    >>> sentence = Sentence.from_forms(["the", "wood", "grows"], heads=[2, 3, 0])
    >>> print(learn_head_rules([tree], [sentence]))
    NP right NN
    S right VP
    * right *
    <BLANKLINE>
    """
    seen: defaultdict[str, Counter[Expansion]] = defaultdict(Counter)
    for tree, sentence in _paired(trees, sentences):
        simple = simplify(tree, empty=empty)
        if simple is None or len(simple) != len(sentence):
            words = 0 if simple is None else len(simple)
            raise UsageError(f"a tree has {words} words and its dependencies {len(sentence)}: {sentence.text or tree}")
        for label, expansion in _expansions(simple, sentence.heads):
            seen[label][expansion] += 1
    steps = {label: _learn_steps(expansions) for label, expansions in sorted(seen.items(), key=_frequency)}
    heads_first = sum(count for cases in seen.values() for (_, head), count in cases.items() if head == 0)
    is_initial = 2 * heads_first > sum(sum(cases.values()) for cases in seen.values())
    return HeadRules(steps | {"*": [Step("left" if is_initial else "right", (("*",),))]})


def _paired(
    trees: Iterable[ConstituentTree], sentences: Iterable[Sentence]
) -> Iterator[tuple[ConstituentTree, Sentence]]:
    pairs = zip(trees, sentences, strict=True)
    while True:
        try:
            yield next(pairs)
        except StopIteration:
            return
        except ValueError:
            raise UsageError("the numbers of trees and of sentences differ; both must be of the same text") from None


def _expansions(tree: ConstituentTree, heads: Heads) -> Iterator[tuple[str, Expansion]]:
    """Yield the constituents with several children whose head the dependencies determine."""
    labels = [strip_function_tag(label) for label in tree.labels]
    starts, ends = tree.starts.tolist(), tree.ends.tolist()
    for node, children in enumerate(tree.children()):
        if len(children) < 2:
            continue
        own = heads[starts[node] : ends[node]]
        outside = np.flatnonzero((own <= starts[node]) | (own > ends[node]))
        if len(outside) == 1:
            word = starts[node] + int(outside[0])
            head = next(index for index, child in enumerate(children) if ends[child] > word)
            yield labels[node], (tuple(labels[child] for child in children), head)


def _learn_steps(expansions: Counter[Expansion]) -> Sequence[Step]:
    """Build the decision list of one label."""
    steps: list[Step] = []
    left = dict(expansions)
    while left:
        right_count: Counter[tuple[str, Direction]] = Counter()
        count: Counter[str] = Counter()
        for (children, head), number in left.items():
            for child in set(children):
                count[child] += number
            child = children[head]
            if children.index(child) == head:
                right_count[child, "left"] += number
            if child not in children[head + 1 :]:
                right_count[child, "right"] += number
        candidates: list[tuple[str, Direction]] = [(child, side) for child in count for side in ("left", "right")]
        # The rule of succession keeps a child that was seen once, and was right, from coming first.
        best = max(candidates, key=lambda it: ((right_count[it] + 1) / (count[it[0]] + 2), count[it[0]], it))
        steps.append(Step(best[1], ((best[0],),)))
        left = {case: number for case, number in left.items() if best[0] not in case[0]}
    return _merged(steps)


def _merged(steps: Sequence[Step]) -> Sequence[Step]:
    """Merge adjacent steps of the same direction into one line."""
    merged: list[Step] = []
    for step in steps:
        if merged and merged[-1].direction == step.direction:
            merged[-1] = Step(step.direction, merged[-1].groups + step.groups)
        else:
            merged.append(step)
    return merged


def _frequency(item: tuple[str, Counter[Expansion]]) -> tuple[int, str]:
    return -sum(item[1].values()), item[0]
