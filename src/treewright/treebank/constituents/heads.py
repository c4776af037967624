"""Head rules: which child of a constituent is its head.

A file of head rules has one step per line: the label of a constituent, a direction, and labels of children.

::

    # Comments and blank lines are ignored.
    @coordination CC
    @punctuation  , : .
    VP    left   TO VBD MD VP
    NP    last   POS
    NP    right  {NN NNS NX}
    NP    left   NP
    NX    =      NP
    *     left   *

The lines of one label are tried in order.  ``left`` looks for a child with the first label of the line, from left to
right, then for one with the second label, and so on; ``right`` does the same from right to left.  ``first`` and
``last`` look only at the first and the last child.  Labels in braces are looked for together.  ``*`` is any child that
is not punctuation, ``=`` one with the label of the constituent, and ``V*`` one whose label starts with V.  If no line
applies, the head is the first child that is not punctuation, in the direction of the last line.  ``NX = NP`` copies the
rules of one label to another, and the label ``*`` stands for all labels without rules.  Function tags and indices of
labels are ignored.

``@coordination`` (Collins 1999, Appendix A) lists the tags of conjunctions: if one comes right before the head, the
child before the conjunction, skipping punctuation, is the head instead.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import Literal, NamedTuple, get_args

import numpy as np

from treewright.arrays import Heads
from treewright.errors import UsageError
from treewright.files import PathLike, find_bad_byte, open_input
from treewright.treebank.constituents.simplification import strip_function_tag
from treewright.treebank.constituents.tree import ConstituentTree
from treewright.treebank.reading import shorten

__all__ = ["EMBEDDED_RULES", "Direction", "HeadRules", "Step", "find_head_children", "find_head_words"]

Direction = Literal["left", "right", "first", "last"]

#: The rules that come with the package.
EMBEDDED_RULES = ("collins", "default", "yamada-matsumoto")


class Step(NamedTuple):
    """One line of a file of head rules: where to start, and the sets of labels to look for, in order."""

    direction: Direction
    groups: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class HeadRules:
    """Rules that find the head of a constituent among its children.

    Attributes
    ----------
    steps : mapping of str to sequence of Step
        What to try, in order, for each label; the entry ``*`` is for all others.
    coordination, punctuation : frozenset of str
        The tags of conjunctions and of punctuation.

    Examples
    --------
    >>> rules = HeadRules.load("collins")
    >>> rules.find_head("VP", ["ADVP", "VBD", "NP"])
    1
    >>> rules.find_head("NP", ["NN", "CC", "NN"])
    0
    """

    steps: Mapping[str, Sequence[Step]]
    coordination: frozenset[str] = frozenset()
    punctuation: frozenset[str] = frozenset()
    _found: dict[tuple[str, tuple[str, ...]], int] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def load(cls, name: PathLike) -> HeadRules:
        """Load rules that come with the package, by name, or a file of rules.

        Raises
        ------
        UsageError
            If there is no such file, or it is malformed.
        """
        if name in EMBEDDED_RULES:
            return _load_embedded(str(name))
        if not os.path.exists(name):
            known = ", ".join(EMBEDDED_RULES)
            raise UsageError(f"there are no head rules {os.fspath(name)!r}; give a file, or one of {known}")
        with open_input(name) as file:
            try:
                return cls.from_string((raw := file.read()).decode(), os.fspath(name))
            except UnicodeDecodeError:
                line, reason = find_bad_byte(raw)
                raise UsageError(f"{os.fspath(name)}:{line}: {reason}") from None

    @classmethod
    def of(cls, description: str) -> HeadRules:
        """Return the rules that `describe` described.

        Unlike `load` it opens no file, so it is safe on a description that comes from one.

        Raises
        ------
        UsageError
            If it is neither the name of rules that come with the package nor the text of rules.
        """
        return _load_embedded(description) if description in EMBEDDED_RULES else _read_description(description)

    @staticmethod
    def describe(name: PathLike) -> str:
        """Describe what `load` would load, for storage in a file: the name of embedded rules, or the text of others.

        Examples
        --------
        >>> HeadRules.describe("collins")
        'collins'
        """
        return str(name) if name in EMBEDDED_RULES else str(HeadRules.load(name))

    @classmethod
    def from_string(cls, text: str, name: str = "<string>") -> HeadRules:
        """Read rules from a text; the name is for messages."""
        steps: dict[str, list[Step]] = {}
        sets = {"@coordination": frozenset[str](), "@punctuation": frozenset[str]()}
        for number, line in enumerate(text.splitlines(), 1):
            tokens = line.split()
            if not tokens or line.startswith("#"):
                continue
            label, *rest = tokens
            try:
                if label in sets:
                    sets[label] = frozenset(rest)
                elif rest[:1] == ["="]:
                    steps[label] = list(steps[rest[1]])
                else:
                    steps.setdefault(label, []).append(_parse_step(rest))
            except (KeyError, IndexError):
                reason = f"after {label} comes a direction and labels, or = and a label that has rules"
                raise UsageError(f"{name}:{number}: {reason}") from None
            except ValueError as error:
                raise UsageError(f"{name}:{number}: {error}") from None
        steps.setdefault("*", [Step("left", (("*",),))])
        return cls(steps, sets["@coordination"], sets["@punctuation"])

    def __str__(self) -> str:
        """Return the rules as the text of a file."""
        lines = [
            f"@{name} {' '.join(sorted(tags))}"
            for name, tags in (("coordination", self.coordination), ("punctuation", self.punctuation))
            if tags
        ]
        for label, steps in self.steps.items():
            for step in steps:
                groups = (group[0] if len(group) == 1 else f"{{{' '.join(group)}}}" for group in step.groups)
                lines.append(f"{label} {step.direction} {' '.join(groups)}")
        return "\n".join(lines) + "\n"

    def find_head(self, label: str, children: Sequence[str]) -> int:
        """Find the head of a constituent from the labels of its children: the index of one of them."""
        key = label, tuple(children)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._search(_bare(label), [_bare(child) for child in children])
        return found

    def _search(self, label: str, children: Sequence[str]) -> int:
        if not children:
            raise UsageError("a constituent without children has no head")
        head = self._scan(label, children)
        if self.coordination and head >= 2 and children[head - 1] in self.coordination:
            before = head - 2
            while before >= 0 and children[before] in self.punctuation:
                before -= 1
            return before if before >= 0 else head
        return head

    def _scan(self, label: str, children: Sequence[str]) -> int:
        order = range(len(children))
        steps = self.steps.get(label) or self.steps["*"]
        for direction, groups in [*steps, Step(steps[-1].direction, (("*",),))]:
            for group in groups:
                for index in _in_order(order, direction):
                    if self._is_in(children[index], group, label):
                        return index
        return 0 if steps[-1].direction in ("left", "first") else len(children) - 1  # there is only punctuation

    def _is_in(self, child: str, group: tuple[str, ...], label: str) -> bool:
        for wanted in group:
            if wanted == child or (wanted == "=" and child == label):
                return True
            if wanted == "*" and child not in self.punctuation:
                return True
            if len(wanted) > 1 and wanted.endswith("*") and child.startswith(wanted[:-1]):
                return True
        return False


@lru_cache
def _load_embedded(name: str) -> HeadRules:
    file = resources.files("treewright.treebank.constituents").joinpath("rules", f"{name}.rules")
    return HeadRules.from_string(file.read_text("utf-8"), f"{name}.rules")


@lru_cache(maxsize=16)
def _read_description(text: str) -> HeadRules:
    if "\n" not in text:
        known = ", ".join(EMBEDDED_RULES)
        raise UsageError(f"there are no head rules {shorten(text)}; there are {known}, or the text of others")
    return HeadRules.from_string(text, "<head rules>")


def find_head_children(tree: ConstituentTree, rules: HeadRules) -> Heads:
    """Find the head child of every node.

    Returns
    -------
    int32 array, shape (nodes,)
        The child that is the head of each node; -1 for leaves.

    Examples
    --------
    >>> tree = ConstituentTree.from_string("(S (NP (NNS Trees)) (VP (VBP grow)))")
    >>> find_head_children(tree, HeadRules.load("collins")).tolist()
    [3, 2, -1, 4, -1]
    """
    labels = tree.labels
    heads = [-1] * len(labels)
    for node, children in enumerate(tree.children()):
        if len(children) == 1:
            heads[node] = children[0]
        elif children:
            heads[node] = children[rules.find_head(labels[node], [labels[child] for child in children])]
    return np.array(heads, np.int32)


def find_head_words(tree: ConstituentTree, head_children: Heads) -> Heads:
    """Find the head word of every node from the head children; words are counted from 1.

    Examples
    --------
    >>> tree = ConstituentTree.from_string("(S (NP (NNS Trees)) (VP (VBP grow)))")
    >>> find_head_words(tree, find_head_children(tree, HeadRules.load("collins"))).tolist()
    [2, 1, 1, 2, 2]
    """
    words = (tree.starts + 1).tolist()
    heads = head_children.tolist()
    for node in range(len(words) - 1, -1, -1):  # children come before their parents
        if heads[node] >= 0:
            words[node] = words[heads[node]]
    return np.array(words, np.int32)


def _parse_step(tokens: Sequence[str]) -> Step:
    direction, labels = tokens[0], tokens[1:]
    if direction not in get_args(Direction):
        raise ValueError(f"{shorten(direction)} is not a direction; it must be one of {', '.join(get_args(Direction))}")
    if not labels:
        raise ValueError("a step without labels; write * for any child")
    groups: list[tuple[str, ...]] = []
    waiting: list[str] | None = None
    for label in labels:
        if label.startswith("{") and waiting is None:
            waiting, label = [], label[1:]
        is_last = waiting is not None and label.endswith("}")
        label = label.removesuffix("}") if is_last else label
        if waiting is None:
            groups.append((label,))
            continue
        waiting += [label] if label else []
        if is_last:
            groups.append(tuple(waiting))
            waiting = None
    if waiting is not None:
        raise ValueError("an opening brace without a closing one")
    return Step(direction, tuple(groups))  # type: ignore[arg-type]


def _in_order(order: range, direction: Direction) -> Iterable[int]:
    if direction == "left":
        return order
    if direction == "right":
        return reversed(order)
    return order[:1] if direction == "first" else order[-1:]


def _bare(label: str) -> str:
    """Strip a label of function tags, and of all but the first of alternatives such as ADVP|PRT."""
    return strip_function_tag(label).partition("|")[0] or label
