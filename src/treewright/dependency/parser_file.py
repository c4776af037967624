"""A parser as plain data: what its model file holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from treewright.features import DependencyFeatures, Weights
from treewright.inference import Trees
from treewright.parsing.model_parts import (
    Arrays,
    describe_pruner,
    describe_tagger,
    restore_pruner,
    restore_tagger,
)

if TYPE_CHECKING:
    from treewright.dependency.parser import Parser

__all__ = ["KIND", "describe", "restore"]

#: What the manifest of a model file of this kind says it is.
KIND = "dependency-parser"


def describe(parser: Parser) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Take a parser apart into a manifest and arrays."""
    features, arrays = parser.features.describe()
    manifest: dict[str, Any] = {
        "kind": KIND,
        "info": parser.info,
        "trees": asdict(parser.trees),
        **features,
        "scale": parser.weights.scale,
        "temperature": parser.temperature,
    }
    arrays["weights"] = parser.weights.values
    manifest["tagger"] = describe_tagger(parser.tagger, arrays)
    manifest["pruner"] = describe_pruner(parser.pruner, arrays)
    return manifest, arrays


def restore(manifest: Mapping[str, Any], arrays: Arrays) -> dict[str, Any]:
    """Put together what `describe` took apart: the arguments of `Parser`.

    Raises
    ------
    AttributeError, KeyError, NotImplementedError, TypeError, ValueError
        If the parts are not those of a parser, or do not fit together.
    """
    features = DependencyFeatures.restore(manifest, arrays)
    lexicon = features.lexicon
    return {
        "features": features,
        "weights": Weights.restore(manifest, arrays, features.size),
        "trees": Trees(**manifest["trees"]),
        "tagger": restore_tagger(manifest["tagger"], arrays, lexicon),
        "info": manifest["info"],
        "pruner": restore_pruner(manifest.get("pruner"), arrays, lexicon),
        "temperature": float(manifest.get("temperature", 1.0)),
    }
