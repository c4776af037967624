"""Coarse-to-fine pruning: a cascade of models rules out unlikely arcs (Rush & Petrov 2012; Koo & Collins 2010, 7.3).

Each stage of a cascade scores the arcs that the stages before it have left, and leaves those that are likely enough
compared with the best arc into the same word.  So a cheap model sees all arcs, and a dear one few.  The best tree of
each stage survives it: whatever is pruned, there is a tree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from treewright.arrays import Array, Arrays, Floats, Heads, Mask
from treewright.features import Lexicon, LinearScorer, Scorer
from treewright.inference import ConstrainedTrees, Constraints, Parts, Scores, Trees
from treewright.inference.heads import are_heads_of_tree
from treewright.model import Described, Manifest, nest, part
from treewright.treebank import Sentence

__all__ = ["Cascade", "Stage"]

#: Third-order parts of one sentence at most.  Text ten times as dense as that of treebanks stays far below; what goes
#: beyond, such as one word repeated a thousand times, would take all memory.
MOST_PARTS = 4_000_000

#: How much rounding may move the logarithm of a probability.
ROUNDING = 1e-6


@dataclass(frozen=True)
class Stage:
    """Decides which arcs are worth scoring by the next stage: a scorer, its trees, and a threshold.

    An arc survives if its probability is at least ``beam`` times that of the best arc into the same word.  At most
    ``max_heads`` heads of a word survive, that of the best tree first; 0 is any number, as long as the parts of a
    sentence fit into memory.
    """

    scorer: Scorer
    trees: Trees
    beam: float = 1e-4
    max_heads: int = 0

    def __post_init__(self) -> None:
        if self.trees.is_hard:
            raise ValueError("a stage prunes by probabilities, which are intractable for its trees")

    def allowed(self, sentence: Sentence, constraints: Constraints | None = None, among: Mask | None = None) -> Mask:
        """Return which arcs ``[h, m]`` of a sentence survive, of those ``among`` which it is to choose (all if None).

        Those of the model's best tree always do.  Under constraints, all arcs that survive obey, as far as single arcs
        and spans go, and so does the best tree; a `ValueError` is raised if there is none.
        """
        scores, probabilities, sure = self._weigh(sentence, constraints, among)
        allowed: Mask = (probabilities >= self.beam * probabilities.max(axis=0)) & (probabilities > 0)
        # Every word keeps a head; that these make up a tree, only the best tree guarantees.
        if sure and not self._is_too_much(allowed):
            return allowed
        heads = self._obedient(constraints, spans=True).argmax(scores).heads
        best = heads[1:], np.arange(1, len(allowed))
        allowed[best] = True
        if self._is_too_much(allowed):
            probabilities[best] = np.inf
            worst_first, most = np.argsort(probabilities, axis=0, kind="stable"), self.max_heads or len(allowed)
            allowed[worst_first[:-most], np.arange(len(allowed))] = False
            while most > 1 and _count_parts(allowed) > MOST_PARTS:
                most //= 2
                allowed[worst_first[:-most], np.arange(len(allowed))] = False
        return allowed

    def probabilities(self, sentence: Sentence, among: Mask | None = None) -> Floats:
        """Compute the probability of each arc ``[h, m]`` of a sentence, of those ``among`` which there are."""
        return self._weigh(sentence, None, among)[1]

    def _weigh(
        self, sentence: Sentence, constraints: Constraints | None, among: Mask | None
    ) -> tuple[Scores, Floats, bool]:
        """Score arcs; return the scores, the probabilities, and whether the best tree is sure to be within the beam."""
        parts = None if among is None else Parts(among, projective=self.trees.projective)
        scores = self.scorer.score(sentence, parts)
        if constraints:
            marginals, sure = self._obedient(constraints).marginals(scores).arc, False
        else:
            log_total, found = self.trees.expectations(scores)
            marginals, sure = found.arc, self._keeps_best(scores, found, log_total)
        if parts is None:
            return scores, marginals.astype(np.float64, copy=False), sure
        probabilities = np.zeros((parts.n + 1, parts.n + 1))
        probabilities[parts.arcs.heads[:-1], parts.arcs.modifiers[:-1]] = marginals
        return scores, probabilities, sure

    def _keeps_best(self, scores: Scores, marginals: Scores, log_total: float) -> bool:
        """Decide without a search that no arc of the best tree falls out of the beam.

        Each arc of the best tree is at least as probable as that tree, and so as any other: if the most probable heads
        are those of a tree whose probability is within the beam, the arcs of the best tree are, too.
        """
        if self.beam <= 0 or self.trees.factorization != "arc" or scores.label is not None:
            return False
        heads = _likeliest(marginals)
        log_probability = float(scores.of_arcs(heads).sum(dtype=np.float64)) - log_total
        if not log_probability > math.log(self.beam) + ROUNDING:
            return False
        return are_heads_of_tree(heads, self.trees.projective, self.trees.single_root)

    def _obedient(self, constraints: Constraints | None, spans: bool = False) -> Trees | ConstrainedTrees:
        """Return the trees that obey constraints on single arcs; with ``spans``, also those on whole subtrees."""
        if not constraints:
            return self.trees
        obeyed = replace(constraints, labels=(), forbidden_labels=(), at_most_one=(), projective=())
        return ConstrainedTrees(self.trees, replace(obeyed, projective=constraints.projective) if spans else obeyed)

    def _is_too_much(self, allowed: Mask) -> bool:
        """Return whether so many arcs have survived that only the best may."""
        if self.max_heads:
            return True
        count = int(allowed.sum())
        return count**3 > MOST_PARTS and _count_parts(allowed) > MOST_PARTS

    def describe(self) -> Described:
        """Describe the stage; its lexicon, or its network, is that of the parser."""
        own = self.scorer
        scorer, arrays = own.describe("", lexicon=False) if isinstance(own, LinearScorer) else ({}, {})
        limits = {"trees": asdict(self.trees), "beam": self.beam, "max_heads": self.max_heads}
        return {**scorer, **limits}, arrays

    @classmethod
    def restore_by(cls, scorer: Scorer, manifest: Manifest) -> Stage:
        """Build a stage from its description and what scores its parts."""
        trees = Trees(**manifest["trees"])
        return cls(scorer, trees, float(manifest["beam"]), int(manifest["max_heads"]))


@dataclass(frozen=True)
class Cascade:
    """Stages, each of which chooses among the arcs that the one before it has left."""

    stages: Sequence[Stage]

    def __post_init__(self) -> None:
        if not self.stages:
            raise ValueError("a cascade has at least one stage")

    def allowed(self, sentence: Sentence, constraints: Constraints | None = None) -> Mask:
        """Return which arcs ``[h, m]`` of a sentence survive all stages; there always is a tree of them.

        Once every word has one head left, there is a single tree, and no later stage is asked: it could change nothing.
        """
        first, *others = self.stages
        allowed = first.allowed(sentence, constraints)
        for stage in others:
            if allowed.sum() == len(sentence):
                break
            allowed = stage.allowed(sentence, constraints, allowed)
        return allowed

    def with_limits(self, beam: float, max_heads: int = 0) -> Cascade:
        """Return the same cascade with other limits for every stage; a beam of 0 prunes nothing, if memory suffices."""
        return Cascade([replace(stage, beam=beam, max_heads=max_heads) for stage in self.stages])

    def describe(self) -> Described:
        """Describe the cascade: a single stage as itself, as all models once were, and several as a list."""
        if len(self.stages) == 1:
            return self.stages[0].describe()
        manifests, arrays = list[Manifest](), dict[str, Array]()
        for number, stage in enumerate(self.stages, 1):
            manifest, own = stage.describe()
            manifests.append(manifest)
            arrays |= nest(str(number), own)
        return {"stages": manifests}, arrays

    @classmethod
    def restore(cls, manifest: Manifest, arrays: Arrays, lexicon: Lexicon) -> Cascade:
        """Build a cascade from its description and the lexicon of the parser."""
        return cls(
            [
                Stage.restore_by(LinearScorer.restore(own, of_own, "", lexicon), own)
                for own, of_own in _stages_in(manifest, arrays)
            ]
        )

    @classmethod
    def restore_by(cls, scorer: Scorer, manifest: Manifest) -> Cascade:
        """Build a cascade of one stage from its description and what scores its parts."""
        return cls([Stage.restore_by(scorer, manifest)])


def _stages_in(manifest: Manifest, arrays: Arrays) -> list[tuple[Manifest, Arrays]]:
    """List the stages that a description has, with the arrays of each."""
    if "stages" not in manifest:
        return [(manifest, arrays)]
    return [(own, part(str(number), arrays)) for number, own in enumerate(manifest["stages"], 1)]


def _likeliest(marginals: Scores) -> Heads:
    """Return the most probable head of each word."""
    if marginals.parts is None:
        heads: Heads = marginals.arc.argmax(axis=0).astype(np.int32)
    else:
        x = marginals.parts.arcs
        rising = np.argsort(marginals.arc, kind="stable")
        heads = np.zeros(marginals.n + 1, np.int32)
        heads[x.modifiers[rising]] = x.heads[rising]  # of those for one word, the last stays
    heads[0] = -1
    return heads


def _count_parts(allowed: Mask) -> int:
    """Count the grand-sibling and the tri-sibling parts that arcs make up."""
    above = allowed.sum(axis=0)
    above[0] = 1  # "none"
    left, right = np.tril(allowed, -1).sum(axis=1), np.triu(allowed, 1).sum(axis=1)
    grand = sum(int(above @ (degree * (degree + 1) // 2)) for degree in (left, right))
    tri = sum(int((degree + (degree**3 - degree) // 6).sum()) for degree in (left, right))
    return grand + tri
