"""Pictures of constituent trees."""

import re
import xml.etree.ElementTree as ET

import numpy as np
from hypothesis import given

from tests.treebank.constituents.strategies import trees
from treewright.treebank import ConstituentTree, draw_tree, tree_to_svg

BRACKETS = "(S (NP (DT The) (NN dog)) (VP (VBD saw) (NP (PRP us))) (. .))"


def decode(picture):
    """Read a picture as a person does: follow each line up to its fork; labels are letters, words digits."""
    rows = picture.split("\n")
    labels, parents, words, ends = [], [], [], {}
    for number, row in enumerate(rows):
        body, words = row.rstrip("0123456789").rstrip(), [*words, re.search(r"\d+$", row).group()]
        for match in re.finditer("[A-Z]+", body):
            before = body[: match.start()]
            if before.endswith(("├─", "└─")):
                column, above = match.start() - 2, number - 1
                while rows[above][column] in "│├":
                    above -= 1
                assert rows[above][column] == "┬"
                parent = ends[above, column - 1]
            elif before.endswith("─┬─"):
                parent = ends[number, match.start() - 3]
            elif before.endswith("─"):
                parent = ends[number, match.start() - 1]
            else:
                assert not before
                parent = -1
            ends[number, match.end()] = len(labels)
            labels.append(match.group())
            parents.append(parent)
    return ConstituentTree(labels, parents, words)


@given(trees())
def test_a_picture_tells_the_whole_tree(tree):
    names = tree.relabel("ABC"[node % 3] * (node % 4 + 1) for node in range(len(tree.labels)))
    names = names.respell(str(i) for i in range(len(tree)))
    assert decode(draw_tree(names)) == names


def test_pictures():
    tree = ConstituentTree.from_string(BRACKETS)
    assert draw_tree(tree, ascii_only=True).split("\n") == [
        "S-+-NP-+-DT       The",
        "  |    `-NN       dog",
        "  |-VP-+-VBD      saw",
        "  |    `-NP-PRP   us",
        "  `-.             .",
    ]
    assert draw_tree(ConstituentTree(["", "N"], [-1, 0], ["木\x1b"])) == "·─N   木\ufffd"
    wide = ConstituentTree.from_string("(木 (N a) (N b))")
    assert draw_tree(wide) == "木─┬─N   a\n   └─N   b"
    deep = ConstituentTree(["X"] * 20_000, np.arange(-1, 19_999), ["x"])
    assert len(draw_tree(deep)) == 2 * 20_000 - 1 + 4


@given(trees())
def test_svg_is_well_formed_and_labels_do_not_overlap(tree):
    root = ET.fromstring(tree_to_svg(tree))
    texts = root.findall("{*}text")
    assert len(texts) == len(tree.labels) + len(tree.words)
    assert len(root.findall("{*}line")) == len(tree.labels) - 1 + len(tree.words)
    width = float(root.get("width"))
    spans = {}
    for text in texts:
        half, x = 4 * len(text.text or ""), float(text.get("x"))
        assert 0 <= x <= width
        spans.setdefault((text.get("y"), text.get("class")), []).append((x - half, x + half))
    for (_, kind), row in spans.items():
        if kind == "word":
            assert all(left[1] <= right[0] for left, right in zip(sorted(row), sorted(row)[1:], strict=False))


def test_svg_escapes():
    picture = tree_to_svg(ConstituentTree(["A&B"], [-1], ["<x>\x00\uffff"]))
    assert "A&amp;B" in picture
    assert "&lt;x&gt;\ufffd\ufffd" in picture
    ET.fromstring(picture)
