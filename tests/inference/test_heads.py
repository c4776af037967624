"""The parts of a tree given by its heads, against the definitions."""

import pytest

from tests.inference.enumeration import all_trees
from tests.inference.parts import MODELS, PARTS, parts_of
from treewright.inference.heads import parts_of_tree


@pytest.mark.parametrize("factorization", MODELS)
@pytest.mark.parametrize("n", [1, 2, 4])
def test_the_parts_of_every_tree_are_those_of_the_definitions(factorization: str, n: int) -> None:
    named = f"{factorization}+last" if f"{factorization}+last" in PARTS else factorization
    for heads in all_trees(n, False, False):
        wanted = parts_of(heads, named)
        found = {name: sorted(map(tuple, rows.tolist())) for name, rows in parts_of_tree(heads, factorization).items()}
        assert {"arc": wanted["arc"], **found} == wanted
