"""The parts of a tree given by its heads, against the definitions."""

import itertools

import numpy as np
import pytest

from tests.inference.enumeration import all_trees
from tests.inference.parts import MODELS, PARTS, parts_of
from treewright.inference.heads import are_heads_of_tree, parts_of_tree


@pytest.mark.parametrize("factorization", MODELS)
@pytest.mark.parametrize("n", [1, 2, 4])
def test_the_parts_of_every_tree_are_those_of_the_definitions(factorization: str, n: int) -> None:
    named = f"{factorization}+last" if f"{factorization}+last" in PARTS else factorization
    for heads in all_trees(n, False, False):
        wanted = parts_of(heads, named)
        found = {name: sorted(map(tuple, rows.tolist())) for name, rows in parts_of_tree(heads, factorization).items()}
        assert {"arc": wanted["arc"], **found} == wanted


@pytest.mark.parametrize("projective", [True, False])
@pytest.mark.parametrize("single_root", [True, False])
def test_heads_of_trees_are_told_from_all_others(projective: bool, single_root: bool) -> None:
    """All ways to choose heads, for up to four words."""
    for n in range(1, 5):
        trees = {tuple(tree.tolist()) for tree in all_trees(n, projective, single_root)}
        choices = itertools.product([-1], *[[h for h in range(n + 1) if h != m] for m in range(1, n + 1)])
        kind = projective, single_root
        found = {heads for heads in choices if are_heads_of_tree(np.array(heads, np.int32), *kind)}
        assert found == trees
