"""What is known of a sentence: its cells, and which of them an annotator has looked at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from treewright.arrays import Heads
from treewright.treebank import Sentence

__all__ = ["COLUMNS", "Annotated", "Change", "Column", "Status"]

#: What an annotator has looked at: nothing of a word, its arc (head and, if there is one, relation), or all of it.
Status: TypeAlias = Literal["_", "arc", "word"]

Column: TypeAlias = Literal["head", "deprel", "upos", "xpos", "lemma", "feats", "status"]

#: The columns that annotators fill in → their names in a `Sentence`.
COLUMNS = {
    "head": "heads",
    "deprel": "deprels",
    "upos": "upos",
    "xpos": "xpos",
    "lemma": "lemmas",
    "feats": "feats",
}


class Change(NamedTuple):
    """A cell that changes: word, column, and what is in it before and after, ``_`` for nothing."""

    word: int
    column: Column
    before: str
    after: str

    @property
    def undone(self) -> Change:
        """The opposite change."""
        return Change(self.word, self.column, self.after, self.before)


@dataclass(frozen=True, eq=False)
class Annotated:
    """A sentence with the cells that are given, ``_`` (or -1) where nothing is, and the status of each word."""

    sentence: Sentence
    status: tuple[Status, ...]

    @classmethod
    def of(cls, sentence: Sentence) -> Annotated:
        """Begin with a sentence that nobody has looked at.

        Examples
        --------
        >>> one = Annotated.of(Sentence.from_forms(["Go", "on"]))
        >>> one = one.after([Change(1, "head", "_", "0"), Change(1, "status", "_", "arc")])
        >>> one.sentence.heads.tolist(), one.status, one.known_heads.tolist()
        ([0, -1], ('arc', '_'), [0, -1])
        """
        unseen: Status = "_"
        return cls(sentence, (unseen,) * len(sentence))

    @property
    def is_done(self) -> bool:
        """Whether every word has been confirmed."""
        return all(status == "word" for status in self.status)

    @property
    def known_heads(self) -> Heads:
        """The heads that an annotator has looked at, -1 for the others."""
        heads = self.sentence.heads.copy()
        heads[[status == "_" for status in self.status]] = -1
        return heads

    def cell(self, word: int, column: Column) -> str:
        """Return what is in a cell."""
        if column == "status":
            return self.status[word - 1]
        value = getattr(self.sentence, COLUMNS[column])[word - 1]
        return str(value) if column != "head" else "_" if value < 0 else str(int(value))

    def changed(self, word: int, column: Column, after: str) -> list[Change]:
        """Return the change that puts something into a cell; none if it is there."""
        before = self.cell(word, column)
        return [Change(word, column, before, after)] if before != after else []

    def after(self, changes: Iterable[Change]) -> Annotated:
        """Return the sentence with some cells changed."""
        columns = {name: list(getattr(self.sentence, name)) for name in COLUMNS.values()}
        status: list[Any] = list(self.status)
        for word, column, _, value in changes:
            if column == "status":
                status[word - 1] = value
            else:
                columns[COLUMNS[column]][word - 1] = value if column != "head" else -1 if value == "_" else int(value)
        return replace(self, sentence=self.sentence.replace(**columns), status=tuple(status))
