"""Draw a constituent tree in SVG: the top above, the words below, lines between.

Every node gets a strip as wide as its label, or as the strips of its children side by side, whichever is wider; the
node is centred between its first and its last child.  Widths are those of a fixed-width font.
"""

from __future__ import annotations

from treewright.treebank.constituents.tree import ConstituentTree
from treewright.treebank.svg import document, text_at
from treewright.treebank.terminal import display_width

__all__ = ["tree_to_svg"]

_CELL = 8  # pixels of a character
_GAP = 12
_LEVEL = 40
_MARGIN = 20


def tree_to_svg(tree: ConstituentTree, *, caption: str = "") -> str:
    """Draw a tree as an SVG document, for a file or a web page, with a caption above it if there is one.

    Examples
    --------
    >>> picture = tree_to_svg(ConstituentTree.from_string("(NP (DT a) (NN tree))"))
    >>> picture.startswith("<svg xmlns="), picture.count("<text"), picture.count("<line")
    (True, 5, 4)
    """
    depths = tree.depths
    centres, width = _centres(tree)
    height, top = _LEVEL * (max(depths) + 1) + 2 * _MARGIN, -_MARGIN
    shapes = []
    if caption:
        height, top = height + _MARGIN, top - _MARGIN
        width = max(width, _CELL * display_width(caption))
        shapes.append(text_at(_MARGIN / 2, 14 + top, caption, "caption start"))
    for node, parent in enumerate(tree.parents.tolist()):
        if parent >= 0:
            shapes.append(
                _line(centres[parent], _LEVEL * depths[parent] + 6, centres[node], _LEVEL * depths[node] - 12)
            )
        shapes.append(text_at(centres[node], _LEVEL * depths[node], tree.labels[node]))
    for leaf, word in zip(tree.leaves.tolist(), tree.words, strict=True):
        y = _LEVEL * (depths[leaf] + 1)
        shapes.append(_line(centres[leaf], y - _LEVEL + 6, centres[leaf], y - 12))
        shapes.append(text_at(centres[leaf], y, word, "word"))
    return document(shapes, width + _MARGIN, height, top=top, title=" ".join(tree.words))


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"/>'


def _centres(tree: ConstituentTree) -> tuple[list[float], float]:
    """Find the middle of each node, and the width of the picture."""
    strips = [float(_CELL * display_width(label) + _GAP) for label in tree.labels]
    for leaf, word in zip(tree.leaves.tolist(), tree.words, strict=True):
        strips[leaf] = max(strips[leaf], _CELL * display_width(word) + _GAP)
    children = tree.children()
    below = [0.0] * len(strips)  # the width of the children of a node together
    for node in range(len(strips) - 1, -1, -1):
        below[node] = sum(strips[child] for child in children[node])
        strips[node] = max(strips[node], below[node])
    starts = [_MARGIN / 2] * len(strips)
    for node, own in enumerate(children):
        place = starts[node] + (strips[node] - below[node]) / 2
        for child in own:
            starts[child] = place
            place += strips[child]
    centres = [start + strip / 2 for start, strip in zip(starts, strips, strict=True)]
    for node in range(len(strips) - 1, -1, -1):
        if children[node]:
            centres[node] = (centres[children[node][0]] + centres[children[node][-1]]) / 2
    return centres, strips[0]
