"""A parser as plain data: what its model file holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from treewright.features import DependencyFeatures, FeatureSettings, GenerativeModels, Lexicon
from treewright.inference import Trees
from treewright.parsing.model_parts import (
    Arrays,
    describe_pruner,
    describe_tagger,
    restore_pruner,
    restore_tagger,
    restore_weights,
)

if TYPE_CHECKING:
    from treewright.dependency.parser import Parser

__all__ = ["KIND", "describe", "restore"]

#: What the manifest of a model file of this kind says it is.
KIND = "dependency-parser"


def describe(parser: Parser) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Take a parser apart into a manifest and arrays."""
    bits, arrays = parser.features.lexicon.describe()
    manifest: dict[str, Any] = {
        "kind": KIND,
        "info": parser.info,
        "trees": asdict(parser.trees),
        "features": parser.features.to_dict(),
        "clusters": bits,
        "scale": parser.weights.scale,
        "temperature": parser.temperature,
    }
    arrays["weights"] = parser.weights.values
    if parser.features.generative is not None:
        manifest["generative"], models = parser.features.generative.describe()
        arrays |= models
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
    lexicon = Lexicon.restore(manifest.get("clusters", ()), arrays)
    generative = GenerativeModels.restore(manifest["generative"], arrays) if "generative" in manifest else None
    features = DependencyFeatures(FeatureSettings(**manifest["features"]), lexicon, generative)
    return {
        "features": features,
        "weights": restore_weights(arrays["weights"], manifest["scale"], features.size),
        "trees": Trees(**manifest["trees"]),
        "tagger": restore_tagger(manifest["tagger"], arrays, lexicon),
        "info": manifest["info"],
        "pruner": restore_pruner(manifest.get("pruner"), arrays, lexicon),
        "temperature": float(manifest.get("temperature", 1.0)),
    }
