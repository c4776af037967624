"""The contract of rerankers: they score candidates, explain their choices, and are model files."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

from treewright.arrays import Floats, Ints
from treewright.model import Manifest, Model
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.candidates.origin import Origin

__all__ = ["BASE_MODEL", "Lists", "Reason", "Reranker", "read_info"]

#: The trees of the candidates of each sentence.
Lists = Sequence[Sequence[Any]]

#: The name of the base log-probability among reasons.
BASE_MODEL = "log-probability of the base model"


class Reason(NamedTuple):
    """A reason for preferring one candidate to another.

    Attributes
    ----------
    name : str
        The feature.
    difference : float
        Its value in the first candidate minus its value in the second.
    weight : float
    """

    name: str
    difference: float
    weight: float

    @property
    def contribution(self) -> float:
        """What the feature adds to the first candidate's lead in score over the second."""
        return self.difference * self.weight


class Reranker(Model):
    """A model that chooses from candidates.

    Attributes
    ----------
    info : dict
        How it was trained, and its scores on dev data.
    """

    @property
    def origin(self) -> Origin | None:
        """How the candidates it was trained on were listed, if known."""
        return Origin.from_dict(self.info["origin"]) if "origin" in self.info else None

    @property
    @abstractmethod
    def vocabulary(self) -> Sequence[str] | None:
        """The names of the features it uses; None if features have no names."""

    @property
    @abstractmethod
    def needs_trees(self) -> bool:
        """Whether it reads the trees of candidates."""

    @abstractmethod
    def scores(self, candidates: Candidates, lists: Lists | None = None) -> Floats:
        """Score each candidate.

        Parameters
        ----------
        candidates : Candidates
        lists : sequence of sequences of trees, optional
            The trees of the candidates; by default they are read from the texts of the candidates if needed.
        """

    def best(self, candidates: Candidates, lists: Lists | None = None) -> Ints:
        """Return the number of the candidate with the highest score in each sentence, the first of ties."""
        return candidates.best(self.scores(candidates, lists))

    @abstractmethod
    def explain(self, candidates: Candidates, first: int, second: int, lists: Lists | None = None) -> list[Reason]:
        """List the reasons that decide between two candidates, given by their numbers, the weightiest first."""


def read_info(manifest: Manifest) -> dict[str, Any]:
    """Return the ``info`` of a manifest; raise a TypeError or ValueError if its origin is damaged."""
    info = dict(manifest["info"])
    if "origin" in info:
        Origin.from_dict(info["origin"])
    return info
