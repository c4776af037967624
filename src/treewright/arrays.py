"""Types of arrays, each named once.

Words are counted in int32, places in tables and charts in int64, scores and probabilities in float64.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "Arrays", "Bytes", "Floats", "Hashes", "Heads", "Ints", "Mask", "Places", "Real", "Singles"]

#: Scores, weights of derivations, probabilities.
Floats: TypeAlias = npt.NDArray[np.float64]
#: Numbers of single precision, such as weights in training.
Singles: TypeAlias = npt.NDArray[np.float32]
#: Scores as a caller may give them.
Real: TypeAlias = Floats | Singles
#: Numbers of arcs, parts and items.
Ints: TypeAlias = npt.NDArray[np.int64]
#: The head of each word, and whatever else is a number for each word.
Heads: TypeAlias = npt.NDArray[np.int32]
#: Places in a table of weights, and numbers of features.
Places: TypeAlias = npt.NDArray[np.int32]
#: What is there, or allowed.
Mask: TypeAlias = npt.NDArray[np.bool_]
#: Hashes of attributes of tokens.
Hashes: TypeAlias = npt.NDArray[np.uint32]
#: Weights in a model file.
Bytes: TypeAlias = npt.NDArray[np.int8]
#: An array of anything.
Array: TypeAlias = npt.NDArray[Any]
#: The arrays of a model file, by name.
Arrays: TypeAlias = Mapping[str, Array]
