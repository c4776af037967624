"""What all rerankers have in common: they score candidates, explain their choice, and lie in a file."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self

from treewright.arrays import Array, Arrays, Floats, Ints
from treewright.model.container import open_model, save_model
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.candidates.origin import Origin

__all__ = ["BASE_MODEL", "Lists", "Reason", "Reranker", "restore_reranker"]

#: The trees of the candidates of each sentence.
Lists = Sequence[Sequence[Any]]

#: What the log-probability of the base model is called among reasons.
BASE_MODEL = "log-probability of the base model"


class Reason(NamedTuple):
    """Something that speaks for one candidate and against another.

    Attributes
    ----------
    name : str
        The feature.
    difference : float
        Its value in the first candidate less that in the second.
    weight : float
    """

    name: str
    difference: float
    weight: float

    @property
    def contribution(self) -> float:
        """How much it adds to the score of the first candidate less that of the second."""
        return self.difference * self.weight


class Reranker(ABC):
    """A model that chooses from candidates.

    Attributes
    ----------
    KIND : str
        What the manifest of a model file says that the model is.
    info : mapping
        How it was trained and how good it is.
    """

    KIND: ClassVar[str] = ""
    info: Mapping[str, Any]

    @property
    def origin(self) -> Origin | None:
        """Where the candidates came from that it was trained on, if that is known."""
        return Origin.from_dict(self.info["origin"]) if "origin" in self.info else None

    @property
    @abstractmethod
    def vocabulary(self) -> Sequence[str] | None:
        """The names of the features that it asks for; None where features have no names."""

    @property
    @abstractmethod
    def needs_trees(self) -> bool:
        """Whether it looks at the trees themselves."""

    @abstractmethod
    def scores(self, candidates: Candidates, lists: Lists | None = None) -> Floats:
        """Score each candidate.

        Parameters
        ----------
        candidates : Candidates
        lists : sequence of sequences of trees, optional
            The trees of the candidates; read from their texts where they are needed and not given.
        """

    def best(self, candidates: Candidates, lists: Lists | None = None) -> Ints:
        """Choose a candidate for each sentence, the first of those with the highest score, and give their numbers."""
        return candidates.best(self.scores(candidates, lists))

    @abstractmethod
    def explain(self, candidates: Candidates, first: int, second: int, lists: Lists | None = None) -> list[Reason]:
        """List what decides between two candidates, with these numbers; what weighs most comes first."""

    @abstractmethod
    def describe(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Take the model apart into a manifest and arrays."""

    @classmethod
    @abstractmethod
    def restore(cls, manifest: Mapping[str, Any], arrays: Arrays) -> Self:
        """Put together what `describe` took apart.

        Raises
        ------
        AttributeError, IndexError, KeyError, TypeError, UsageError, ValueError
            When the parts are not those of a model of this kind, or do not fit together.
        """

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file."""
        save_model(path, *self.describe())

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Open a model file: ``Reranker.open`` that of any reranker.

        Raises
        ------
        ModelError
            When the file is missing, damaged, or another kind of model.
        """
        kinds = [one.KIND for one in _kinds() if issubclass(one, cls)]
        found: Self = open_model(path, dict.fromkeys(kinds, restore_reranker))
        return found


def restore_reranker(manifest: Mapping[str, Any], arrays: Arrays) -> Any:
    """Put together a reranker of whichever kind its manifest says; errors are those of `Reranker.restore`."""
    found = next((one for one in _kinds() if manifest.get("kind") == one.KIND), None)
    if found is None:
        raise ValueError(f"no reranker of the kind {manifest.get('kind')!r}")
    model = found.restore(manifest, arrays)
    _ = model.origin  # which may be damaged as well
    return model


def _kinds() -> list[type[Reranker]]:
    from treewright.reranking.hidden.model import HiddenReranker
    from treewright.reranking.linear import LinearReranker
    from treewright.reranking.mixture import MixedReranker

    return [LinearReranker, HiddenReranker, MixedReranker]
