"""What a parser of spines scores, tags and prunes by, restored from a model file: linear models, or a network."""

from __future__ import annotations

from typing import TypeAlias

from treewright.arrays import Arrays
from treewright.constituency.tag.pruning import LinearLinkPruner, LinkPruner
from treewright.constituency.tag.scorers import LinearTagScorer, TagScorer
from treewright.model import Manifest, part
from treewright.tagging import SentenceTagger, Tagger

__all__ = ["Components", "restore_components"]

Components: TypeAlias = tuple[TagScorer, LinkPruner, SentenceTagger | None]


def restore_components(manifest: Manifest, arrays: Arrays) -> Components:
    """Restore the scorer, the pruner and the tagger that the manifest of a parser describes."""
    return (_neural if "scorer" in manifest else _linear)(manifest, arrays)


def _linear(manifest: Manifest, arrays: Arrays) -> Components:
    """Restore linear models that share a lexicon."""
    scorer, tagger = LinearTagScorer.restore(manifest, arrays), manifest["tagger"]
    lexicon = scorer.features.lexicon
    return (
        scorer,
        LinearLinkPruner.restore(manifest, arrays, scorer.automata, lexicon),
        None if tagger is None else Tagger.restore(tagger, part("tagger", arrays), lexicon),
    )


def _neural(manifest: Manifest, arrays: Arrays) -> Components:
    """Restore one network, by which all three work."""
    from treewright.constituency.tag.neural import NeuralLinkPruner, NeuralTagScorer
    from treewright.neural.tagger import NeuralTagger

    scorer, tagger = NeuralTagScorer.restore(manifest, arrays), manifest["tagger"]
    return (
        scorer,
        NeuralLinkPruner.restore(manifest, scorer),
        None if tagger is None else NeuralTagger.restore(tagger, scorer.network),
    )
