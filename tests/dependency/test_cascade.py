"""A cascade of stages: each prunes what the ones before it have left; thresholds are fitted on held-out folds."""

from dataclasses import replace

import numpy as np
import pytest

from treewright.dependency import cascade_training
from treewright.dependency.cascade_training import CascadeTraining, fitted_beam, gold_shares, report_pruning
from treewright.dependency.options import TrainingOptions
from treewright.dependency.parser import Parser
from treewright.dependency.partial import attainable
from treewright.dependency.pruning import Cascade
from treewright.dependency.training import train_parser
from treewright.errors import ModelError, UsageError
from treewright.features import Lexicon
from treewright.inference import Constraints, Parts, Scores, Trees
from treewright.model.container import load_model, save_model
from treewright.treebank import Sentence, format_sentence

#: Two stages, the second of which is of the second order.
TWO = ("arc", "sibling")
QUICK = {"tags": "gold", "epochs": 2, "threads": 1, "calibrate": "none", "bits": 14}


def train_two(sentences, loss, projective=True, stages=TWO):
    trees = Trees(projective)
    training = CascadeTraining(Lexicon.of(sentences), trees, stages, loss, threads=1, bits=14, epochs=3)
    return training.run(sentences)


@pytest.fixture(scope="module")
def short(ewt):
    return [sentence for sentence in ewt if len(sentence) <= 14][:24]


@pytest.fixture(scope="module")
def cascade(short):
    return train_two(short, 0.02)[0]


@pytest.fixture(scope="module")
def parser(short):
    options = TrainingOptions(factorization="grand-sibling", cascade=TWO, oracle_loss=2, **QUICK)
    return train_parser(short, short[:6], options)


def parses(parser, sentences):
    return [format_sentence(s) for s in parser.parse_all(sentences, keep_tags=True, threads=1)]


# Pruning ---------------------------------------------------------------------------------------------------------


def test_thresholds_of_zero_change_nothing(parser, short):
    whole = replace(parser, pruner=None)
    opened = replace(parser, pruner=parser.pruner.with_limits(beam=0.0))
    for sentence in short:
        assert opened.pruner.allowed(sentence).sum() == len(sentence) ** 2
    assert parses(opened, short) == parses(whole, short)
    assert sum(parser.pruner.allowed(s).sum() for s in short) < sum(len(s) ** 2 for s in short)


def test_each_stage_chooses_among_what_is_left(cascade, short):
    first, second = cascade.with_limits(beam=0.05).stages
    fewer = 0
    for sentence in short:
        left = first.allowed(sentence)
        mask = Cascade([first, second]).allowed(sentence)
        assert not (mask & ~left).any()
        parts = Parts(left, projective=True)
        marginals = second.trees.marginals(second.scorer.score(sentence, parts)).arc
        dense = np.zeros(left.shape)
        dense[tuple(parts.arc.T)] = marginals
        heads = second.trees.argmax(second.scorer.score(sentence, parts)).heads
        wanted = (dense >= 0.05 * dense.max(axis=0)) & (dense > 0)
        wanted[heads[1:], np.arange(1, len(heads))] = True
        assert np.array_equal(mask, wanted)
        fewer += left.sum() > mask.sum()
    assert fewer > 5


def test_the_cascade_ends_early_where_one_tree_is_left(cascade, short, monkeypatch):
    strict = cascade.with_limits(beam=1.0)
    slow = [strict.stages[1].allowed(s, among=strict.stages[0].allowed(s)) for s in short]
    asked = []
    usual = type(strict.stages[0]).allowed

    def counted(stage, sentence, constraints=None, among=None):
        asked.append(among is not None)
        return usual(stage, sentence, constraints, among)

    monkeypatch.setattr(type(strict.stages[0]), "allowed", counted)
    assert all(np.array_equal(strict.allowed(s), mask) for s, mask in zip(short, slow, strict=True))
    assert asked.count(True) < len(short) == asked.count(False)


