"""How to train a parser: what is chosen, and what is refused."""

import pytest

from treewright.dependency.options import TrainingOptions
from treewright.errors import UsageError


@pytest.mark.parametrize(
    ("choices", "factorization", "loss"),
    [
        ({}, "grand-sibling", 0.01),
        ({"learner": "perceptron"}, "grand-sibling", 0.01),
        ({"learner": "log-linear"}, "arc", None),
        ({"learner": "max-margin"}, "arc", None),
        ({"trees": "nonprojective"}, "arc", None),
        ({"non_local": ("siblings",)}, "arc", 0.01),
        ({"trees": "nonprojective", "factorization": "sibling"}, "sibling", 0.01),
        ({"factorization": "arc"}, "arc", None),
        ({"factorization": "arc", "oracle_loss": 2}, "arc", 0.02),
        ({"oracle_loss": 0}, "grand-sibling", 0.0),
        ({"beam": 0.1}, "grand-sibling", None),
        ({"beam": 0}, "grand-sibling", None),
        ({"factorization": "arc", "max_heads": 3}, "arc", 0.01),
    ],
)
def test_the_factorization_is_the_one_that_is_recommended(choices, factorization, loss):
    options = TrainingOptions(**choices)
    assert (options.chosen_factorization, options.chosen_oracle_loss) == (factorization, loss)
    assert options.stages == ("arc",)
    assert options.chosen_beam == choices.get("beam", 0)


@pytest.mark.parametrize("learner", ["mira", "perceptron", "max-margin"])
def test_an_optimizer_that_would_be_ignored_is_refused(learner):
    with pytest.raises(UsageError, match=f"{learner} has no optimizer .* --learner log-linear"):
        TrainingOptions(learner=learner, optimizer="sgd")
    assert TrainingOptions(learner="log-linear", optimizer="sgd").optimizer == "sgd"
