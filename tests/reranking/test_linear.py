"""Linear rerankers: scores, choices, reasons, rounds and files."""

from dataclasses import replace

import numpy as np
import pytest

from tests.reranking.random_candidates import dense, random_candidates
from treewright.errors import ModelError, UsageError
from treewright.model.container import save_model
from treewright.reranking import (
    Candidates,
    LinearReranker,
    Reranker,
    RerankingOptions,
    Strings,
    evaluate_choices,
    train_reranker,
)
from treewright.reranking.reranker import BASE_MODEL


def weights_of(candidates, seed=0):
    random = np.random.default_rng(seed)
    return random.normal(size=candidates.feature_count) * (random.random(candidates.feature_count) < 0.5)


@pytest.mark.parametrize("values", [False, True])
def test_scores_are_those_of_the_definition(values):
    candidates = random_candidates(1, values=values)
    weights = weights_of(candidates)
    reranker = LinearReranker.of(candidates, 0.3, weights)
    expected = 0.3 * candidates.log_probability + dense(candidates) @ weights
    np.testing.assert_allclose(reranker.scores(candidates), expected)
    rows = [expected[a:b].argmax() + a for a, b in zip(candidates.offsets[:-1], candidates.offsets[1:], strict=True)]
    assert reranker.best(candidates).tolist() == rows
    assert len(reranker.weights) == np.count_nonzero(weights)


def test_features_go_by_their_names():
    candidates = random_candidates(1)
    reranker = LinearReranker.of(candidates, 0.3, weights_of(candidates))
    names = [f"f{k}" for k in range(50, -1, -1)]
    other = random_candidates(1, vocabulary=names)
    np.testing.assert_allclose(reranker.scores(other), reranker.scores(candidates))


def unnamed(candidates):
    columns = ("offsets", "log_probability", "gold", "feature_offsets", "features")
    return Candidates(*(getattr(candidates, name) for name in columns), feature_count=candidates.feature_count)


def test_without_names_features_go_by_their_numbers(tmp_path):
    candidates = random_candidates(1)
    weights = weights_of(candidates)
    reranker = LinearReranker.of(unnamed(candidates), 0.3, weights)
    reranker.save(tmp_path / "m.tw")
    np.testing.assert_array_equal(Reranker.open(tmp_path / "m.tw").weights_for(unnamed(candidates)), weights)
    assert reranker.explain(unnamed(candidates), 0, 1)[0].name.isdigit()
    with pytest.raises(UsageError, match="no feature names"):
        LinearReranker.of(candidates, 0.3, weights).scores(unnamed(candidates))


@pytest.mark.parametrize("values", [False, True])
def test_reasons_add_up_to_the_difference_in_score(values):
    candidates = random_candidates(3, values=values)
    reranker = LinearReranker.of(candidates, 0.3, weights_of(candidates))
    scores = reranker.scores(candidates)
    for first, second in ((0, 1), (1, 0), (4, 9), (2, 2)):
        reasons = reranker.explain(candidates, first, second)
        assert sum(reason.contribution for reason in reasons) == pytest.approx(scores[first] - scores[second])
        sizes = [abs(reason.contribution) for reason in reasons]
        assert sizes == sorted(sizes, reverse=True)
    assert BASE_MODEL in {reason.name for reason in reranker.explain(candidates, 0, 1)}
    assert reranker.explain(candidates, 2, 2) == []


def test_a_model_survives_its_file(tmp_path):
    candidates = random_candidates(1)
    reranker = LinearReranker.of(candidates, 0.3, weights_of(candidates), {"learner": "none"})
    reranker.save(tmp_path / "m.tw")
    opened = Reranker.open(tmp_path / "m.tw")
    assert (opened.alpha, opened.names, dict(opened.info)) == (0.3, reranker.names, {"learner": "none"})
    assert opened.scores(candidates).tolist() == reranker.scores(candidates).tolist()


@pytest.mark.parametrize("learner", ["boost", "log-bound", "log-selection"])
def test_a_model_can_be_had_after_any_number_of_rounds(tmp_path, learner):
    train, dev = random_candidates(1, sentences=300), random_candidates(2, sentences=100)
    rounds = 60
    train_reranker(train, RerankingOptions(learner, rounds=rounds), dev).save(tmp_path / "m.tw")
    model = LinearReranker.open(tmp_path / "m.tw")
    best = model.info["rounds"]
    assert model.after(best).weights.tolist() == model.weights.tolist()
    curve = model.curve(dev)
    assert len(curve) == len(model.history) + 1 == rounds + 1
    assert curve.argmax() == best
    for number in (0, 1, 7, best, rounds):
        alone = train_reranker(train, RerankingOptions(learner, rounds=number))
        then = model.after(number)
        assert then.scores(dev).tolist() == alone.scores(dev).tolist()
        assert (then.info["rounds"], "dev" in then.info) == (number, False)
        assert curve[number] == pytest.approx(evaluate_choices(dev, alone.best(dev)).chosen)
    with pytest.raises(UsageError, match="has 60 rounds, so there is none after 61"):
        model.after(rounds + 1)


def test_a_curve_passes_over_features_that_candidates_have_not():
    train = random_candidates(1, sentences=300)
    model = train_reranker(train, RerankingOptions("boost", rounds=40))
    first = model.names[int(model.history.features[0])]
    names = [name if name != first else "another" for name in train.names]
    renamed = replace(train, names=Strings.of(names))
    curve = model.curve(renamed)
    assert curve[1] == curve[0]
    assert curve[-1] == pytest.approx(evaluate_choices(renamed, model.after(40).best(renamed)).chosen)


def test_models_without_rounds_say_so():
    candidates = random_candidates(1)
    model = train_reranker(candidates, RerankingOptions("perceptron", rounds=2))
    for ask in (lambda: model.after(1), lambda: model.curve(candidates)):
        with pytest.raises(UsageError, match="no rounds to look back on"):
            ask()


def test_other_and_damaged_files_are_refused(tmp_path):
    path = tmp_path / "m.tw"
    with pytest.raises(UsageError, match="there is no model"):
        Reranker.open(path)
    save_model(path, {"kind": "parser"}, {"weights": np.zeros(2)})
    with pytest.raises(ModelError, match=r"another kind \('parser'\)"):
        Reranker.open(path)
    good = {"weights": np.ones(2), "alpha": np.ones(1), "numbers": np.array([0, 1], np.int32)}
    for change in (
        {"weights": np.ones(3)},
        {"weights": np.array([1.0, np.inf])},
        {"numbers": np.array([0, -1], np.int32)},
        {"alpha": np.zeros(0)},
        {"name_data": np.zeros(5, np.uint8)},
        {"name_data": np.zeros(5, np.uint8), "name_lengths": np.array([1, 1], np.uint32)},
        {"round_features": np.array([0, 2], np.int32), "round_steps": np.ones(2)},
        {"round_features": np.array([-1], np.int32), "round_steps": np.ones(1)},
        {"round_features": np.array([0], np.int32), "round_steps": np.ones(2)},
        {"round_features": np.array([0], np.int32), "round_steps": np.array([np.nan])},
        {"round_features": np.array([0], np.int32)},
    ):
        save_model(path, {"kind": "reranker", "info": {}}, good | change)
        with pytest.raises(ModelError, match="corrupted"):
            Reranker.open(path)
    save_model(path, {"kind": "reranker"}, good)
    with pytest.raises(ModelError, match="corrupted"):
        Reranker.open(path)
