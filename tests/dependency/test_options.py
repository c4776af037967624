"""How to train a parser: what is chosen, and what is refused."""

import pytest

from treewright.dependency.options import TrainingOptions
from treewright.errors import UsageError


@pytest.mark.parametrize(
    ("choices", "factorization", "beam"),
    [
        ({}, "grand-sibling", 1e-4),
        ({"learner": "perceptron"}, "grand-sibling", 1e-4),
        ({"learner": "log-linear"}, "arc", 0),
        ({"learner": "max-margin"}, "arc", 0),
        ({"trees": "nonprojective"}, "arc", 0),
        ({"non_local": ("siblings",)}, "arc", 1e-4),
        ({"trees": "nonprojective", "factorization": "sibling"}, "sibling", 1e-4),
        ({"factorization": "arc"}, "arc", 0),
    ],
)
def test_the_factorization_is_the_one_that_is_recommended(choices, factorization, beam):
    options = TrainingOptions(**choices)
    assert (options.chosen_factorization, options.chosen_beam) == (factorization, beam)


@pytest.mark.parametrize("learner", ["mira", "perceptron", "max-margin"])
def test_an_optimizer_that_would_be_ignored_is_refused(learner):
    with pytest.raises(UsageError, match=f"{learner} has no optimizer .* --learner log-linear"):
        TrainingOptions(learner=learner, optimizer="sgd")
    assert TrainingOptions(learner="log-linear", optimizer="sgd").optimizer == "sgd"
