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

import logging
import os
from typing import TYPE_CHECKING, Any, Literal, overload

from treewright.errors import (
    CandidatesError,
    ClusterError,
    ContradictionError,
    ExecutionError,
    IntractableError,
    ModelError,
    TreebankError,
    TreewrightError,
    UsageError,
)
from treewright.lazy import lazily
from treewright.version import __version__ as __version__

if TYPE_CHECKING:
    from treewright.constituency.pcfg import Pcfg
    from treewright.constituency.tag.options import ConstituentOptions
    from treewright.constituency.tag.parser import ConstituentParser
    from treewright.constituency.tag.training import train_constituents
    from treewright.dependency.options import TrainingOptions
    from treewright.dependency.parser import Parser
    from treewright.dependency.training import train_parser
    from treewright.inference import Constraints
    from treewright.integrations.pandas import to_frame
    from treewright.parsing import Ranked, TreeParser
    from treewright.reranking import Reranker
    from treewright.reranking.parser import RerankedParser
    from treewright.treebank import ConstituentTree, Sentence, draw, read, write


__all__ = [
    "CandidatesError",
    "ClusterError",
    "ConstituentOptions",
    "ConstituentParser",
    "Constraints",
    "ContradictionError",
    "ExecutionError",
    "IntractableError",
    "ModelError",
    "Parser",
    "Pcfg",
    "Ranked",
    "RerankedParser",
    "Sentence",
    "TrainingOptions",
    "TreeParser",
    "TreebankError",
    "TreewrightError",
    "UsageError",
    "draw",
    "load",
    "read",
    "to_frame",
    "train_constituents",
    "train_parser",
    "write",
]

logging.getLogger(__name__).addHandler(logging.NullHandler())  # silent unless the program that uses it logs

#: Where each name is that is imported when it is first used.
_HOMES = {
    "ConstituentOptions": "constituency.tag.options",
    "ConstituentParser": "constituency.tag.parser",
    "Constraints": "inference",
    "Parser": "dependency.parser",
    "Pcfg": "constituency.pcfg",
    "Ranked": "parsing",
    "RerankedParser": "reranking.parser",
    "Sentence": "treebank",
    "TrainingOptions": "dependency.options",
    "TreeParser": "parsing",
    "draw": "treebank",
    "read": "treebank",
    "to_frame": "integrations.pandas",
    "train_constituents": "constituency.tag.training",
    "train_parser": "dependency.training",
    "write": "treebank",
}


@overload
def load(name: Literal["en", "en-linear"] = "en") -> Parser: ...
@overload
def load(name: Literal["en-constituents"]) -> ConstituentParser: ...
@overload
def load(name: str | os.PathLike[str]) -> TreeParser[Sentence] | TreeParser[ConstituentTree] | Reranker: ...
def load(name: str | os.PathLike[str] = "en") -> Any:
    """Load a model of any kind by its name, or from a file.

    The models that come with this package have names, and so have those of other installed packages that offer some;
    ``treewright models`` lists them.

    Returns
    -------
    TreeParser or Reranker
        Whatever the file holds.  ``Parser.open(name)`` loads a dependency parser or nothing; likewise for other
        classes.

    Examples
    --------
    >>> load("en").info["language"]
    'en'
    >>> load("en-constituents").info["treebank"]
    'GUM (open genres) and CRAFT'
    """
    from treewright.model import Model

    return Model.open(name)


__getattr__ = lazily(__name__, _HOMES)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
