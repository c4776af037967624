"""A parser as plain data: what its model file holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treewright.features import DependencyFeatures, FeatureSettings, GenerativeModels, Lexicon, Weights
from treewright.inference import Trees
from treewright.pruning import Pruner
from treewright.tagging import ColumnFeatures, ColumnSettings, Tagger

if TYPE_CHECKING:
    from treewright.parser import Parser

__all__ = ["KIND", "describe", "restore"]

Arrays = Mapping[str, npt.NDArray[Any]]

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
        "tagger": None,
        "pruner": None,
    }
    arrays["weights"] = parser.weights.values
    if parser.features.generative is not None:
        manifest["generative"], models = parser.features.generative.describe()
        arrays |= models
    if parser.tagger is not None:
        manifest["tagger"] = []
        for column, weights in parser.tagger.columns:
            manifest["tagger"].append({"settings": asdict(column.settings), "scale": weights.scale})
            arrays[f"tagger.{column.settings.column}"] = weights.values
    if parser.pruner is not None:
        manifest["pruner"] = {
            "features": parser.pruner.features.to_dict(),
            "scale": parser.pruner.weights.scale,
            "trees": asdict(parser.pruner.trees),
            "beam": parser.pruner.beam,
            "max_heads": parser.pruner.max_heads,
        }
        arrays["pruner"] = parser.pruner.weights.values
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
        "weights": _weights(arrays["weights"], manifest["scale"], features.size),
        "trees": Trees(**manifest["trees"]),
        "tagger": _tagger(manifest["tagger"], arrays, lexicon),
        "info": manifest["info"],
        "pruner": _pruner(manifest.get("pruner"), arrays, lexicon),
        "temperature": float(manifest.get("temperature", 1.0)),
    }


def _weights(table: npt.NDArray[Any], scale: float, size: int) -> Weights:
    if table.dtype != np.int8 or table.shape != (size,):
        raise ValueError("its weights do not fit its features")
    return Weights(table, float(scale), float(scale))


def _tagger(stages: list[dict[str, Any]] | None, arrays: Arrays, lexicon: Lexicon) -> Tagger | None:
    if stages is None:
        return None
    columns = []
    for stage in stages:
        features = ColumnFeatures(ColumnSettings(**stage["settings"]), lexicon.clusters)
        table = arrays[f"tagger.{features.settings.column}"]
        columns.append((features, _weights(table, stage["scale"], features.size)))
    return Tagger(columns)


def _pruner(described: dict[str, Any] | None, arrays: Arrays, lexicon: Lexicon) -> Pruner | None:
    if described is None:
        return None
    features = DependencyFeatures(FeatureSettings(**described["features"]), lexicon)
    return Pruner(
        features,
        _weights(arrays["pruner"], described["scale"], features.size),
        Trees(**described["trees"]),
        float(described["beam"]),
        int(described["max_heads"]),
    )
