"""Treewright: exact, feature-rich syntactic parsing.

>>> import treewright
>>> parser = treewright.load("en")
>>> for sentence in parser.parse("The dog chased a cat. She planted a tree."):
...     print(sentence.forms, sentence.heads.tolist(), sentence.deprels)
['The', 'dog', 'chased', 'a', 'cat', '.'] [2, 3, 0, 5, 3, 3] ['det', 'nsubj', 'root', 'det', 'obj', 'punct']
['She', 'planted', 'a', 'tree', '.'] [2, 0, 4, 2, 2] ['nsubj', 'root', 'det', 'obj', 'punct']

Importing the package is quick: NumPy, Numba and the models are loaded when they are first used.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

from treewright.version import __version__ as __version__

if TYPE_CHECKING:
    from treewright.constituency.tag.options import ConstituentOptions
    from treewright.constituency.tag.parser import ConstituentParser
    from treewright.constituency.tag.training import train_constituents
    from treewright.dependency.options import TrainingOptions
    from treewright.dependency.parser import Parser
    from treewright.dependency.training import train_parser
    from treewright.errors import (
        CandidatesError,
        ClusterError,
        ExecutionError,
        ModelError,
        TreebankError,
        TreewrightError,
        UsageError,
    )
    from treewright.treebank import Sentence, read, write


__all__ = [
    "CandidatesError",
    "ClusterError",
    "ConstituentOptions",
    "ConstituentParser",
    "ExecutionError",
    "ModelError",
    "Parser",
    "Sentence",
    "TrainingOptions",
    "TreebankError",
    "TreewrightError",
    "UsageError",
    "load",
    "load_constituents",
    "read",
    "train_constituents",
    "train_parser",
    "write",
]

_HOMES = {
    "CandidatesError": "errors",
    "ClusterError": "errors",
    "ConstituentOptions": "constituency.tag.options",
    "ConstituentParser": "constituency.tag.parser",
    "ExecutionError": "errors",
    "ModelError": "errors",
    "Parser": "dependency.parser",
    "Sentence": "treebank",
    "TrainingOptions": "dependency.options",
    "TreebankError": "errors",
    "TreewrightError": "errors",
    "UsageError": "errors",
    "read": "treebank",
    "train_constituents": "constituency.tag.training",
    "train_parser": "dependency.training",
    "write": "treebank",
}


def load(name: str | os.PathLike[str] = "en") -> Parser:
    """Load a model: one that comes with the package, by name, or a file.

    Examples
    --------
    >>> load("en").info["language"]
    'en'
    """
    from treewright.dependency.parser import Parser
    from treewright.model.embedded import find_model

    return Parser.open(find_model(name))


def load_constituents(name: str | os.PathLike[str] = "en-craft") -> ConstituentParser:
    """Load a model of constituents: one that comes with the package, by name, or a file.

    Examples
    --------
    >>> load_constituents().info["treebank"]
    'CRAFT'
    """
    from treewright.constituency.tag.parser import ConstituentParser
    from treewright.model.embedded import find_model

    return ConstituentParser.open(find_model(name))


def __getattr__(name: str) -> Any:
    """Import public names when they are first used."""
    if name in _HOMES:
        return getattr(importlib.import_module(f"treewright.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'treewright' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
