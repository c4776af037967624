"""Projective trees, against the definition and against enumeration."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import given

from tests.paths import DATA
from tests.treebank.conllu.strategies import trees
from treewright import inference
from treewright.treebank import is_projective, projectivize, read

needs_inference = pytest.mark.skipif(not hasattr(inference, "Trees"), reason="the parser is not there yet")


def dominates(heads, ancestor, word):
    while word != ancestor and word:
        word = heads[word - 1]
    return word == ancestor


def is_tree(heads):
    try:
        is_projective(heads)
    except ValueError:
        return False
    return True


def is_projective_by_definition(heads):
    """Every head dominates every word strictly between it and its modifier."""
    return all(
        dominates(heads, head, between)
        for modifier, head in enumerate(heads, 1)
        for between in range(min(head, modifier) + 1, max(head, modifier))
    )


def crosses_nothing(heads):
    """No two arcs cross, those of the root included."""
    spans = [sorted((head, modifier)) for modifier, head in enumerate(heads, 1)]
    return not any(a < c < b < d for (a, b), (c, d) in itertools.permutations(spans, 2))


def all_projective_trees(n):
    candidates = itertools.product(range(n + 1), repeat=n)
    return [heads for heads in candidates if is_tree(heads) and is_projective_by_definition(heads)]


def kept(heads, other):
    return int(np.count_nonzero(np.asarray(heads) == np.asarray(other)))


@given(trees())
def test_is_projective_is_the_definition(heads):
    assert is_projective(heads) == is_projective_by_definition(heads) == crosses_nothing(heads)


@pytest.mark.parametrize(("n", "number"), [(1, 1), (2, 3), (3, 12), (4, 55)])
def test_the_number_of_projective_trees(n, number):
    assert len(all_projective_trees(n)) == number


@pytest.mark.parametrize(
    ("heads", "projective"),
    [
        ([], True),
        ([0], True),
        ([0, 0, 0], True),
        ([3, 0, 2], False),  # an arc over the root
        ([0, 1, 0, 2], False),
        ([2, 3, 0, 3, 7, 7, 2, 4, 3], False),
    ],
)
def test_trees_by_hand(heads, projective):
    assert is_projective(heads) is projective
    assert is_projective(np.array(heads, np.int64)) is projective


def test_a_very_deep_tree():
    assert is_projective(np.arange(10_000))


def test_treebanks_have_both():
    found = [is_projective(sentence.heads) for sentence in read(DATA / "alksnis.conllu")]
    assert (found.count(True), found.count(False)) == (17, 22)


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([2, 1], "cycle"),
        ([1], "cycle"),
        ([-1, 1], "between 0 and 2"),
        ([3, 0], "between 0 and 2"),
        ([0.0, 1.0], "integers"),
        ([[0, 1]], "vector"),
    ],
)
@pytest.mark.parametrize("function", [is_projective, projectivize])
def test_what_is_not_a_tree_is_refused(function, heads, message):
    with pytest.raises(ValueError, match=message):
        function(heads)


@given(trees())
def test_a_projective_tree_stays_as_it_is(heads):
    if is_projective(heads):
        found = projectivize(heads)
        assert found.tolist() == heads
        assert found.dtype == np.int32


def test_the_given_heads_are_not_shared():
    heads = np.array([2, 0, 2], np.int32)
    projectivize(heads)[0] = 3
    assert heads.tolist() == [2, 0, 2]


@needs_inference
@pytest.mark.parametrize("n", [3, 4, 5])
def test_the_most_arcs_are_kept(n):
    projective = np.array(all_projective_trees(n))
    single = projective[(projective == 0).sum(axis=1) == 1]
    candidates = [heads for heads in itertools.product(range(n + 1), repeat=n) if is_tree(heads)]
    for heads in random.Random(n).sample(candidates, min(len(candidates), 150)):
        found = projectivize(heads)
        allowed = single if heads.count(0) == 1 else projective
        assert kept(found, heads) == (allowed == np.array(heads)).sum(axis=1).max()
        assert tuple(found) in set(map(tuple, allowed.tolist()))


@needs_inference
@given(trees(min_size=10, max_size=40))
def test_larger_trees(heads):
    found = projectivize(heads)
    assert is_projective(found)
    assert crosses_nothing(found.tolist())
    assert found.dtype == np.int32
    if heads.count(0) == 1:
        assert found.tolist().count(0) == 1
    assert projectivize(heads).tolist() == found.tolist()


@needs_inference
def test_a_treebank_loses_few_arcs():
    arcs = lost = 0
    for sentence in read(DATA / "alksnis.conllu"):
        found = projectivize(sentence.heads)
        assert is_projective(found)
        arcs += len(sentence)
        lost += len(sentence) - kept(found, sentence.heads)
    assert 22 <= lost <= 0.06 * arcs
