"""Draw a constituent tree in SVG: the top above, the words below, lines between.

Every node gets a strip as wide as its label, or as the strips of its children side by side, whichever is wider; the
node is centred between its first and its last child.  Widths are those of a fixed-width font.
"""

from __future__ import annotations

from html import escape

from treewright.treebank.constituents.tree import ConstituentTree
from treewright.treebank.terminal import display_width, make_printable

__all__ = ["tree_to_svg"]

_CELL = 8  # pixels of a character
_GAP = 12
_LEVEL = 40
_MARGIN = 20
_STYLE = "text{font:13px ui-monospace,monospace;text-anchor:middle}.word{font-style:italic}line{stroke:#888}"


def tree_to_svg(tree: ConstituentTree) -> str:
    """Draw a tree as an SVG document, for a file or a web page.

    Examples
    --------
    >>> picture = tree_to_svg(ConstituentTree.from_string("(NP (DT a) (NN tree))"))
    >>> picture.startswith("<svg xmlns="), picture.count("<text"), picture.count("<line")
    (True, 5, 4)
    """
    labels, words = list(map(_printable, tree.labels)), list(map(_printable, tree.words))
    depths = tree.depths
    centres, width = _centres(tree, labels, words)
    height = _LEVEL * (max(depths) + 1)
    shapes = []
    for node, parent in enumerate(tree.parents.tolist()):
        if parent >= 0:
            shapes.append(
                _line(centres[parent], _LEVEL * depths[parent] + 6, centres[node], _LEVEL * depths[node] - 12)
            )
        shapes.append(
            f'<text x="{centres[node]:g}" y="{_LEVEL * depths[node]}">{escape(labels[node], quote=False)}</text>'
        )
    for leaf, word in zip(tree.leaves.tolist(), words, strict=True):
        y = _LEVEL * (depths[leaf] + 1)
        shapes.append(_line(centres[leaf], y - _LEVEL + 6, centres[leaf], y - 12))
        shapes.append(f'<text class="word" x="{centres[leaf]:g}" y="{y}">{escape(word, quote=False)}</text>')
    box = f"0 {-_MARGIN} {width + _MARGIN:g} {height + 2 * _MARGIN}"
    size = f'width="{width + _MARGIN:g}" height="{height + 2 * _MARGIN}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" {size}><style>{_STYLE}</style>'
    return "\n".join([head, *shapes, "</svg>"]) + "\n"


def _printable(text: str) -> str:
    """Replace what terminals and XML documents do not take."""
    return make_printable(text).replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"/>'


def _centres(tree: ConstituentTree, labels: list[str], words: list[str]) -> tuple[list[float], float]:
    """Find the middle of each node, and the width of the picture."""
    strips = [float(_CELL * display_width(label) + _GAP) for label in labels]
    for leaf, word in zip(tree.leaves.tolist(), words, strict=True):
        strips[leaf] = max(strips[leaf], _CELL * display_width(word) + _GAP)
    children = tree.children()
    below = [0.0] * len(labels)  # the width of the children of a node together
    for node in range(len(labels) - 1, -1, -1):
        below[node] = sum(strips[child] for child in children[node])
        strips[node] = max(strips[node], below[node])
    starts = [_MARGIN / 2] * len(labels)
    for node, own in enumerate(children):
        place = starts[node] + (strips[node] - below[node]) / 2
        for child in own:
            starts[child] = place
            place += strips[child]
    centres = [start + strip / 2 for start, strip in zip(starts, strips, strict=True)]
    for node in range(len(labels) - 1, -1, -1):
        if children[node]:
            centres[node] = (centres[children[node][0]] + centres[children[node][-1]]) / 2
    return centres, strips[0]
