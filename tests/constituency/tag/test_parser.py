"""From trees to a parser and back: what it learns, what it always gives, what its file keeps."""

import math

import numpy as np
import pytest

from tests.constituency.tag.conftest import sentence_of
from treewright import ConstituentOptions, ConstituentParser, ModelError, Sentence, UsageError, train_constituents
from treewright.constituency.tag.calibration import tree_temperatures
from treewright.constituency.tag.links import Links, sort_links
from treewright.evaluation import evaluate_brackets
from treewright.parsing.mixture import Mixture


def test_it_learns_what_it_is_shown(parser, trees):
    found = list(parser.parse_all(map(sentence_of, trees), keep_tags=True, threads=1))
    assert evaluate_brackets(trees, found).all.brackets.f1 > 97


def test_k_best_trees_come_in_order_and_once(parser, trees):
    sentence = sentence_of(trees[5])
    found = parser.k_best(sentence, 12, keep_tags=True)
    assert found[0].tree == parser.parse_sentence(sentence, keep_tags=True)
    assert len(found) == 12
    assert len({ranked.tree for ranked in found}) == 12
    probabilities = [ranked.probability for ranked in found]
    assert probabilities == sorted(probabilities, reverse=True)
    assert 0 < math.fsum(probabilities) <= 1 + 1e-9
    assert parser.k_best(sentence, 0, keep_tags=True) == []
    with pytest.raises(ValueError, match="must be at least 0"):
        parser.k_best(sentence, -1, keep_tags=True)


def test_the_best_tree_is_as_probable_as_it_is_often_right(parser, trees):
    """All right: nearly sure.  Half of them right: as likely as not, on average.  None right: unlikely."""
    sentences = [sentence_of(tree) for tree in trees[:24]]
    found = [parser.parse_sentence(sentence, keep_tags=True) for sentence in sentences]
    wrong = [tree.relabel(["WRONG", *tree.labels[1:]]) for tree in found]
    means = []
    half = [tree for pair in zip(found[::2], wrong[1::2], strict=True) for tree in pair]
    for gold in (found, half, wrong):
        temperatures = tree_temperatures(parser, list(zip(sentences, gold, strict=True)))
        warm = ConstituentParser(parser.scorer, parser.pruner, None, {}, temperatures)
        means.append(np.mean([warm.k_best(sentence, 1, keep_tags=True)[0].probability for sentence in sentences]))
    assert means[0] > 0.95
    assert 0.3 < means[1] < 0.7
    assert means[2] < 0.05


@pytest.mark.parametrize(
    ("words", "tags"),
    [
        (["Go"], ["VB"]),
        (["?"], ["."]),
        (["The"] * 9, ["DT"] * 9),
        (["a", "b", "c"], ["never", "seen", "these"]),
        (list("abcdefghij"), [".", ",", "DT", "DT", ":", "DT", "CC", "CC", "IN", "."]),
    ],
)
def test_there_always_is_a_tree(parser, words, tags):
    tree = parser.parse_sentence(Sentence.from_forms(words, xpos=tags), keep_tags=True)
    assert tree.words == tuple(words)
    assert tree.tags == tuple(tags)


def test_there_is_a_tree_where_nothing_survives(parser, trees, monkeypatch):
    """If the beam leaves no derivation, it is widened, and at last everything on one tree is searched."""
    tried = []

    def nothing_but_one(self, sentence, choices, beam=None):
        tried.append(beam)
        links = self.links_of_best_tree(sentence, choices)
        return Links(*(column[:1] for column in sort_links(links)))

    monkeypatch.setattr(type(parser.pruner), "links", nothing_but_one)
    tree = parser.parse_sentence(sentence_of(trees[0]), keep_tags=True)
    assert tree.words == trees[0].words
    assert len(tried) == 2
    assert tried[1] < tried[0]


def test_what_is_refused(parser, trees):
    with pytest.raises(UsageError, match="no words"):
        parser.parse_sentence(Sentence.from_forms([]))
    with pytest.raises(UsageError, match="401 words is too long"):
        parser.parse_sentence(Sentence.from_forms(["a"] * 401, xpos=["DT"] * 401), keep_tags=True)
    with pytest.raises(UsageError, match="no tagger"):
        parser.parse(["Go", "!"])
    with pytest.raises(UsageError, match="no trees"):
        train_constituents([], trees)
    with pytest.raises(UsageError, match="one tree"):
        train_constituents(trees[:1], trees)
    assert parser.parse("") == []


def test_the_file_keeps_everything(parser, trees, tmp_path):
    path = tmp_path / "model.tw"
    parser.save(path)
    again = ConstituentParser.open(path)
    sentence = sentence_of(trees[7])
    assert again.k_best(sentence, 5, keep_tags=True) == parser.k_best(sentence, 5, keep_tags=True)
    assert again.info == parser.info
    assert again.temperatures == parser.temperatures


def test_a_mixture_of_temperatures_is_an_average_and_is_stored(parser, trees):
    def warm(*mixture):
        return ConstituentParser(parser.scorer, parser.pruner, None, {}, Mixture(*mixture))

    sentence, mixed = sentence_of(trees[7]), warm((50.0, 400.0), (0.75, 0.25))
    averaged, low, high = (one.k_best(sentence, 4, keep_tags=True) for one in (mixed, warm((50.0,)), warm((400.0,))))
    expected = [0.75 * a.probability + 0.25 * b.probability for a, b in zip(low, high, strict=True)]
    assert [one.probability for one in averaged] == pytest.approx(expected)
    assert ConstituentParser.restore(*mixed.describe()).temperatures == mixed.temperatures


def test_other_files_are_refused(parser, tmp_path):
    import treewright
    from treewright.model.container import load_model, save_model

    path = tmp_path / "model.tw"
    parser.save(path)
    assert isinstance(treewright.load(path), ConstituentParser)
    with pytest.raises(ModelError, match=r"model.tw is a model of constituents; use: treewright constituents parse"):
        treewright.Parser.open(path)
    manifest, arrays = load_model(path)
    manifest["grammar"]["spines"] = manifest["grammar"]["spines"][:1]
    save_model(path, manifest, arrays)
    with pytest.raises(ModelError, match="corrupted"):
        ConstituentParser.open(path)


def test_predicted_tags(trees):
    options = ConstituentOptions(order="first", epochs=2, folds=2, bits=18, threads=1)
    parser = train_constituents(trees[:20], trees[:10], options, info={"language": "en"})
    assert set(parser.info["dev"]) == {"F1", "precision", "recall", "exact", "tags"}
    [tree] = parser.parse("The mice were fed a diet.")
    assert tree.words == ("The", "mice", "were", "fed", "a", "diet", ".")
    assert not any(label == "_" for label in tree.labels)
