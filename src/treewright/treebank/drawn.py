"""What notebooks ask of a tree: a picture of it."""

from __future__ import annotations

from treewright.errors import UsageError
from treewright.lazy import lazily
from treewright.treebank.html import scrolled

__all__ = ["Drawn"]

#: The drawing knows the trees, and not the other way round: it is imported when a notebook asks for a picture.
_find = lazily("treewright.treebank", {"draw": "pictures"})


class Drawn:
    """A tree that notebooks show as a picture; one that cannot be drawn is shown as text."""

    __slots__ = ()

    def _repr_svg_(self) -> str | None:
        try:
            return str(_find("draw")(self))
        except UsageError:  # the heads do not form a tree
            return None

    def _repr_html_(self) -> str | None:
        picture = self._repr_svg_()
        return None if picture is None else scrolled(picture, "svg")
