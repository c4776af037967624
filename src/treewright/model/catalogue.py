"""All models that have a name: those that come with the package, and those of other installed packages.

A distribution offers models by an entry point of the group ``treewright.models``: its value is a package, and every
file ``*.tw`` in the folder of that package is a model, named like the file.  Nothing of the package is imported.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from treewright.errors import UsageError
from treewright.model.embedded import SUFFIX, embedded_models

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["FROM_RAW_TEXT", "FROM_TOKENS", "GROUP", "Catalogue", "NamedModel", "find_model", "read_catalogue"]

#: What the notes of a model call its scores on the dev set: from gold tokens, and from the text.
FROM_TOKENS, FROM_RAW_TEXT = "dev", "dev from raw text"

#: The group of entry points by which other packages offer models.
GROUP: Final = "treewright.models"

_NAME = re.compile(r"\w[\w.-]*")


class NamedModel(NamedTuple):
    """A model that can be loaded by its name."""

    path: Path
    source: str = ""  # the distribution that it comes with, and its version; nothing for this one


class Catalogue(NamedTuple):
    """The models that have a name, and what is wrong with some packages."""

    models: dict[str, NamedModel]
    faults: list[str]


def read_catalogue() -> Catalogue:
    """List all models that have a name.

    The embedded models come first, and keep their names against all others; of two other packages, the one whose name
    comes first in the alphabet does.  A package that is broken is a fault, and hides no other.

    Examples
    --------
    >>> read_catalogue().models["en"].path.name
    'en.tw'
    """
    models = {name: NamedModel(path) for name, path in embedded_models().items()}
    faults: list[str] = []
    for source, entry in _entry_points(faults):
        try:
            offered = _models_of(entry)
        except Exception as error:  # whatever another package does when it is looked for
            faults.append(f"{source}: its models ({entry.value}) cannot be listed: {error}; install it again")
            continue
        for path in offered:
            if path.stem in models:
                owner = models[path.stem].source or "Treewright"
                faults.append(f"{source}: {path.stem!r} is the name of a model of {owner}; this one is at {path}")
            elif _NAME.fullmatch(path.stem):
                models[path.stem] = NamedModel(path, source)
            else:
                faults.append(f"{source}: {path.stem!r} cannot be the name of a model; load it as {path}")
    return Catalogue(models, faults)


def find_model(name: str | os.PathLike[str]) -> Path:
    """Find a model by its name, or by its path.

    An embedded model goes before all others, and what has a name before a file of that name without a suffix.

    Raises
    ------
    UsageError
        If there is neither.
    """
    embedded = embedded_models()
    if isinstance(name, str) and name in embedded:
        return embedded[name]
    path, faults, known = Path(name), list[str](), [*embedded]
    if isinstance(name, str) and _NAME.fullmatch(name) and not name.endswith(SUFFIX):
        models, faults = read_catalogue()
        known = [*models]
        if name in models:
            return models[name].path
    if path.is_file():
        return path
    reasons = "".join(f"; {fault}" for fault in faults)
    raise UsageError(
        f"there is no model {os.fspath(name)!r}: no such file, and the names of models are: "
        f"{', '.join(known) or 'none'}{reasons}"
    )


def _entry_points(faults: list[str]) -> Iterator[tuple[str, EntryPoint]]:
    """List the entry points of the group, with the distributions that they come from, in alphabetical order."""
    from importlib.metadata import entry_points

    try:
        found = [(_source(entry), entry) for entry in entry_points(group=GROUP)]
    except Exception as error:  # metadata that cannot be read, of whichever distribution
        faults.append(f"the installed packages cannot be searched for models: {error}")
        return
    yield from sorted(found, key=lambda pair: (pair[0], pair[1].name))


def _source(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else entry.name


def _models_of(entry: EntryPoint) -> list[Path]:
    """List the model files in the folder of a package, without importing it."""
    from importlib.util import find_spec

    if entry.attr:
        raise ValueError(f"the entry point must name a package, not {entry.attr!r} in one")
    top, *inner = entry.module.split(".")
    spec = find_spec(top)  # of a package within a package it would import the latter
    roots = (spec.submodule_search_locations if spec is not None else None) or ()
    paths = [path for root in roots for path in Path(root, *inner).glob(f"*{SUFFIX}")]
    if not paths:
        raise ValueError(f"there is no file *{SUFFIX} in a package of that name")
    return sorted(paths, key=lambda path: path.stem)
