"""Pieces that several kinds of models have, as plain data: weights, taggers, pruners of arcs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, TypeVar

import numpy.typing as npt

from treewright.dependency.pruning import Pruner
from treewright.features import DependencyFeatures, Lexicon, Weights
from treewright.inference import Trees
from treewright.tagging import ColumnFeatures, ColumnSettings, Tagger

__all__ = [
    "Arrays",
    "describe_pruner",
    "describe_tagger",
    "restore_pruner",
    "restore_tagger",
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
    features, _ = pruner.features.describe(lexicon=False)
    weights, table = pruner.weights.describe("pruner")
    arrays |= table
    return {
        **features,
        **weights,
        "trees": asdict(pruner.trees),
        "beam": pruner.beam,
        "max_heads": pruner.max_heads,
    }


def restore_tagger(stages: list[dict[str, Any]] | None, arrays: Arrays, lexicon: Lexicon) -> Tagger | None:
    """Take what `describe_tagger` gave."""
    if stages is None:
        return None
    columns = []
    for stage in stages:
        features = ColumnFeatures(ColumnSettings(**stage["settings"]), lexicon.clusters)
        name = f"tagger.{features.settings.column}"
        columns.append((features, Weights.restore(stage, arrays, features.size, name)))
    return Tagger(columns)


def restore_pruner(described: Mapping[str, Any] | None, arrays: Arrays, lexicon: Lexicon) -> Pruner | None:
    """Take what `describe_pruner` gave."""
    if described is None:
        return None
    features = DependencyFeatures.restore(described, arrays, lexicon)
    return Pruner(
        features,
        Weights.restore(described, arrays, features.size, "pruner"),
        Trees(**described["trees"]),
        float(described["beam"]),
        int(described["max_heads"]),
    )
