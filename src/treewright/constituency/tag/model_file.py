"""A constituent parser as plain data: what its model file holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from treewright.constituency.spines import Grammar
from treewright.constituency.tag.automata import Automata
from treewright.constituency.tag.features import TagFeatures, TagSettings
from treewright.constituency.tag.pruning import LabelModel, LinkPruner
from treewright.features import DependencyFeatures, FeatureSettings, Lexicon
from treewright.parsing.model_parts import (
    Arrays,
    describe_pruner,
    describe_tagger,
    restore_pruner,
    restore_tagger,
    restore_weights,
)

if TYPE_CHECKING:
    from treewright.constituency.tag.parser import ConstituentParser

__all__ = ["KIND", "describe", "restore"]

#: What the manifest of a model file of this kind says it is.
KIND = "constituent-parser"


def describe(parser: ConstituentParser) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Take a parser apart into a manifest and arrays."""
    bits, arrays = parser.features.lexicon.describe()
    arrays["weights"] = parser.weights.values
    models = []
    for number, model in enumerate(parser.pruner.models, 1):
        arrays[f"labels.{number}"] = model.weights.values
        models.append({"features": asdict(model.features.settings), "scale": model.weights.scale})
    manifest: dict[str, Any] = {
        "kind": KIND,
        "info": parser.info,
        "grammar": parser.features.automata.grammar.to_dict(),
        "features": asdict(parser.features.settings),
        "clusters": bits,
        "scale": parser.weights.scale,
        "temperature": parser.temperature,
        "tagger": describe_tagger(parser.tagger, arrays),
        "pruner": describe_pruner(parser.pruner.arcs, arrays),
        "labels": models,
        "beam": parser.pruner.beam,
    }
    return manifest, arrays


def restore(manifest: Mapping[str, Any], arrays: Arrays) -> dict[str, Any]:
    """Put together what `describe` took apart: the arguments of `ConstituentParser`.

    Raises
    ------
    AttributeError, IndexError, KeyError, TypeError, UsageError, ValueError
        If the parts are not those of a parser, or do not fit together.
    """
    lexicon = Lexicon.restore(manifest.get("clusters", ()), arrays)
    automata = Automata(Grammar.from_dict(manifest["grammar"]))
    features = TagFeatures(TagSettings.from_dict(manifest["features"]), lexicon, automata)
    arcs = restore_pruner(manifest["pruner"], arrays, lexicon)
    if arcs is None:
        raise ValueError("it has no pruner")
    first, second, third = (
        _label_model(described, arrays[f"labels.{number}"], automata, lexicon)
        for number, described in enumerate(manifest["labels"], 1)
    )
    return {
        "features": features,
        "weights": restore_weights(arrays["weights"], manifest["scale"], features.size),
        "pruner": LinkPruner(automata, arcs, (first, second, third), float(manifest["beam"])),
        "tagger": restore_tagger(manifest["tagger"], arrays, lexicon),
        "info": manifest["info"],
        "temperature": float(manifest["temperature"]),
    }


def _label_model(
    described: Mapping[str, Any], table: npt.NDArray[Any], automata: Automata, lexicon: Lexicon
) -> LabelModel:
    features = DependencyFeatures(FeatureSettings(**described["features"]), lexicon)
    if not set(features.labels) <= set(automata.labels):
        raise ValueError("its pruner has labels that its grammar has not")
    return LabelModel(features, restore_weights(table, described["scale"], features.size))
