"""Libraries that need not be installed, and what to say where one is missing."""

from __future__ import annotations

import importlib
from typing import Any

from treewright.errors import UsageError

__all__ = ["library"]


def library(module: str, name: str) -> Any:
    """Import a module of a library that has a name.

    Raises
    ------
    UsageError
        If the library is not installed.

    Examples
    --------
    >>> library("no_such_library", "NoSuch")
    Traceback (most recent call last):
    ...
    treewright.errors.UsageError: this needs NoSuch, which is not installed: pip install no_such_library
    """
    top = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name not in (top, module):  # something that the library itself needs
            raise
        raise UsageError(f"this needs {name}, which is not installed: pip install {top}") from None
