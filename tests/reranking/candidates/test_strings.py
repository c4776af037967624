"""Many strings in two arrays."""

import numpy as np
import pytest

from treewright.errors import UsageError
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


def test_strings_of_a_damaged_archive_are_refused():
    strings = Strings(np.array([0, 1, 3]), np.array([97, 255, 97], np.uint8))
    assert strings[0] == "a"
    with pytest.raises(UsageError, match=r"string 1 is not UTF-8: the archive is damaged"):
        strings[1]
    for offsets, data in (([0.0, 1.0], np.zeros(1, np.uint8)), ([0, 1], np.zeros(1))):
        with pytest.raises(ValueError, match="whole numbers, and their data bytes"):
            Strings(np.array(offsets), data)
