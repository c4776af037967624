"""A constituent parser as plain data: what its model file holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from treewright.arrays import Array, Arrays
from treewright.constituency.tag.features import TagFeatures
from treewright.constituency.tag.pruning import LinkPruner
from treewright.features import Weights
from treewright.parsing.model_parts import describe_tagger, restore_tagger

if TYPE_CHECKING:
    from treewright.constituency.tag.parser import ConstituentParser

__all__ = ["KIND", "describe", "restore"]

#: What the manifest of a model file of this kind says it is.
KIND = "constituent-parser"


def describe(parser: ConstituentParser) -> tuple[dict[str, Any], dict[str, Array]]:
    """Take a parser apart into a manifest and arrays."""
    features, arrays = parser.features.describe()
    pruner, of_pruner = parser.pruner.describe()
    arrays |= {"weights": parser.weights.values, **of_pruner}
    manifest: dict[str, Any] = {
        "kind": KIND,
        "info": parser.info,
        **features,
        "scale": parser.weights.scale,
        "temperature": parser.temperature,
        "tagger": describe_tagger(parser.tagger, arrays),
        **pruner,
    }
    return manifest, arrays


def restore(manifest: Mapping[str, Any], arrays: Arrays) -> dict[str, Any]:
    """Put together what `describe` took apart: the arguments of `ConstituentParser`.

    Raises
    ------
    AttributeError, IndexError, KeyError, TypeError, UsageError, ValueError
        If the parts are not those of a parser, or do not fit together.
    """
    features = TagFeatures.restore(manifest, arrays)
    return {
        "features": features,
        "weights": Weights.restore(manifest, arrays, features.size),
        "pruner": LinkPruner.restore(manifest, arrays, features.automata, features.lexicon),
        "tagger": restore_tagger(manifest["tagger"], arrays, features.lexicon),
        "info": manifest["info"],
        "temperature": float(manifest["temperature"]),
    }
