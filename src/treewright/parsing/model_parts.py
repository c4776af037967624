"""Pieces that several kinds of models have, as plain data: weights, taggers, pruners of arcs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from treewright.dependency.pruning import Pruner
from treewright.features import DependencyFeatures, FeatureSettings, Lexicon, Weights
from treewright.inference import Trees
from treewright.tagging import ColumnFeatures, ColumnSettings, Tagger

__all__ = [
    "Arrays",
    "describe_pruner",
    "describe_tagger",
    "restore_pruner",
    "restore_tagger",
    "restore_weights",
]

Arrays = Mapping[str, npt.NDArray[Any]]
Model = TypeVar("Model")


def describe_tagger(tagger: Tagger | None, arrays: dict[str, npt.NDArray[Any]]) -> list[dict[str, Any]] | None:
    """Describe a tagger, and add its weights to the arrays."""
    if tagger is None:
        return None
    for column, weights in tagger.columns:
        arrays[f"tagger.{column.settings.column}"] = weights.values
    return [{"settings": asdict(column.settings), "scale": weights.scale} for column, weights in tagger.columns]


def describe_pruner(pruner: Pruner | None, arrays: dict[str, npt.NDArray[Any]]) -> dict[str, Any] | None:
    """Describe a pruner of arcs, and add its weights to the arrays."""
    if pruner is None:
        return None
    arrays["pruner"] = pruner.weights.values
    return {
        "features": pruner.features.to_dict(),
        "scale": pruner.weights.scale,
        "trees": asdict(pruner.trees),
        "beam": pruner.beam,
        "max_heads": pruner.max_heads,
    }


def restore_weights(table: npt.NDArray[Any], scale: float, size: int) -> Weights:
    """Take a table of one byte for each weight; refuse one that does not fit the features."""
    if table.dtype != np.int8 or table.shape != (size,):
        raise ValueError("its weights do not fit its features")
    return Weights(table, float(scale), float(scale))


def restore_tagger(stages: list[dict[str, Any]] | None, arrays: Arrays, lexicon: Lexicon) -> Tagger | None:
    """Take what `describe_tagger` gave."""
    if stages is None:
        return None
    columns = []
    for stage in stages:
        features = ColumnFeatures(ColumnSettings(**stage["settings"]), lexicon.clusters)
        table = arrays[f"tagger.{features.settings.column}"]
        columns.append((features, restore_weights(table, stage["scale"], features.size)))
    return Tagger(columns)


def restore_pruner(described: Mapping[str, Any] | None, arrays: Arrays, lexicon: Lexicon) -> Pruner | None:
    """Take what `describe_pruner` gave."""
    if described is None:
        return None
    features = DependencyFeatures(FeatureSettings(**described["features"]), lexicon)
    return Pruner(
        features,
        restore_weights(arrays["pruner"], described["scale"], features.size),
        Trees(**described["trees"]),
        float(described["beam"]),
        int(described["max_heads"]),
    )
