"""Mixtures: their loss, their optimum, and models that keep all that they are made of."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from tests.reranking.candidates.test_origin import some
from tests.reranking.random_candidates import random_candidates
from treewright.errors import ModelError, UsageError
from treewright.model.container import load_model, save_model
from treewright.reranking import (
    Candidates,
    LinearReranker,
    Origin,
    Reranker,
    RerankingOptions,
    mix_rerankers,
    train_reranker,
)
from treewright.reranking.mixture import _LogLoss, tune_mixture


def random_lists(seed, sentences=30, most=6):
    generator = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(generator.integers(1, most, sentences))])
    n = int(offsets[-1])
    nothing = np.zeros(n + 1, np.int64), np.zeros(0, np.int32)
    return Candidates(offsets, generator.normal(size=n), generator.random(n).round(1), *nothing), generator


def log_loss(weights, columns, candidates):
    """−log p of the best candidates, for a sentence on average, by definition."""
    totals, losses = np.asarray(weights) @ columns, []
    for first, last in itertools.pairwise(candidates.offsets.tolist()):
        own, gold = totals[first:last], candidates.gold[first:last]
        losses.append(np.logaddexp.reduce(own) - np.logaddexp.reduce(own[gold == gold.max()]))
    return np.mean(losses)


@pytest.mark.parametrize("seed", range(5))
def test_the_loss_has_the_value_and_the_gradient_that_it_says(seed):
    candidates, generator = random_lists(seed)
    columns, weights = generator.normal(size=(3, len(candidates))), generator.random(3)
    loss = _LogLoss(columns, candidates)
    value, gradient = loss(weights)
    assert value == pytest.approx(log_loss(weights, columns, candidates))
    for m in range(3):
        step = 1e-6 * np.eye(3)[m]
        assert (loss(weights + step)[0] - loss(weights - step)[0]) / 2e-6 == pytest.approx(gradient[m], abs=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_no_other_weights_make_the_best_candidates_more_probable(seed):
    candidates, generator = random_lists(seed, 80)
    others = candidates.gold + generator.normal(0, [[0.5], [50.0]], (2, len(candidates)))
    columns = np.vstack([candidates.log_probability, others])
    mixture = tune_mixture(["base", "one", "two"], columns, candidates)
    assert candidates.gold[candidates.best(mixture.scores(columns))].mean() == pytest.approx(mixture.gold)
    assert sum(mixture.weights) == pytest.approx(1)
    assert min(mixture.weights) >= 0
    assert tune_mixture(["base", "one", "two"], columns, candidates) == mixture
    scales = np.geomspace(0.01, 1e3, 300)  # only ratios are told
    found = min(log_loss(scale * np.array(mixture.weights), columns, candidates) for scale in scales)
    for weights in generator.gamma(0.5, 2, (200, 3)) / [1, 1, 50]:
        assert found <= log_loss(weights, columns, candidates) + 1e-3


def test_a_model_that_is_always_right_is_not_outvoted():
    candidates, generator = random_lists(2, 200)
    noise = generator.normal(size=(2, len(candidates)))
    mixture = tune_mixture(["base", "gold", "noise"], [noise[0], candidates.gold, noise[1]], candidates)
    assert mixture.gold == pytest.approx(candidates.gold[candidates.oracle()].mean())


def test_lists_without_a_choice_leave_all_models_as_they_are():
    candidates = replace(random_lists(1)[0], gold=np.zeros(len(random_lists(1)[0])))
    columns = np.vstack([candidates.log_probability, 2 * candidates.log_probability])
    assert min(tune_mixture(["base", "other"], columns, candidates).weights) >= 0


def test_units_do_not_matter():
    candidates, generator = random_lists(3, 80)
    columns = np.vstack([candidates.log_probability, candidates.gold + generator.normal(0, 0.5, len(candidates))])
    others = columns * [[1], [1024]]
    one, two = (tune_mixture(["base", "other"], own, candidates).scores(own) for own in (columns, others))
    np.testing.assert_allclose(two / np.abs(two).max(), one / np.abs(one).max(), atol=1e-6)


def test_what_does_not_fit_is_refused():
    candidates, _ = random_lists(1)
    with pytest.raises(ValueError, match="of shape"):
        tune_mixture(["base"], np.zeros((2, len(candidates))), candidates)
    mixture = tune_mixture(["base"], [candidates.log_probability], candidates)
    with pytest.raises(ValueError, match="1 models"):
        mixture.scores(np.zeros((2, 4)))


def test_a_mixture_has_all_its_models_with_it(tmp_path):
    train, dev = random_candidates(1, sentences=200), random_candidates(2, sentences=100)
    models = {name: train_reranker(train, RerankingOptions(name, rounds=20)) for name in ("boost", "perceptron")}
    mixed = mix_rerankers(models, dev)
    score = dev.score[mixed.best(dev)].mean()
    assert score == pytest.approx(mixed.mixture.gold)
    assert score > dev.score[dev.base()].mean()
    mixed.save(tmp_path / "mix.tw")
    again = Reranker.open(tmp_path / "mix.tw")
    np.testing.assert_allclose(again.scores(dev), mixed.scores(dev))
    reasons, scores = again.explain(dev, 1, 0), again.scores(dev)
    assert {reason.name for reason in reasons} == {*models, "log-probability of the base model"}
    assert sum(reason.contribution for reason in reasons) == pytest.approx(scores[1] - scores[0])
    assert set(again.vocabulary) == {*models["boost"].names, *models["perceptron"].names}
    with pytest.raises(ModelError, match=r"mix\.tw is a reranker; use: treewright rerank apply"):
        LinearReranker.open(tmp_path / "mix.tw")


def test_damaged_mixtures_are_refused(tmp_path):
    mix_rerankers({"one": train_reranker(some(), RerankingOptions(rounds=5))}, some()).save(tmp_path / "mix.tw")
    manifest, arrays = load_model(tmp_path / "mix.tw")
    for change in ({"weights": [1.0]}, {"models": [{"kind": "oak"}]}, {"models": 3}, {"names": []}):
        save_model(tmp_path / "bad.tw", manifest | change, arrays)
        with pytest.raises(ModelError, match="corrupted"):
            Reranker.open(tmp_path / "bad.tw")


def test_nothing_to_mix_and_what_does_not_go_together():
    with pytest.raises(UsageError, match="no rerankers"):
        mix_rerankers({}, some())
    model = train_reranker(some(), RerankingOptions(rounds=5))
    with pytest.raises(UsageError, match="some from dependencies"):
        mix_rerankers({"one": model}, some(Origin("dependencies", "dependencies", 7, ("rule",))))
