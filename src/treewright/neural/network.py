"""A network at run time: words in, vectors out, each sentence once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from threading import local
from typing import Any

from treewright.arrays import Array, Arrays
from treewright.neural.encoder import Encoder
from treewright.neural.parameters import parameters
from treewright.neural.quantization import check_shapes, quantize
from treewright.neural.scoring import Heads, WordVectors
from treewright.neural.settings import NetworkSettings
from treewright.neural.words import WordInputs

__all__ = ["Network"]

#: The sentences whose vectors each thread keeps: those that it is at work on.
KEPT = 4


class Network:
    """Encodes sentences; scorer and tagger share one, so that a sentence is encoded once.

    Parameters
    ----------
    settings : NetworkSettings
    inputs : WordInputs
    arrays : mapping
        The parameters, as they are in a file: rounded to bytes (`treewright.neural.quantization`), or floats.
    """

    def __init__(self, settings: NetworkSettings, inputs: WordInputs, arrays: Arrays) -> None:
        check_shapes(arrays, parameters(settings, inputs.size))
        self.settings, self.inputs, self.arrays = settings, inputs, arrays
        self._encoder, self._heads = Encoder.of(settings, arrays), Heads(settings, arrays)
        self._kept = _Kept()

    @classmethod
    def quantized(cls, settings: NetworkSettings, inputs: WordInputs, weights: Mapping[str, Array]) -> Network:
        """Make a network of weights that have just been learned, rounded to one byte each."""
        return cls(settings, inputs, quantize(weights))

    def encode(self, forms: Sequence[str]) -> WordVectors:
        """Encode the words of a sentence."""
        kept, key = self._kept.sentences, tuple(forms)
        if key in kept:
            return kept[key]
        vectors = self._encoder.encode(self.inputs.rows(forms))
        kept[key] = found = WordVectors(len(forms), vectors, self._heads)
        if len(kept) > KEPT:
            kept.popitem(last=False)
        return found

    def __reduce__(self) -> tuple[type[Network], tuple[Any, ...]]:
        return type(self), (self.settings, self.inputs, dict(self.arrays))  # so that workers can have it

    def describe(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Describe the network as a manifest and arrays."""
        words, arrays = self.inputs.describe()
        return {"settings": asdict(self.settings), "words": words}, {**arrays, **self.arrays}

    @classmethod
    def restore(cls, manifest: Mapping[str, Any], arrays: Arrays) -> Network:
        """Build a network from its description."""
        weights = {name: array for name, array in arrays.items() if name != "vocabulary"}
        inputs = WordInputs.restore(manifest["words"], arrays)
        return cls(NetworkSettings(**manifest["settings"]), inputs, weights)


class _Kept(local):
    """What a thread has encoded last."""

    def __init__(self) -> None:
        self.sentences: OrderedDict[tuple[str, ...], WordVectors] = OrderedDict()