@pytest.mark.parametrize("projective", [True, False])
def test_there_is_always_a_tree_and_it_can_obey(short, projective):
    cascade, _ = train_two(short[:8], 0.1, projective, ("arc", "arc"))
    for sentence in short:
        for rules in (None, Constraints(required=[(0, len(sentence))]), Constraints(forbidden=[(0, 1)])):
            if len(sentence) < 2:
                continue
            mask = cascade.with_limits(beam=1.0).allowed(sentence, rules)
            parts = Parts(mask)
            heads = Trees(projective).argmax(Scores(arc=np.zeros(len(parts.arc)), parts=parts)).heads
            assert mask[heads[1:], np.arange(1, len(mask))].all()
            if rules is not None:
                assert all(heads[m] == h for h, m in rules.required)
                assert all(heads[m] != h for h, m in rules.forbidden)


def test_a_cascade_has_stages_with_marginals(cascade):
    with pytest.raises(ValueError, match="at least one stage"):
        Cascade([])
    with pytest.raises(ValueError, match="intractable"):
        replace(cascade.stages[1], trees=Trees(False, factorization="sibling"))


# Thresholds ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", [0.0, 0.1, 0.25, 0.5, 0.99, 1.0])
def test_a_fitted_threshold_loses_no_more_than_asked_and_could_not_be_larger(loss):
    rng = np.random.default_rng(3)
    shares = np.concatenate([rng.random(37) ** 4, np.ones(10), [1e-9]])
    beam = fitted_beam(shares, loss)
    assert np.mean(shares < beam) <= loss
    if beam < 1:
        assert np.mean(shares < beam * (1 + 1e-6)) > loss


def test_what_is_lost_already_counts():
    assert fitted_beam([0.0, 0.0, 0.5, 1.0], 0.5) == pytest.approx(0.5)
    assert fitted_beam([0.0, 0.0, 0.5, 1.0], 0.25) == 0.0


@pytest.mark.parametrize("stages", [("arc",), TWO], ids=len)
@pytest.mark.parametrize("loss", [0.0, 0.05, 0.2])
def test_the_oracle_loss_on_held_out_folds_is_at_most_what_was_asked(short, stages, loss):
    cascade, masks = train_two(short, loss, stages=stages)
    projective = [attainable(sentence, Trees()) for sentence in short]
    gold = [mask[s.heads, np.arange(1, len(mask))] for mask, s in zip(masks, projective, strict=True)]
    lost = 1 - np.concatenate(gold).mean()
    assert lost <= loss
    words = sum(map(len, short))
    if loss and len(stages) == 1:
        assert lost >= loss / 2 - 1 / words or cascade.stages[0].beam == 1.0
        assert sum(mask.sum() for mask in masks) < sum(len(s) ** 2 for s in short)


def test_sentences_are_pruned_by_models_that_have_not_seen_them(short, monkeypatch):
    seen = []
    usual = cascade_training.train_stage

    def record(sentences, *arguments, **choices):
        stage = usual(sentences, *arguments, **choices)
        seen.append((stage.scorer, {id(sentence) for sentence in sentences}))
        return stage

    monkeypatch.setattr(cascade_training, "train_stage", record)
    asked = []

    def shares(stage, sentence, among=None):
        asked.append((stage.scorer, tuple(sentence.forms)))
        return gold_shares(stage, sentence, among)

    monkeypatch.setattr(cascade_training, "gold_shares", shares)
    cascade, _ = train_two(short, 0.1, stages=("arc",))
    assert [len(some) for _, some in seen] == [24, 12, 12]
    assert cascade.stages[0].scorer is seen[0][0]
    by_forms = {tuple(sentence.forms): id(sentence) for sentence in short}
    assert len(asked) == 24
    for scorer, forms in asked:
        [learned] = [some for own, some in seen if own is scorer]
        assert by_forms[forms] not in learned


def test_training_is_deterministic_and_a_single_sentence_is_enough(short):
    [first, again] = [train_two(short[:6], 0.1)[0] for _ in range(2)]
    assert [stage.beam for stage in first.stages] == [stage.beam for stage in again.stages]
    for one, other in zip(first.stages, again.stages, strict=True):
        assert np.array_equal(one.scorer.weights.values, other.scorer.weights.values)
    alone, masks = train_two(short[:1], 0.1)
    assert report_pruning(alone, short[:1], 1).oracle == 100
    assert len(masks) == 1


