"""The neural scorer: what search, pruning and calibration see of a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.arrays import Array, Arrays
from treewright.features import Scorer
from treewright.inference import Factors, Parts, Scores
from treewright.inference.parts import all_parts
from treewright.model import nest, part
from treewright.neural.network import Network

if TYPE_CHECKING:
    from treewright.features.hooks import Proposal
    from treewright.treebank import Sentence

__all__ = ["NeuralScorer"]


@dataclass(frozen=True, eq=False)
class NeuralScorer(Scorer):
    """Scores the parts of trees by a network.

    Attributes
    ----------
    network : Network
    arcs_only : bool
        Whether only arcs are scored, without labels: what prunes.
    """

    network: Network
    arcs_only: bool = False

    @property
    def labels(self) -> Sequence[str]:
        """The relations that are scored, none where only heads are."""
        return () if self.arcs_only else self.network.settings.labels

    @property
    def needs_tags(self) -> bool:
        """Whether scores depend on tags: never, as a network predicts them from the same words."""
        return False

    def score(self, sentence: Sentence, parts: Parts | None = None) -> Scores:
        """Score the parts of a sentence that survive pruning, all by default, and every label of every arc."""
        words = self.network.encode(sentence.forms)
        higher = self.network.settings.factorization != "arc" and not self.arcs_only
        if parts is None and higher:
            parts = all_parts(words.n)
        if parts is None:
            size = words.n + 1
            label = words.label(_all_arcs(size)).reshape(size, size, -1) if self.labels else None
            return Scores(arc=words.arc, label=label)
        arcs = parts.arc
        arrays: dict[str, Any] = words.higher(parts) if higher else {}
        if self.labels:
            arrays["label"] = words.label(arcs)
        return Scores(arc=words.arc[arcs[:, 0], arcs[:, 1]], parts=parts, **arrays)

    def factors(self, sentence: Sentence, parts: Parts, proposed: Proposal | None = None) -> Factors:
        """Return the factors that hooks propose, with the scores that they set."""
        return Factors.together([] if proposed is None else [proposed.factors])

    def describe(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Describe the scorer as a manifest and arrays."""
        manifest, arrays = self.network.describe()
        return {"scorer": {"kind": "neural", **manifest}}, nest("network", arrays)

    @classmethod
    def restore(cls, manifest: Mapping[str, Any], arrays: Arrays) -> NeuralScorer:
        """Rebuild the scorer that `describe` described."""
        return cls(Network.restore(manifest["scorer"], part("network", arrays)))


def _all_arcs(size: int) -> Array:
    """List all pairs of words, rows (h, m)."""
    return np.stack(np.divmod(np.arange(size * size), size), axis=1)
