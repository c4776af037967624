"""Many strings in two arrays."""

import numpy as np
import pytest

from treewright.reranking import Strings


def test_strings_hold_any_text():
    texts = ["", "tree", "дерево", "木 🌲", "\ud800"]
    strings = Strings.of(texts)
    assert list(strings) == texts
    assert strings == texts
    assert strings != texts[1:]
    assert strings[-2] == texts[-2]
    assert strings[1:4:2] == ["tree", "木 🌲"]
    with pytest.raises(IndexError):
        strings[5]
    with pytest.raises(ValueError, match="must not decrease"):
        Strings(np.array([0, 2, 1, 3]), np.zeros(3, np.uint8))
