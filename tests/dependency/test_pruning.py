"""Pruning: what survives, that it always makes up a tree, and that the model file carries it."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.dependency.cascade_training import report_pruning
from treewright.dependency.parser import Parser
from treewright.dependency.pruning import Stage, _count_parts
from treewright.errors import ModelError
from treewright.features import DependencyFeatures, LinearScorer, Weights
from treewright.inference import Parts, Scores, Trees
from treewright.model.container import load_model, save_model
from treewright.treebank import Sentence, format_sentence


def parses(parser, sentences):
    return [format_sentence(s) for s in parser.parse_all(sentences, keep_tags=True, threads=1)]


def with_pruner(parser, **changes):
    """The same parser with another pruner, or with none."""
    pruner = parser.pruner.with_limits(**changes) if changes else None
    return Parser(parser.scorer, parser.trees, parser.tagger, parser.info, pruner)


def slowly_allowed(stage, sentence):
    """What survives a beam, and the best tree, searched for whether it is sure to survive or not."""
    scores = stage.scorer.score(sentence)
    probabilities = stage.trees.marginals(scores).arc
    wanted = (probabilities >= stage.beam * probabilities.max(axis=0)) & (probabilities > 0)
    heads = stage.trees.argmax(scores).heads
    wanted[heads[1:], np.arange(1, len(heads))] = True
    return wanted


class Fixed:
    """Prunes as it is told."""

    def __init__(self, masks):
        self.masks = masks

    def allowed(self, sentence):
        return np.array(self.masks[len(sentence)], bool)


def test_a_report_counts_arcs_heads_and_gold_heads():
    """Of 4 + 9 arcs, 6 survive, and 3 of 5 gold heads."""
    two, three = (Sentence.from_forms(["w"] * len(heads), heads=heads) for heads in ([0, 1], [2, 0, 2]))
    masks = {
        2: [[0, 1, 1], [0, 0, 0], [0, 0, 0]],  # 0 → 1 (gold), 0 → 2
        3: [[0, 0, 1, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 1, 0]],  # 0 → 2, 2 → 1 (gold); 1 → 2, 3 → 2
    }
    report = report_pruning(Fixed(masks), [two, three], threads=1)
    assert report.pass_rate == pytest.approx(100 * 6 / 13)
    assert report.heads_per_word == pytest.approx(6 / 5)
    assert report.oracle == pytest.approx(100 * 3 / 5)
    assert report_pruning(Fixed(masks), [two, three] * 40, threads=2) == report


def test_a_beam_of_almost_zero_changes_nothing(ewt, third_order_parser):
    sentences = [s for s in ewt if len(s) <= 14]
    whole, open_, usual = (
        with_pruner(third_order_parser),
        with_pruner(third_order_parser, beam=1e-300),
        third_order_parser,
    )
    for sentence in sentences:
        mask = open_.pruner.allowed(sentence)
        assert mask.sum() == len(sentence) ** 2
        assert not mask[:, 0].any()
        assert not mask.diagonal().any()
    assert parses(open_, sentences) == parses(whole, sentences)
    assert sum(usual.pruner.allowed(s).sum() for s in sentences) < sum(len(s) ** 2 for s in sentences)


def test_an_arc_survives_by_its_probability_relative_to_the_best(ewt, third_order_parser):
    [pruner] = third_order_parser.pruner.with_limits(beam=0.02).stages
    for sentence in ewt[:6]:
        assert np.array_equal(pruner.allowed(sentence), slowly_allowed(pruner, sentence))
        assert (pruner.allowed(sentence).sum(axis=0)[1:] >= 1).all()


@pytest.fixture(scope="module")
def few(ewt):
    return DependencyFeatures.of(ewt, kinds=["arc"], few=True, bits=12)


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_what_survives_always_has_a_tree_and_no_more_heads_than_asked_for(data, ewt, few):
    sentence = data.draw(st.sampled_from(ewt[:12] + ewt[20:30]))
    trees = Trees(data.draw(st.booleans()), data.draw(st.booleans()))
    size, seed = data.draw(st.sampled_from([0.0, 0.1, 1.0, 10.0])), data.draw(st.integers(0, 1000))
    weights = Weights((size * np.random.default_rng(seed).normal(size=few.size)).astype(np.float32))
    beam, most = data.draw(st.sampled_from([0.0, 1e-4, 0.5, 1.0])), data.draw(st.integers(0, 4))
    stage = Stage(LinearScorer(few, weights), trees, beam, most)
    mask = stage.allowed(sentence)
    assert np.array_equal(mask, slowly_allowed(stage, sentence)) or most
    assert most == 0 or mask.sum(axis=0).max() <= most
    parts = Parts(mask)
    parse = trees.argmax(Scores(arc=np.zeros(len(parts.arc)), parts=parts))
    assert mask[parse.heads[1:], np.arange(1, len(mask))].all()


def test_a_cap_keeps_the_most_probable_heads(ewt, third_order_parser):
    [usual] = third_order_parser.pruner.with_limits(beam=0.0).stages
    capped = dataclasses.replace(usual, max_heads=3)
    for sentence in ewt[:6]:
        scores = usual.scorer.score(sentence)
        probabilities = usual.trees.marginals(scores).arc
        best = usual.trees.argmax(scores).heads
        mask = capped.allowed(sentence)
        for m in range(1, len(mask)):
            ranked = sorted(range(len(mask)), key=lambda h, m=m: (h != best[m], -probabilities[h, m]))
            assert set(np.flatnonzero(mask[:, m])) == {h for h in ranked[:3] if h != m}
    assert usual.allowed(ewt[0]).sum() > capped.allowed(ewt[0]).sum()


# Model files -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(third_order_parser, tmp_path_factory):
    path = tmp_path_factory.mktemp("pruned") / "third.tw"
    third_order_parser.save(path)
    return path


def test_the_model_file_carries_the_pruner(ewt, third_order_parser, saved, tmp_path):
    opened = Parser.open(saved)
    [stage], [own] = opened.pruner.stages, third_order_parser.pruner.stages
    assert (stage.beam, stage.max_heads, stage.trees) == (1e-4, 0, own.trees)
    assert parses(opened, ewt) == parses(third_order_parser, ewt)
    for sentence in ewt[:5]:
        assert np.array_equal(opened.pruner.allowed(sentence), third_order_parser.pruner.allowed(sentence))
    opened.save(tmp_path / "again.tw")
    assert (tmp_path / "again.tw").read_bytes() == saved.read_bytes()


@pytest.mark.parametrize(
    "edit",
    [
        lambda manifest, arrays: arrays.pop("pruner"),
        lambda manifest, arrays: arrays.update(pruner=arrays["pruner"][:-1]),
        lambda manifest, arrays: arrays.update(pruner=arrays["pruner"].astype(np.float32)),
        lambda manifest, arrays: arrays.update(weights=arrays["weights"][: 1 << 16]),
        lambda manifest, arrays: manifest["pruner"].pop("beam"),
        lambda manifest, arrays: manifest["pruner"].update(beam="narrow"),
        lambda manifest, arrays: manifest["pruner"].update(trees={"factorization": "none"}),
        lambda manifest, arrays: manifest["pruner"]["features"].update(arc_pair=["no such | attribute"]),
        lambda manifest, arrays: manifest["features"].update(sibling=["word | word"]),
        lambda manifest, arrays: manifest.update(calibration={"heads": "warm"}),
    ],
)
def test_a_damaged_pruner_is_refused(saved, tmp_path, edit):
    manifest, arrays = load_model(saved)
    arrays = dict(arrays)
    edit(manifest, arrays)
    save_model(tmp_path / "m.tw", manifest, arrays)
    with pytest.raises(ModelError, match="corrupted") as caught:
        Parser.open(tmp_path / "m.tw")
    assert "\n" not in str(caught.value)


# Odd input -------------------------------------------------------------------------------------------------------


def test_parts_are_counted_as_they_are_listed():
    rng = np.random.default_rng(0)
    for n in (1, 3, 8):
        mask = rng.random((n + 1, n + 1)) < 0.6
        mask[:, 0] = False
        np.fill_diagonal(mask, False)
        parts = Parts(mask)
        assert _count_parts(mask) == len(parts.grand_sibling) + len(parts.tri_sibling)


def test_words_that_are_all_alike_do_not_take_all_memory(third_order_parser, monkeypatch):
    """Where every head is as good as any other, a beam prunes next to nothing."""
    sentence = Sentence.from_forms(["word"] * 60, upos=["NOUN"] * 60, heads=[0] * 60)
    open_ = with_pruner(third_order_parser, beam=1e-300)
    whole = _count_parts(open_.pruner.allowed(sentence))
    monkeypatch.setattr("treewright.dependency.pruning.MOST_PARTS", 50_000)
    assert whole > 50_000
    mask = open_.pruner.allowed(sentence)
    assert mask.sum() > 60
    assert _count_parts(mask) <= 50_000
    assert (open_.parse_sentence(sentence, keep_tags=True).heads >= 0).all()
    monkeypatch.setattr("treewright.dependency.pruning.MOST_PARTS", 0)  # what cannot be helped: one tree is left
    assert open_.pruner.allowed(sentence).sum() == 60
