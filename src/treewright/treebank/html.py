"""A page of pictures: whole, without scripts, and without anything from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

__all__ = ["page", "scrolled"]

_BEGIN = """\
<!DOCTYPE html>
<html lang="und">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Trees</title>
<style>
body{margin:1.5rem;background:#fff;color:#222}
main>svg{display:block;margin:0 0 1.5rem}
main{overflow-x:auto}
@media (prefers-color-scheme:dark){body{background:#181a1b;color:#e6e6e6}}
</style>
</head>
<body>
<main>
"""
_END = "</main>\n</body>\n</html>\n"


def page(pictures: Iterable[str]) -> Iterator[str]:
    r"""Yield the text of a page of pictures in SVG, one below the other.

    Examples
    --------
    >>> text = "".join(page(["<svg></svg>"]))
    >>> text.startswith("<!DOCTYPE html>"), text.endswith("</html>\n"), "<script" in text
    (True, True, False)
    """
    yield _BEGIN
    yield from pictures
    yield _END


def scrolled(text: str, format: str) -> str | None:
    """Return what a notebook shows of a picture: a box that scrolls if the picture is wider; None if it is a source."""
    if format == "svg":
        return f'<div style="overflow-x:auto">{text}</div>'
    if format == "text":
        return f"<pre>{escape(text)}</pre>"
    return text.removeprefix(_BEGIN).removesuffix(_END) if format == "html" else None
