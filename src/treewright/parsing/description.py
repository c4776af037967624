"""What a trained parser notes about itself in its file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from typing import TYPE_CHECKING, Any

from treewright.version import __version__

if TYPE_CHECKING:
    from treewright.learning import Result

__all__ = ["describe_training"]


def describe_training(
    info: Mapping[str, Any] | None,
    options: Mapping[str, Any],
    examples: Sequence[Sized],
    result: Result | None = None,
    dev: Mapping[str, float] | None = None,
    *,
    silver: int = 0,
) -> dict[str, Any]:
    """Describe what a parser is and how it was trained; the number of threads does not matter.

    ``result`` and ``dev`` are those of parsers that are trained in epochs.  The last examples, ``silver`` of them, have
    trees that another model found.
    """
    described = {
        **(info or {}),
        "treewright": __version__,
        "options": {**options, "threads": None},
        "trained on": {"sentences": len(examples), "words": sum(map(len, examples))},
    }
    if silver:
        described["trained on"]["of these silver"] = silver
    if result is not None:
        described["epoch"] = result.best.number if result.best is not None else 0
        described |= {"interrupted": True} if result.interrupted else {}
    if dev is not None:
        described["dev"] = dict(dev)
    return described
