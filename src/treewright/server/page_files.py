"""The files of the page: those of a fixed table, which are part of the package."""

from __future__ import annotations

import functools
import zlib
from importlib.resources import files

__all__ = ["INDEX", "TYPES", "page_file"]

#: The page itself.
INDEX = "index.html"

#: How the names of files of the page end → what is in them.
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@functools.cache
def _table() -> dict[str, bytes]:
    """Read all files of the page, once: nothing that a request says is ever a path."""
    folder = files("treewright.server") / "page"
    return {one.name: one.read_bytes() for one in folder.iterdir() if one.name[one.name.rfind(".") :] in TYPES}


def page_file(name: str) -> tuple[bytes, str, str] | None:
    """Return what is in a file of the page, its type, and a tag that changes with it; None if there is none."""
    content = _table().get(name)
    if content is None:
        return None
    return content, TYPES[name[name.rfind(".") :]], f'"{zlib.crc32(content):08x}-{len(content)}"'
