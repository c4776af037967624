"""Training: every learner learns, and options are checked."""

import pytest

from tests.reranking.random_candidates import random_candidates
from treewright.errors import UsageError
from treewright.reranking import RerankingOptions, evaluate_choices, train_reranker

LEARNERS = {"boost": 300, "log-bound": 300, "log-selection": 30, "log-linear": 50, "perceptron": 5}


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_beats_the_base_model_on_new_data(learner):
    train, dev = random_candidates(1, sentences=400), random_candidates(2, sentences=200)
    done = []
    model = train_reranker(train, RerankingOptions(learner, rounds=LEARNERS[learner]), dev, done.append)
    outcome = evaluate_choices(dev, model.best(dev))
    assert outcome.recovered > 0.6
    assert outcome.against_base.sign_p < 1e-6
    assert model.info["dev"]["chosen"] == outcome.chosen
    assert model.info["options"]["rounds"] == LEARNERS[learner]
    assert done
    assert train_reranker(train, RerankingOptions(learner, rounds=LEARNERS[learner]), dev).weights.tolist() == (
        model.weights.tolist()
    )


def test_unknown_learners_are_refused():
    with pytest.raises(UsageError, match="learner must be boost, log-bound"):
        RerankingOptions("magic")


@pytest.mark.parametrize("alpha", [float("nan"), float("inf")])
def test_a_weight_of_the_base_model_that_is_no_number_is_refused(alpha):
    with pytest.raises(UsageError, match="must be finite"):
        RerankingOptions("perceptron", alpha=alpha)


def test_the_weight_of_the_base_model_is_given_or_found():
    with pytest.raises(UsageError, match="either given or found"):
        RerankingOptions("log-bound", alpha=0.5, fit_alpha=True)


def test_rounds_have_defaults():
    assert [RerankingOptions(learner).number for learner in ("boost", "perceptron")] == [100_000, 10]


@pytest.mark.parametrize("learner", ["log-bound", "log-selection", "log-linear"])
def test_ties_and_the_weight_of_the_base_model_are_options(learner):
    candidates = random_candidates(1, tied=True)
    every, one, fitted = (
        train_reranker(candidates, RerankingOptions(learner, rounds=10, **options))
        for options in ({}, {"ties": "one"}, {"fit_alpha": True})
    )
    assert (every.info["options"]["ties"], one.info["options"]["ties"]) == ("all", "one")
    assert every.weights_for(candidates).tolist() != one.weights_for(candidates).tolist()
    assert (fitted.alpha != every.alpha) == (learner != "log-linear")  # which learns it with the others
