"""The models that come with the package, and how a model is named."""

from __future__ import annotations

import os
from pathlib import Path

from treewright.errors import UsageError

__all__ = ["SUFFIX", "embedded_models", "find_model"]

#: What the names of model files end in.
SUFFIX = ".tw"

_FOLDER = Path(__file__).parent


def embedded_models() -> dict[str, Path]:
    """List the models that come with the package: name → file.

    Examples
    --------
    >>> "en" in embedded_models()
    True
    """
    return {path.stem: path for path in sorted(_FOLDER.glob(f"*{SUFFIX}"))}


def find_model(name: str | os.PathLike[str]) -> Path:
    """Find a model by the name of an embedded one or by its path.

    Raises
    ------
    UsageError
        If there is neither.
    """
    embedded = embedded_models()
    if isinstance(name, str) and name in embedded:
        return embedded[name]
    path = Path(name)
    if path.is_file():
        return path
    known = ", ".join(embedded) or "none"
    raise UsageError(f"there is no model {os.fspath(name)!r}: no such file, and the embedded models are: {known}")
