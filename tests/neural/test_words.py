from collections import Counter

import numpy as np
import pytest

from treewright.neural.words import MASK, ROOT, SPECIAL, UNKNOWN, WordInputs, attributes_of

COUNTS = Counter({"The": 3, "the": 5, "cat": 4, "Katze\n": 9, "naïve": 2, "1984": 1, "1990": 1, "once": 1})


def test_attributes_of_words():
    assert attributes_of("1984")[0] == "0000"
    assert attributes_of("NASDAQ")[-1] == "AA"
    assert attributes_of("a" * 90)[0] == "a" * 90
    assert attributes_of("a-b-c-d-e-f-g")[-1] == "a-a-a-a-a-"
    assert attributes_of("I") == ("i", "i", "i", "i", "i", "i", "A")


def test_frequent_values_come_first():
    inputs = WordInputs.of(COUNTS)
    assert inputs.values[0] == ["the", "cat", "0000", "naïve"]  # none with a line break, none seen once


def test_rows_of_a_sentence():
    inputs = WordInputs.of(COUNTS)
    rows = inputs.rows(["The", "1984", "zzz"])
    assert rows.shape == (4, 7)
    assert rows.dtype == np.int32
    assert (rows[0] == inputs.special(ROOT)).all()
    assert rows[1, 0] == SPECIAL
    assert rows[2, 0] == SPECIAL + 2
    assert rows[3, 0] == UNKNOWN
    assert rows[3, 1] == inputs.starts[1] + UNKNOWN
    assert inputs.forms == slice(0, SPECIAL + 4)
    assert inputs.special(MASK).max() < inputs.size
    assert (inputs.rows_of_words(["the", "cat"]) < inputs.starts[1:]).all()


def test_no_words_have_no_rows():
    assert WordInputs.of({}).rows([]).shape == (1, 7)


@pytest.mark.parametrize("counts", [COUNTS, {}])
def test_description(counts):
    inputs = WordInputs.of(counts)
    manifest, arrays = inputs.describe()
    again = WordInputs.restore(manifest, arrays)
    assert again.values == inputs.values
    assert (again.rows(["The", "odd"]) == inputs.rows(["The", "odd"])).all()


def test_a_description_that_does_not_fit_is_refused():
    manifest, arrays = WordInputs.of(COUNTS).describe()
    with pytest.raises(ValueError, match="values, not"):
        WordInputs.restore({"values": [1, *manifest["values"][1:]]}, arrays)
    with pytest.raises(ValueError, match="7 attributes"):
        WordInputs.restore({"values": [sum(manifest["values"])]}, arrays)
