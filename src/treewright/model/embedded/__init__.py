"""The models that come with the package."""

from __future__ import annotations

from pathlib import Path

__all__ = ["SUFFIX", "embedded_models"]

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
    return {path.stem: path for path in sorted(_FOLDER.glob(f"*{SUFFIX}"), key=lambda path: path.stem)}
