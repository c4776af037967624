"""Coarse-to-fine pruning: a first-order model rules out unlikely arcs (Koo & Collins 2010, section 7.3)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import numpy as np

from treewright.arrays import Arrays, Mask
from treewright.features import Lexicon, LinearScorer, Scorer
from treewright.inference import ConstrainedTrees, Constraints, Trees
from treewright.model import Described, Manifest
from treewright.treebank import Sentence

__all__ = ["Pruner"]

#: Third-order parts of one sentence at most.  Text ten times as dense as that of treebanks stays far below; what goes
#: beyond, such as one word repeated a thousand times, would take all memory.
MOST_PARTS = 4_000_000


@dataclass(frozen=True)
class Pruner:
    """Decides which arcs are worth scoring, by a model of single arcs: its own, or the arc scores of a network.

    An arc survives if its probability is at least ``beam`` times that of the best arc into the same word.  At most
    ``max_heads`` heads of a word survive, that of the best tree first; 0 is any number, as long as the parts of a
    sentence fit into memory.
    """

    scorer: Scorer
    trees: Trees
    beam: float = 1e-4
    max_heads: int = 0

    def allowed(self, sentence: Sentence, constraints: Constraints | None = None) -> Mask:
        """Return which arcs ``[h, m]`` of a sentence survive; those of the model's best tree always do.

        Under constraints, all arcs that survive obey, as far as single arcs and spans go, and so does the best tree;
        a `ValueError` is raised if there is none.
        """
        scores = self.scorer.score(sentence)
        trees: Trees | ConstrainedTrees = self.trees
        if constraints:
            unlabelled = replace(constraints, labels=(), forbidden_labels=(), at_most_one=(), projective=())
            trees = ConstrainedTrees(self.trees, unlabelled)
        probabilities = trees.marginals(scores).arc
        allowed: Mask = (probabilities >= self.beam * probabilities.max(axis=0)) & (probabilities > 0)
        # Every word keeps a head; that these make up a tree, only the best tree guarantees.
        if constraints and constraints.projective:
            trees = ConstrainedTrees(self.trees, replace(unlabelled, projective=constraints.projective))
        best = trees.argmax(scores).heads[1:], np.arange(1, len(allowed))
        allowed[best] = True
        if self.max_heads or _count_parts(allowed) > MOST_PARTS:
            probabilities[best] = np.inf
            worst_first, most = np.argsort(probabilities, axis=0, kind="stable"), self.max_heads or len(allowed)
            allowed[worst_first[:-most], np.arange(len(allowed))] = False
            while most > 1 and _count_parts(allowed) > MOST_PARTS:
                most //= 2
                allowed[worst_first[:-most], np.arange(len(allowed))] = False
        return allowed

    def describe(self) -> Described:
        """Describe the pruner; its lexicon, or its network, is that of the parser."""
        own = self.scorer
        scorer, arrays = own.describe("", lexicon=False) if isinstance(own, LinearScorer) else ({}, {})
        limits = {"trees": asdict(self.trees), "beam": self.beam, "max_heads": self.max_heads}
        return {**scorer, **limits}, arrays

    @classmethod
    def restore(cls, manifest: Manifest, arrays: Arrays, lexicon: Lexicon) -> Pruner:
        """Build a pruner from its description and the lexicon of the parser."""
        return cls.restore_by(LinearScorer.restore(manifest, arrays, "", lexicon), manifest)

    @classmethod
    def restore_by(cls, scorer: Scorer, manifest: Manifest) -> Pruner:
        """Build a pruner from its description and what scores arcs."""
        trees = Trees(**manifest["trees"])
        return cls(scorer, trees, float(manifest["beam"]), int(manifest["max_heads"]))


def _count_parts(allowed: Mask) -> int:
    """Count the grand-sibling and the tri-sibling parts that arcs make up."""
    above = allowed.sum(axis=0)
    above[0] = 1  # "none"
    left, right = np.tril(allowed, -1).sum(axis=1), np.triu(allowed, 1).sum(axis=1)
    grand = sum(int(above @ (degree * (degree + 1) // 2)) for degree in (left, right))
    tri = sum(int((degree + (degree**3 - degree) // 6).sum()) for degree in (left, right))
    return grand + tri