def test_what_is_known_of_a_partial_tree_can_be_learned(short):
    partial = [s.replace(heads=np.where(np.arange(len(s)) % 3 == 1, -1, s.heads)) for s in short[:10]]
    _, masks = train_two(partial, 0.3)
    for mask, sentence in zip(masks, partial, strict=True):
        parts = Parts(mask)
        scores = np.zeros(mask.shape)
        words = 1 + np.flatnonzero(sentence.heads >= 0)
        scores[attainable(sentence, Trees()).heads[words - 1], words] = 1.0
        best = Trees().argmax(Scores(arc=scores[tuple(parts.arc.T)], parts=parts))
        assert best.score == (attainable(sentence, Trees()).heads >= 0).sum()


# Options, files --------------------------------------------------------------------------------------------------


def test_a_beam_means_one_stage_with_that_threshold(short):
    options = TrainingOptions(factorization="sibling", beam=0.02, cascade=TWO, **QUICK)
    [stage] = train_parser(short[:8], short[:3], options).pruner.stages
    assert (stage.beam, stage.trees) == (0.02, Trees())


def test_arcs_alone_are_pruned_if_a_loss_is_named(short):
    quick = {"factorization": "arc", **QUICK}
    assert train_parser(short[:8], short[:3], TrainingOptions(**quick)).pruner is None
    parser = train_parser(short[:8], short[:3], TrainingOptions(oracle_loss=5, **quick))
    assert len(parser.pruner.stages) == 1
    assert all(len(set(sentence.heads)) > 0 for sentence in parser.parse_all(short, keep_tags=True, threads=1))


def test_choices_that_do_not_go_together_are_refused(short):
    with pytest.raises(UsageError, match="give one of them"):
        TrainingOptions(beam=0.1, oracle_loss=1)
    with pytest.raises(UsageError, match="choose --cascade arc"):
        train_parser(short, short, TrainingOptions(trees="nonprojective", cascade=TWO, **QUICK))


@pytest.mark.parametrize("stages", [1, 2])
def test_a_model_file_has_all_stages(parser, short, tmp_path, stages):
    parser = replace(parser, pruner=Cascade(parser.pruner.stages[:stages]))
    parser.save(tmp_path / "m.tw")
    opened = Parser.open(tmp_path / "m.tw")
    assert [(s.beam, s.trees) for s in opened.pruner.stages] == [(s.beam, s.trees) for s in parser.pruner.stages]
    assert parses(opened, short) == parses(parser, short)
    for sentence in short:
        assert np.array_equal(opened.pruner.allowed(sentence), parser.pruner.allowed(sentence))
    opened.save(tmp_path / "again.tw")
    assert (tmp_path / "again.tw").read_bytes() == (tmp_path / "m.tw").read_bytes()
    assert ("stages" in load_model(tmp_path / "m.tw")[0]["pruner"]) == (stages > 1)  # older releases read single stages


@pytest.mark.parametrize(
    "edit",
    [
        lambda manifest, arrays: manifest["pruner"].update(stages=[]),
        lambda manifest, arrays: manifest["pruner"]["stages"].append({}),
        lambda manifest, arrays: manifest["pruner"]["stages"][1].pop("beam"),
        lambda manifest, arrays: arrays.pop("pruner.2"),
    ],
)
def test_a_damaged_cascade_is_refused(parser, tmp_path, edit):
    parser.save(tmp_path / "m.tw")
    manifest, arrays = load_model(tmp_path / "m.tw")
    arrays = dict(arrays)
    edit(manifest, arrays)
    save_model(tmp_path / "m.tw", manifest, arrays)
    with pytest.raises(ModelError, match="corrupted"):
        Parser.open(tmp_path / "m.tw")


def test_an_empty_sentence_needs_no_pruning(parser):
    assert len(parser.parse_sentence(Sentence.from_forms([]), keep_tags=True)) == 0
