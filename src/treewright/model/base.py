"""One way to be a model file: every model describes itself as plain data, and restores itself from it.

A description is a *manifest*, which JSON can hold, and named arrays.  A part of a model has a description too; its
manifest is an entry of the whole manifest, and its arrays are *nested* under a prefix.
"""

from __future__ import annotations

import importlib
import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np

from treewright.arrays import Array, Arrays
from treewright.errors import ModelError, UsageError
from treewright.model.catalogue import find_model
from treewright.model.container import load_model, save_model

__all__ = ["Described", "Manifest", "Model", "nest", "part", "trusting_nothing"]

LOG = logging.getLogger(__name__)

#: Plain data, as JSON has it.
Manifest: TypeAlias = Mapping[str, Any]
#: A model or a part of one as plain data.
Described: TypeAlias = tuple[dict[str, Any], dict[str, Array]]


class Kind(NamedTuple):
    """A kind of model: where its class is, in a package above this one; what to call it; how to use a file of it."""

    module: str
    name: str
    noun: str
    use: str

    def find(self) -> type[Model]:
        """Import the class."""
        found: type[Model] = getattr(importlib.import_module(f"treewright.{self.module}"), self.name)
        return found


_RERANKER = "a reranker", "treewright rerank apply {0}, or treewright parse --rerank {0}"

#: What a manifest calls a kind of model → the kind.
KINDS = {
    "dependency-parser": Kind("dependency.parser", "Parser", "a model of dependencies", "treewright parse --model {}"),
    "constituent-parser": Kind(
        "constituency.tag.parser",
        "ConstituentParser",
        "a model of constituents",
        "treewright constituents parse --model {}",
    ),
    "pcfg": Kind("constituency.pcfg.parser", "Pcfg", "a PCFG", "treewright constituents parse --model {}"),
    "network": Kind(
        "neural.trained", "TrainedNetwork", "a network or an encoder", "treewright train --scorer neural --encoder {}"
    ),
    "reranked-parser": Kind(
        "reranking.parser", "RerankedParser", "a reranked parser", "treewright.load({!r}), in Python"
    ),
    "reranker": Kind("reranking.linear", "LinearReranker", *_RERANKER),
    "hidden-variable-reranker": Kind("reranking.hidden.model", "HiddenReranker", *_RERANKER),
    "reranker-mixture": Kind("reranking.mixture", "MixedReranker", *_RERANKER),
}

#: What a damaged description may raise when a model is restored from it.
_DAMAGED = (
    AttributeError, IndexError, KeyError, NotImplementedError, OverflowError, TypeError, UsageError, ValueError
)  # fmt: skip


@contextmanager
def trusting_nothing(path: os.PathLike[str]) -> Iterator[None]:
    """Turn what a damaged description of a model raises into a `ModelError` that names the file."""
    try:
        yield
    except _DAMAGED as error:
        reason = f"{type(error).__name__}: {str(error)[:200]}"
        message = f"{os.fspath(path)}: the model is corrupted, or made by another version of Treewright ({reason})"
        raise ModelError(message) from error


class Model(ABC):
    """Something that is learned and lies in a file.

    Attributes
    ----------
    KIND : str
        What the manifest calls a model of this class.
    info : dict
        What the model is: name, language, treebank, licence, how it was trained, its scores on the dev set.
    """

    KIND: ClassVar[str]
    info: dict[str, Any]

    @abstractmethod
    def describe(self) -> Described:
        """Describe the model as a manifest, with its ``kind`` and its ``info``, and arrays."""

    @classmethod
    @abstractmethod
    def restore(cls, manifest: Manifest, arrays: Arrays) -> Self:
        """Build a model from its description.

        Raises
        ------
        AttributeError, IndexError, KeyError, NotImplementedError, OverflowError, TypeError, UsageError, ValueError
            If the description is not that of such a model.
        """

    @classmethod
    def restore_any(cls, manifest: Manifest, arrays: Arrays) -> Self:
        """Build the model of whichever class its manifest names, if that is this class or one derived from it."""
        return cls._class_of(manifest).restore(manifest, arrays)

    @classmethod
    def _class_of(cls, manifest: Manifest, name: str = "this") -> type[Self]:
        kind = KINDS.get(str(manifest.get("kind")))
        if kind is None:
            unknown = str(manifest.get("kind"))[:40]
            raise ValueError(f"{name} is a model of another kind ({unknown!r}), unknown to this version")
        found = kind.find()
        if not issubclass(found, cls):
            raise ValueError(f"{name} is {kind.noun}; use: {kind.use.format(name)}")
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file; nothing is written if that fails."""
        save_model(path, *self.describe(), small=True)

    @classmethod
    def open(cls, name: str | os.PathLike[str]) -> Self:
        """Open a model by its name, or a model file.

        ``Model.open`` opens a model of any kind, a derived class one of its own kinds.

        Raises
        ------
        ModelError
            If the file is damaged, or holds a model of another kind.
        UsageError
            If there is no such file or model.
        """
        path = find_model(name)
        manifest, arrays = load_model(path)
        try:
            found = cls._class_of(manifest, os.fspath(name))
        except ValueError as error:
            raise ModelError(str(error)) from None
        with trusting_nothing(path):
            LOG.info("opening %s, %s", path, KINDS[found.KIND].noun)
            _refuse_senseless(arrays)
            return found.restore(manifest, arrays)


def _refuse_senseless(arrays: Arrays) -> None:
    """Refuse numbers that no model learns: NaN and infinity, but not minus infinity, which rules something out."""
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not (array < np.inf).all():
            raise ValueError(f"its array {name!r} holds numbers that are not finite")


def nest(prefix: str, arrays: Arrays) -> dict[str, Array]:
    """Put the arrays of a part under a prefix; an array without a name is named by the prefix alone.

    Examples
    --------
    >>> import numpy as np
    >>> sorted(nest("tagger", {"upos": np.zeros(1), "": np.ones(1)}))
    ['tagger', 'tagger.upos']
    """
    return {f"{prefix}.{name}" if name else prefix: array for name, array in arrays.items()}


def part(prefix: str, arrays: Arrays) -> dict[str, Array]:
    """Take the arrays of a part from those of the whole: the reverse of `nest`."""
    inside = {name[len(prefix) + 1 :]: array for name, array in arrays.items() if name.startswith(f"{prefix}.")}
    return inside | ({"": arrays[prefix]} if prefix in arrays else {})
