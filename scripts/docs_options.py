"""Show the documentation that classes of options write of their fields (`treewright.options`)."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from typing import Any

import griffe


class OptionDocs(griffe.Extension):
    """Takes docstrings and defaults of options from the classes themselves instead of their text."""

    def on_class_members(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        """Replace the docstring of a class of options, and the defaults of its fields."""
        if not any(str(base) == "Options" for base in cls.bases):
            return
        made = getattr(importlib.import_module(cls.module.path), cls.name)
        if cls.docstring is not None:
            cls.docstring.value = inspect.getdoc(made) or ""
        for field in dataclasses.fields(made):
            is_required = field.default is dataclasses.MISSING
            cls.attributes[field.name].value = None if is_required else repr(field.default)
