"""What a parser scores, tags, prunes and cuts text by, in a model file: linear models, or a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from treewright.arrays import Arrays
from treewright.dependency.pruning import Cascade
from treewright.features import LinearScorer, Scorer
from treewright.model import Described, Manifest, nest, part
from treewright.tagging import SentenceTagger, Tagger

if TYPE_CHECKING:
    from treewright.tokenization import Tokenizer

__all__ = ["describe_components", "restore_components", "restore_tokenizer"]

Models: TypeAlias = tuple[Scorer, SentenceTagger | None, Cascade | None]


def describe_components(
    scorer: Scorer, tagger: SentenceTagger | None, pruner: Cascade | None, tokenizer: Tokenizer | None
) -> Described:
    """Describe what a parser is made of, as a part of its manifest and arrays."""
    manifest, arrays = scorer.describe()
    for name, one in (("tagger", tagger), ("pruner", pruner), ("tokenizer", tokenizer)):
        about, of_one = one.describe() if one is not None else (None, {})
        manifest, arrays = {**manifest, name: about}, {**arrays, **nest(name, of_one)}
    return manifest, arrays


def restore_tokenizer(manifest: Manifest, arrays: Arrays) -> Tokenizer | None:
    """Restore the tokenizer, if the manifest of a parser has one."""
    if manifest.get("tokenizer") is None:
        return None
    from treewright.tokenization import Tokenizer

    return Tokenizer.restore(manifest["tokenizer"], part("tokenizer", arrays))


def restore_components(manifest: Manifest, arrays: Arrays) -> Models:
    """Restore the scorer, the tagger and the pruner that the manifest of a parser describes."""
    return (_neural if "scorer" in manifest else _linear)(manifest, arrays)


def _linear(manifest: Manifest, arrays: Arrays) -> Models:
    """Restore linear models that share a lexicon."""
    scorer = LinearScorer.restore(manifest, arrays)
    lexicon, tagger, pruner = scorer.features.lexicon, manifest["tagger"], manifest.get("pruner")
    return (
        scorer,
        None if tagger is None else Tagger.restore(tagger, part("tagger", arrays), lexicon),
        None if pruner is None else Cascade.restore(pruner, part("pruner", arrays), lexicon),
    )


def _neural(manifest: Manifest, arrays: Arrays) -> Models:
    """Restore one network, by which all three work."""
    from treewright.neural.scorer import NeuralScorer
    from treewright.neural.tagger import NeuralTagger

    scorer, tagger, pruner = NeuralScorer.restore(manifest, arrays), manifest["tagger"], manifest.get("pruner")
    return (
        scorer,
        None if tagger is None else NeuralTagger.restore(tagger, scorer.network),
        None if pruner is None else Cascade.restore_by(NeuralScorer(scorer.network, arcs_only=True), pruner),
    )
