"""A trained network as a model file: an encoder of raw text, or one with what scores trees and tags.

From an encoder the training of parsers begins; a whole network can be made a parser, or teach another one.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, ClassVar, Self

import numpy as np

from treewright.arrays import Arrays, Singles
from treewright.model.base import Described, Manifest, Model, nest, part
from treewright.neural.network import Network
from treewright.neural.parameters import Shape, encoder_parameters, parameters
from treewright.neural.quantization import quantize, widen
from treewright.neural.settings import NetworkSettings
from treewright.neural.words import WordInputs

__all__ = ["TrainedNetwork"]


class TrainedNetwork(Model):
    """The parameters of a network, and what it sees of words.

    Parameters
    ----------
    settings : NetworkSettings
    inputs : WordInputs
    parameters : mapping of arrays
        By the names of `treewright.neural.parameters`; those of an encoder alone will do.
    info : dict
    """

    KIND: ClassVar[str] = "network"

    def __init__(
        self, settings: NetworkSettings, inputs: WordInputs, given: Arrays, info: dict[str, Any] | None = None
    ) -> None:
        self.settings, self.inputs, self.info = settings, inputs, info or {}
        self.is_encoder = "roles" not in given
        self.parameters: dict[str, Singles] = {
            name: np.asarray(given[name], np.float32).reshape(shape) for name, shape in self._shapes().items()
        }

    @classmethod
    def of(cls, network: Network) -> Self:
        """Return the network of a parser as one that can be trained on."""
        return cls(network.settings, network.inputs, widen(network.arrays))

    def encoder(self) -> TrainedNetwork:
        """Return the encoder alone."""
        kept = {name: self.parameters[name] for name in encoder_parameters(self.settings, self.inputs.size)}
        return TrainedNetwork(self.settings, self.inputs, kept, self.info)

    def parameters_for(self, settings: NetworkSettings) -> dict[str, Singles]:
        """Return the parameters that mean the same under other settings: not those of other relations and columns."""
        ours, wanted = self._shapes(), parameters(settings, self.inputs.size)
        then = {name: list(values) for name, values in settings.columns.items()}
        changed = {name for name, values in self.settings.columns.items() if then.get(name) != list(values)}
        if list(self.settings.labels) != list(settings.labels):
            changed.add("label")
        return {
            name: one
            for name, one in self.parameters.items()
            if wanted.get(name) == ours[name] and name.removesuffix("_bias") not in changed
        }

    def _shapes(self) -> dict[str, Shape]:
        shapes = encoder_parameters if self.is_encoder else parameters
        return shapes(self.settings, self.inputs.size)

    def describe(self) -> Described:
        """Describe the network as a manifest and arrays, its matrices rounded to bytes."""
        inputs, vocabulary = self.inputs.describe()
        manifest = {"kind": self.KIND, "info": self.info, "settings": asdict(self.settings), "inputs": inputs}
        stored = quantize(self.parameters)
        return manifest, {**nest("inputs", vocabulary), **nest("parameters", stored)}

    @classmethod
    def restore(cls, manifest: Manifest, arrays: Arrays) -> Self:
        """Build a network from its description."""
        inputs = WordInputs.restore(manifest["inputs"], part("inputs", arrays))
        settings = NetworkSettings(**manifest["settings"])
        return cls(settings, inputs, widen(part("parameters", arrays)), dict(manifest["info"]))
