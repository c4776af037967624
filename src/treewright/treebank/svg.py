"""What all pictures in SVG share: safe text, one style for light and dark, and several pictures in one document.

Pictures have no ids, no scripts and no links, and every rule of their style is for what is inside them, so that any
number of them can stand in one web page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from treewright.treebank.terminal import make_printable

__all__ = ["document", "escape_text", "stack", "text_at"]

_STYLE = """\
.treewright{background:#fff;color:#222;color-scheme:light dark}
.treewright text{font:13px ui-monospace,Menlo,Consolas,monospace;text-anchor:middle;fill:currentColor}
.treewright .word{font-style:italic}
.treewright .form{font-size:15px}
.treewright .tag,.treewright .caption{font-size:11px;opacity:.65}
.treewright .label{font-size:11px}
.treewright .start{text-anchor:start}
.treewright line,.treewright .arc path{stroke:#777;fill:none}
.treewright .arc .head{fill:#777;stroke:none}
.treewright .weak path{stroke-dasharray:4 3}
.treewright .weak .head{stroke-dasharray:none}
.treewright .weak .label{fill:#b3460b}
.treewright g:hover>path{stroke:currentColor}
@media (prefers-color-scheme:dark){
.treewright{background:#181a1b;color:#e6e6e6}
.treewright line,.treewright .arc path{stroke:#999}
.treewright .arc .head{fill:#999}
.treewright .weak .label{fill:#ffa366}
}"""

#: How each picture begins; no text in it can look like this, because that is escaped.
_BEGIN = re.compile(r'<svg xmlns="http://www.w3.org/2000/svg" class="treewright" width="(\d+)" height="(\d+)"')


def escape_text(text: str) -> str:
    r"""Make text safe between tags and in attributes; what XML documents do not take is replaced.

    Examples
    --------
    >>> escape_text("<b>\x1b")
    '&lt;b&gt;\ufffd'
    """
    return escape(make_printable(text).replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd"))


def text_at(x: float, y: float, text: str, kind: str = "") -> str:
    """Write text, escaped, around a point of its baseline."""
    name = f' class="{kind}"' if kind else ""
    return f'<text{name} x="{x:g}" y="{y:g}">{escape_text(text)}</text>'


def document(shapes: Sequence[str], width: float, height: float, *, top: float = 0, title: str = "") -> str:
    """Put shapes into an SVG document whose upper edge is at ``top``; screen readers read the title."""
    w, h = round(width), round(height)
    begin = f'<svg xmlns="http://www.w3.org/2000/svg" class="treewright" width="{w}" height="{h}"'
    about = [f"<title>{escape_text(title)}</title>"] if title else []
    role = ' role="img"' if title else ""
    head = f'{begin} viewBox="0 {top:g} {w} {h}"{role}><style>{_STYLE}</style>'
    return "\n".join([head, *about, *shapes, "</svg>"]) + "\n"


def stack(texts: Iterable[str]) -> Iterator[str]:
    """Yield one document of all pictures in some texts, one below the other; a single one stays as it is."""
    pictures = "".join(texts)
    sizes = [(int(width), int(height)) for width, height in _BEGIN.findall(pictures)]
    if len(sizes) == 1:
        yield pictures
        return
    yield document([_placed(pictures, sizes)], max(w for w, _ in sizes) if sizes else 0, sum(h for _, h in sizes))


def _placed(pictures: str, sizes: Sequence[tuple[int, int]]) -> str:
    """Put each picture below the one before it; the style of the whole is theirs too."""
    place, waiting = 0, iter(sizes)

    def begin(match: re.Match[str]) -> str:
        nonlocal place
        here = place
        place += next(waiting)[1]
        return f'<svg class="treewright" y="{here}" width="{match[1]}" height="{match[2]}"'

    return _BEGIN.sub(begin, pictures.replace(f"<style>{_STYLE}</style>", ""))
