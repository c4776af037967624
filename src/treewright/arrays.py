"""Array types, each named once.

Words are int32, indices into charts int64, scores and probabilities float64.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "Arrays", "Bytes", "Floats", "Hashes", "Heads", "Ints", "Mask", "Places", "Real", "Singles"]

#: Scores, weights of derivations, probabilities.
Floats: TypeAlias = npt.NDArray[np.float64]
#: Single-precision numbers, such as weights during training.
Singles: TypeAlias = npt.NDArray[np.float32]
#: Scores as a caller may pass them.
Real: TypeAlias = Floats | Singles
#: Indices of arcs, parts and items.
Ints: TypeAlias = npt.NDArray[np.int64]
#: The head of each word, or any other number per word.
Heads: TypeAlias = npt.NDArray[np.int32]
#: Indices into a table of weights, and numbers of features.
Places: TypeAlias = npt.NDArray[np.int32]
#: Which elements are present, or allowed.
Mask: TypeAlias = npt.NDArray[np.bool_]
#: Hashes of attributes of tokens.
Hashes: TypeAlias = npt.NDArray[np.uint32]
#: Weights in a model file.
Bytes: TypeAlias = npt.NDArray[np.int8]
#: An array of any type.
Array: TypeAlias = npt.NDArray[Any]
#: The arrays of a model file, by name.
Arrays: TypeAlias = Mapping[str, Array]
