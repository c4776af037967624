"""What a parser scores, tags and prunes by, restored from a model file: linear models, or a network."""

from __future__ import annotations

from typing import TypeAlias

from treewright.arrays import Arrays
from treewright.dependency.pruning import Pruner
from treewright.features import LinearScorer, Scorer
from treewright.model import Manifest, part
from treewright.tagging import SentenceTagger, Tagger

__all__ = ["Components", "restore_components"]

Components: TypeAlias = tuple[Scorer, SentenceTagger | None, Pruner | None]


def restore_components(manifest: Manifest, arrays: Arrays) -> Components:
    """Restore the scorer, the tagger and the pruner that the manifest of a parser describes."""
    return (_neural if "scorer" in manifest else _linear)(manifest, arrays)


def _linear(manifest: Manifest, arrays: Arrays) -> Components:
    """Restore linear models that share a lexicon."""
    scorer = LinearScorer.restore(manifest, arrays)
    lexicon, tagger, pruner = scorer.features.lexicon, manifest["tagger"], manifest.get("pruner")
    return (
        scorer,
        None if tagger is None else Tagger.restore(tagger, part("tagger", arrays), lexicon),
        None if pruner is None else Pruner.restore(pruner, part("pruner", arrays), lexicon),
    )


def _neural(manifest: Manifest, arrays: Arrays) -> Components:
    """Restore one network, by which all three work."""
    from treewright.neural.scorer import NeuralScorer
    from treewright.neural.tagger import NeuralTagger

    scorer, tagger, pruner = NeuralScorer.restore(manifest, arrays), manifest["tagger"], manifest.get("pruner")
    return (
        scorer,
        None if tagger is None else NeuralTagger.restore(tagger, scorer.network),
        None if pruner is None else Pruner.restore_by(NeuralScorer(scorer.network, arcs_only=True), pruner),
    )
