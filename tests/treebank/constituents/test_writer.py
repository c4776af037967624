"""Bracketed trees are written so that they can be read back, or not at all."""

import io

import pytest

from treewright.errors import UsageError
from treewright.treebank import ConstituentTree, format_tree, write_trees


@pytest.mark.parametrize(
    ("label", "word"), [("N(", "a"), ("N P", "a"), ("N", "a("), ("N", "a\n"), ("N", " a"), ("N", "a\ta")]
)
def test_what_cannot_be_read_back_is_not_written(label, word):
    with pytest.raises(UsageError, match=r"has a"):
        format_tree(ConstituentTree([label], [-1], [word]))


def test_what_is_not_unicode_is_refused():
    trees = [ConstituentTree(["N"], [-1], [word]) for word in ("a", "\ud800")]
    with pytest.raises(UsageError, match="tree 2 is not Unicode"):
        write_trees(trees, io.BytesIO())
