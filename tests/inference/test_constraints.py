"""What constraints say, and names and numbers of labels."""

import pytest

from treewright.errors import UsageError
from treewright.inference import Constraints


def test_names_become_numbers():
    named = Constraints(labels=[(None, 1, "obj")], forbidden_labels=[(2, 3, "nsubj")], at_most_one=["nsubj", "obj"])
    numbered = named.numbered(["nsubj", "obj"])
    assert numbered.labels == ((None, 1, 1),)
    assert numbered.forbidden_labels == ((2, 3, 0),)
    assert numbered.at_most_one == (0, 1)
    with pytest.raises(UsageError, match="no label 'obj'; there are nsubj, det"):
        named.numbered(["nsubj", "det"])


def test_constraints_add_up():
    both = Constraints(required=[(0, 1)], at_most_one=["obj"]) | Constraints(required=[(0, 1), (1, 2)])
    assert both == Constraints(required=[(0, 1), (1, 2)], at_most_one=["obj"])
    assert Constraints.together(both.each()) == both
    assert len(both.each()) == 3
    assert not Constraints()


def test_a_string_is_no_list_of_labels():
    with pytest.raises(UsageError, match="must be a list"):
        Constraints(at_most_one="nsubj")


def test_constraints_from_plain_data():
    described = {"required": [[0, 1]], "labels": [[None, 2, "obj"]], "at_most_one": ["nsubj"], "projective": [3]}
    wanted = Constraints(required=[(0, 1)], labels=[(None, 2, "obj")], at_most_one=["nsubj"], projective=[3])
    assert Constraints.from_dict(described) == wanted
    assert Constraints.from_dict({}) == Constraints()


@pytest.mark.parametrize(
    "described",
    [
        [],
        None,
        {"needed": [[0, 1]]},
        {"required": [0, 1]},
        {"required": [[0, 1, 2]]},
        {"required": [[0, "1"]]},
        {"required": [[0, True]]},
        {"required": "01"},
        {"spans": [[1, 2.5]]},
        {"labels": [[1, None, "obj"]]},
        {"at_most_one": [["nsubj"]]},
        {"projective": [None]},
    ],
)
def test_what_are_no_constraints_is_refused(described):
    with pytest.raises(UsageError, match="constraint"):
        Constraints.from_dict(described)
