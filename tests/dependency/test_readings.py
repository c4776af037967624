"""Tags in doubt: pairs of tags and trees against an enumeration of all trees of each tagging."""

import dataclasses
import math

import numpy as np
import pytest

from treewright.dependency.calibration import Calibration
from treewright.dependency.parser import Parser
from treewright.dependency.probabilities import find_marginals
from treewright.errors import UsageError
from treewright.tagging.given import given_tags
from treewright.treebank import Sentence
from treewright.treebank.conllu.confidence import read_confidence

TAGS = ("upos", "xpos", "feats")


@pytest.fixture(scope="module")
def parser(text_parser):
    """A parser whose tagger is in doubt, so that taggings compete."""
    heated = text_parser.tagger.calibrated({"upos": 1.0, "xpos": 1.0, "feats": 0.5})
    return Parser(text_parser.scorer, text_parser.trees, heated, text_parser.info)


@pytest.fixture(scope="module")
def sentence():
    return Sentence.from_forms(["the", "old", "man"])


def pair_of(tree):
    return (*(tuple(getattr(tree, column)) for column in TAGS), tuple(tree.heads.tolist()), tuple(tree.deprels))


def pairs(parser, sentence, taggings):
    """List every pair of a tagging and a labelled tree, with its probability."""
    found = parser.tagger.k_best(sentence, taggings)
    total = np.logaddexp.reduce([one.log_probability for one in found])
    every = {}
    for one in found:
        for ranked in parser.k_best(one.sentence, 1_000_000, keep_tags=True):
            every[pair_of(ranked.tree)] = math.exp(one.log_probability - total + ranked.log_probability)
    return every


@pytest.fixture(scope="module")
def words():
    return Sentence.from_forms(["old", "man"])


@pytest.mark.parametrize("taggings", [2, 5])
def test_the_best_pairs_are_the_best_of_all(parser, words, taggings):
    every = pairs(parser, words, taggings)
    assert sum(every.values()) == pytest.approx(1, abs=1e-3)
    values = sorted(every.values(), reverse=True)
    best = parser.k_best(words, 2_000, joint_tags=taggings)
    assert [one.probability for one in best] == pytest.approx(values[:2_000], rel=1e-4)
    assert [every[pair_of(one.tree)] for one in best] == pytest.approx(values[:2_000], rel=1e-4)
    assert len({pair_of(one.tree) for one in best}) == 2_000
    assert len({pair_of(one.tree)[:3] for one in best}) > 1
    assert pair_of(parser.parse_sentence(words, joint_tags=taggings)) == pair_of(best[0].tree)


def test_confidence_is_an_average_over_taggings(parser, sentence):
    tree = parser.parse_sentence(sentence, joint_tags=4, confidence=True)
    found = parser.tagger.k_best(sentence, 4)
    shares = np.exp([one.log_probability for one in found])
    heads, both = np.zeros(len(sentence)), np.zeros(len(sentence))
    labels = [parser.scorer.labels.index(relation) for relation in tree.deprels]
    for one, share in zip(found, shares / shares.sum(), strict=True):
        marginals = find_marginals(parser.trees, parser.distribution(one.sentence))
        arcs = tree.heads, np.arange(1, len(sentence) + 1)
        heads += share * marginals.arc[arcs]
        both += share * marginals.label[(*arcs, labels)]
    noted = [dict(entry.split("=") for entry in misc.split("|")) for misc in tree.misc]
    assert [float(one["Confidence"]) for one in noted] == pytest.approx(heads, abs=1e-4)
    assert [float(one["LabelConfidence"]) for one in noted] == pytest.approx(both / heads, abs=1e-4)
    confidence = parser.tagger.confidence(tree)["upos"]
    assert [float(one["TagConfidence"]) for one in noted] == pytest.approx(confidence, abs=1e-4)


def test_alternatives_are_averages_over_taggings(parser, sentence):
    parser = dataclasses.replace(parser, calibration=Calibration.of(4.0, 2.0))
    tree = parser.parse_sentence(sentence, joint_tags=4, alternatives=3)
    found = parser.tagger.k_best(sentence, 4)
    shares = np.exp([one.log_probability for one in found])
    every = [find_marginals(parser.trees, parser.distribution(one.sentence)).label for one in found]
    average = np.average(every, axis=0, weights=shares)
    listed = 0
    for m, misc in enumerate(tree.misc, 1):
        own = tree.heads[m - 1], parser.scorer.labels.index(tree.deprels[m - 1])
        ranked = np.sort(np.delete(average[:, m].ravel(), np.ravel_multi_index(own, average[:, m].shape)))[::-1]
        rivals = read_confidence(misc).rivals
        listed += len(rivals)
        for rival, p in zip(rivals, ranked, strict=False):
            assert rival.probability == pytest.approx(p, abs=1e-2)
            assert average[rival.head, m, parser.scorer.labels.index(rival.relation)] == pytest.approx(p, abs=1e-4)
    assert listed


@pytest.mark.parametrize("count", [0, 1])
def test_one_tagging_is_the_usual_parse(parser, ewt, count):
    for sentence in ewt[30:]:
        usual, joint = parser.parse_sentence(sentence), parser.parse_sentence(sentence, joint_tags=count)
        assert pair_of(usual) == pair_of(joint)


def test_doubt_about_tags_takes_a_share_of_every_tree(parser, words):
    doubtful = dataclasses.replace(parser, calibration=Calibration(tags=0.5))
    product = parser.tagger.confidence(parser.tagger.tag(words))["upos"].prod()
    assert product < 0.95
    usual, found = (one.k_best(words, 1_000_000) for one in (parser, doubtful))
    assert [one.probability for one in found] == pytest.approx([one.probability * product**0.5 for one in usual])
    assert sum(one.probability for one in found) == pytest.approx(product**0.5, abs=1e-3)
    [stated] = [line for line in doubtful.parse_sentence(words, confidence=True).comments if "probability" in line]
    assert float(stated.split("=")[1]) == pytest.approx(found[0].probability, rel=1e-2)
    tagged = parser.tagger.tag(words)  # what is given is not in doubt
    assert doubtful.k_best(tagged, 1, keep_tags=True)[0].probability == pytest.approx(usual[0].probability)


def test_some_sentences_get_other_tags(parser, ewt):
    usual, joint = ([parser.parse_sentence(one, joint_tags=count) for one in ewt[30:]] for count in (0, 8))
    assert any(one.upos != other.upos for one, other in zip(usual, joint, strict=True))


def test_given_tags_are_in_every_tagging(parser, ewt):
    sentence = ewt[31].replace(upos=["X", *["_"] * (len(ewt[31]) - 1)], xpos=["_"] * len(ewt[31]))
    given = given_tags(sentence, blank_features=True)
    assert given["upos"].tolist() == [True, *[False] * (len(sentence) - 1)]
    best = parser.k_best(sentence, 5, joint_tags=4, complete=True)
    assert {one.tree.upos[0] for one in best} == {"X"}


def test_without_probabilities_tags_are_not_left_in_doubt(parser, sentence):
    hooked = Parser(parser.scorer, parser.trees, parser.tagger, parser.info, hooks=[len])
    with pytest.raises(UsageError, match="intractable"):
        hooked.parse_sentence(sentence, joint_tags=4)
