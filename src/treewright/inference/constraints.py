"""What is known of a tree before it is searched: arcs, labels, subtrees, and rules about labels.

Constraints on single arcs and their labels are part of every question: they forbid arcs.  That some words form a
subtree is a constraint on arcs, too (none leaves the span), and on how many arcs enter it: exactly one.  The other
constraints are about several arcs at a time: see `treewright.inference.constrained`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

import numpy as np

from treewright.arrays import Mask
from treewright.errors import UsageError
from treewright.inference.scores import Scores

__all__ = ["Constraints"]

#: Labels are numbers in scores, and names in the files and commands of users.
Label: TypeAlias = int | str


@dataclass(frozen=True)
class Constraints:
    """What must hold of a tree over words 1…n; the root is 0.

    Parameters
    ----------
    required, forbidden : sequence of (head, word)
        Arcs that the tree has, and arcs that it does not have.
    labels : sequence of (head, word, label)
        The label of an arc, if the tree has this arc; if ``head`` is None, of the arc into the word, whatever its head.
    forbidden_labels : sequence of (head, word, label)
        Labels that an arc, or the arc into a word, does not have.
    spans : sequence of (first, last)
        Words that form a subtree: one of them is the head of all others, directly or not, and of no word outside.
    at_most_one : sequence of labels
        Labels that at most one modifier of each head has, such as ``nsubj``.
    projective : sequence of words
        Words whose arc is projective, in trees that need not be: everything between word and head descends from the
        head.

    Examples
    --------
    >>> print(Constraints(required=[(0, 2)], spans=[(1, 3)], at_most_one=["nsubj"]))
    word 2 is a root; words 1 to 3 form a subtree; at most one nsubj under a head
    """

    required: Sequence[tuple[int, int]] = ()
    forbidden: Sequence[tuple[int, int]] = ()
    labels: Sequence[tuple[int | None, int, Label]] = ()
    forbidden_labels: Sequence[tuple[int | None, int, Label]] = ()
    spans: Sequence[tuple[int, int]] = ()
    at_most_one: Sequence[Label] = ()
    projective: Sequence[int] = ()

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, str):
                raise UsageError(f"the constraint {field.name!r} is {value!r}: it must be a list")
            object.__setattr__(self, field.name, tuple(value))

    def __bool__(self) -> bool:
        arcs = self.required or self.forbidden or self.labels or self.forbidden_labels
        return bool(arcs or self.spans or self.at_most_one or self.projective)

    def __or__(self, other: Constraints) -> Constraints:
        return Constraints.together([self, other])

    def __str__(self) -> str:
        texts = []
        for field in fields(self):
            texts += [_DESCRIPTIONS[field.name](one) for one in getattr(self, field.name)]
        return "; ".join(texts)

    @classmethod
    def from_dict(cls, described: object) -> Constraints:
        """Read constraints from plain data, such as that of a JSON file: ``{"required": [[2, 1]], "spans": [[3, 5]]}``.

        Raises
        ------
        UsageError
            If it describes no constraints.
        """
        if not isinstance(described, dict):
            raise UsageError(f"constraints are an object with lists, not {described!r}")
        made = {}
        for name, values in described.items():
            if name not in _FORMS or not isinstance(values, list):
                raise UsageError(f"constraints are lists called {', '.join(_FORMS)}, not {name!r}: {values!r}")
            made[name] = [_checked(name, value) for value in values]
        return cls(**made)

    def each(self) -> list[Constraints]:
        """Return the single constraints."""
        return [Constraints(**{field.name: (one,)}) for field in fields(self) for one in getattr(self, field.name)]

    @classmethod
    def together(cls, constraints: Iterable[Constraints]) -> Constraints:
        """Return what demands all that some constraints demand."""
        every = list(constraints)
        names = [field.name for field in fields(cls)]
        return cls(**{name: tuple(dict.fromkeys(v for one in every for v in getattr(one, name))) for name in names})

    def numbered(self, names: Sequence[str]) -> Constraints:
        """Replace the names of labels by their numbers.

        Raises
        ------
        UsageError
            If there is no such label.
        """
        numbers: dict[Label, int] = {name: number for number, name in enumerate(names)}

        def number(label: Label) -> int:
            if label in numbers:
                return numbers[label]
            raise UsageError(f"there is no label {label!r}; there are {', '.join(names)}")

        def of_arcs(triples: Sequence[tuple[int | None, int, Label]]) -> list[tuple[int | None, int, Label]]:
            return [(head, word, number(label)) for head, word, label in triples]

        return replace(
            self,
            labels=of_arcs(self.labels),
            forbidden_labels=of_arcs(self.forbidden_labels),
            at_most_one=[number(label) for label in self.at_most_one],
        )

    def named(self, names: Sequence[str]) -> Constraints:
        """Replace the numbers of labels by their names: the reverse of `numbered`."""

        def of_arcs(triples: Sequence[tuple[int | None, int, Label]]) -> list[tuple[int | None, int, Label]]:
            return [(head, word, name(label)) for head, word, label in triples]

        def name(label: Label) -> Label:
            return names[label] if isinstance(label, int) else label

        return replace(
            self,
            labels=of_arcs(self.labels),
            forbidden_labels=of_arcs(self.forbidden_labels),
            at_most_one=[name(label) for label in self.at_most_one],
        )

    def check(self, n: int) -> None:
        """Refuse arcs, words and spans that a sentence of n words does not have."""
        arcs = [*self.required, *self.forbidden, *((h, m) for h, m, _ in (*self.labels, *self.forbidden_labels))]
        for head, word in arcs:
            if not (1 <= word <= n and (head is None or (0 <= head <= n and head != word))):
                arc = f"word {word}" if head is None else f"the arc from {head} to {word}"
                raise ValueError(f"{arc} is constrained, but there is no such arc in a sentence of {n} words")
        for first, last in self.spans:
            if not 1 <= first <= last <= n:
                raise ValueError(f"words {first} to {last} shall form a subtree, but the sentence has words 1 to {n}")
        for word in self.projective:
            if not 1 <= word <= n:
                raise ValueError(f"word {word} is constrained, but the sentence has words 1 to {n}")

    def of_arcs(self, scores: Scores) -> Scores:
        """Forbid the arcs and labels that contradict constraints on arcs, labels and spans."""
        self.check(scores.n)
        changes: dict[str, Any] = {}
        if self.required or self.forbidden or self.spans:
            changes["allowed"] = self.allowed(scores.n, scores.allowed)
        if self.labels or self.forbidden_labels:
            changes["label"] = self._allowed_labels(scores)
        return replace(scores, **changes) if changes else scores

    def allowed(self, n: int, within: Mask | None = None) -> Mask:
        """Return which arcs contradict no constraint on arcs and spans."""
        allowed = np.ones((n + 1, n + 1), bool) if within is None else within.copy()
        words = np.arange(n + 1)
        for head, word in self.required:
            allowed[words != head, word] = False
        for head, word in self.forbidden:
            allowed[head, word] = False
        for span in self.spans:
            inside = inside_of(span, n)
            allowed[np.ix_(inside, ~inside)] = False
        return allowed

    def _allowed_labels(self, scores: Scores) -> Any:
        if scores.label is None:
            raise ValueError("labels are constrained, but there are no scores of labels")
        label = scores.label.copy()
        for number, (head, word, chosen) in enumerate((*self.labels, *self.forbidden_labels)):
            rows = _arcs_into(scores, head, word)
            if not isinstance(chosen, int) or not 0 <= chosen < label.shape[-1]:
                raise ValueError(f"there is no label {chosen!r}: there are {label.shape[-1]}, numbered from 0")
            if number < len(self.labels):
                others = np.arange(label.shape[-1]) != chosen
                label[(*(index[:, None] for index in rows), np.flatnonzero(others)[None])] = -np.inf
            else:
                label[(*rows, chosen)] = -np.inf
        return label


def inside_of(span: tuple[int, int], n: int) -> Mask:
    """Return which of the root and the words are in a span."""
    inside = np.zeros(n + 1, bool)
    inside[span[0] : span[1] + 1] = True
    return inside


def _arcs_into(scores: Scores, head: int | None, word: int) -> tuple[Any, ...]:
    """Return the index of an arc, or of all arcs into a word, in the arrays of arcs."""
    heads = np.arange(scores.n + 1) if head is None else np.array([head])
    heads = heads[heads != word]
    if scores.parts is None:
        return heads, np.full(len(heads), word)
    numbers = scores.parts.arcs.number[heads, word]
    return (numbers[numbers >= 0],)


#: The types of what stands in a constraint of each kind.
_FORMS: dict[str, tuple[Any, ...]] = {
    "required": (int, int),
    "forbidden": (int, int),
    "labels": (int | None, int, Label),
    "forbidden_labels": (int | None, int, Label),
    "spans": (int, int),
    "at_most_one": (Label,),
    "projective": (int,),
}


def _checked(name: str, value: Any) -> Any:
    """Refuse plain data that is no constraint of this kind."""
    form = _FORMS[name]
    values = value if isinstance(value, list) else [value]
    fits = len(values) == len(form) and isinstance(value, list) == (len(form) > 1)
    if not fits or not all(isinstance(one, kind) and one is not True for one, kind in zip(values, form, strict=True)):
        raise UsageError(f"{value!r} is no constraint of the kind {name!r}")
    return tuple(values) if len(form) > 1 else value


def _arc(head: int | None, word: int) -> str:
    return f"word {word}" if head is None else f"the arc from {head} to {word}"


#: How each kind of constraint reads.
_DESCRIPTIONS: dict[str, Any] = {
    "required": lambda arc: (
        f"word {arc[1]} is a root" if arc[0] == 0 else f"the head of word {arc[1]} is word {arc[0]}"
    ),
    "forbidden": lambda arc: f"{_arc(*arc)} is forbidden",
    "labels": lambda one: f"{_arc(*one[:2])} is {one[2]}",
    "forbidden_labels": lambda one: f"{_arc(*one[:2])} is not {one[2]}",
    "spans": lambda span: f"words {span[0]} to {span[1]} form a subtree",
    "at_most_one": lambda label: f"at most one {label} under a head",
    "projective": lambda word: f"the arc into word {word} is projective",
}
