"""Generative models of features (Suzuki et al. 2009): counts, estimates, scores and gradients."""

from dataclasses import replace

import numpy as np
import pytest

from tests.features.test_higher import random_weights
from tests.inference.enumeration import random_tree
from treewright.features import DependencyFeatures, GenerativeModels
from treewright.features.arcs import list_arc_features
from treewright.features.generative import Counts, count_models
from treewright.inference import Trees

BITS = 18


@pytest.fixture(scope="module")
def features(ewt):
    return DependencyFeatures.of(ewt, kinds=["arc"], bits=14)


def some_probabilities(rng, n):
    probabilities = rng.random((n + 1, n + 1)) * (rng.random((n + 1, n + 1)) < 0.3)
    probabilities[:, 0] = 0
    return probabilities


def counted(features, sentences, seed=0, bits=BITS):
    rng = np.random.default_rng(seed)
    counts = Counts.zero(count_models(features.hash(sentences[0]).arcs), bits)
    for sentence in sentences:
        counts.add(features.hash(sentence).arcs, some_probabilities(rng, len(sentence)))
    return counts


def test_counts_are_those_of_the_features_of_all_arcs(features, ewt):
    """Compare with a list of the features of each arc, one by one."""
    sentences = [s for s in ewt if 1 <= len(s) <= 9][:6]
    counts = counted(features, sentences)
    rng, regions = np.random.default_rng(0), features._regions._replace(arc_mask=np.uint32((1 << BITS) - 1))
    expected, occurring = np.zeros(1 << BITS), np.zeros(1 << BITS, np.uint32)
    for sentence in sentences:
        hashed, n = features.hash(sentence), len(sentence)
        probabilities = some_probabilities(rng, n)
        arcs = [(h, m) for h in range(n + 1) for m in range(1, n + 1) if h != m]
        for h, m in arcs:
            places, ones = list_arc_features(hashed.arcs, regions, np.array([[h, m]]), np.ones(1, np.float32))
            np.add.at(expected, places, probabilities[h, m] * ones)
            np.add.at(occurring, places, 1)
    assert np.array_equal(counts.occurring, occurring)
    assert np.allclose(counts.expected, expected, atol=1e-9)
    assert counts.totals.sum() == pytest.approx(expected.sum())
    assert counts.distinct.sum() == np.count_nonzero(occurring)


def test_text_can_be_counted_in_pieces(features, ewt):
    sentences = [s for s in ewt if 1 <= len(s) <= 9][:8]
    nothing = Counts.zero(len(counted(features, sentences[:1]).totals), BITS)
    pieces = [counted(features, sentences[:1]), counted(features, sentences[:1])]
    whole = nothing.merge(pieces[0]).merge(pieces[1])
    assert np.array_equal(whole.occurring, 2 * counted(features, sentences[:1]).occurring)
    assert np.allclose(whole.expected, 2 * counted(features, sentences[:1]).expected)
    models = GenerativeModels.of(whole)
    assert len(models) == len(whole.totals)


def test_the_estimate_is_equation_6_scaled_by_equation_4(features, ewt):
    """With a table so large that nothing collides, q of one arc by hand."""
    sentences = [s for s in ewt if 4 <= len(s) <= 9][:5]
    counts = counted(features, sentences, bits=24)
    models = GenerativeModels.of(counts, eta=2.0)
    hashed = features.hash(sentences[0])
    regions = features._regions._replace(arc_mask=np.uint32((1 << 24) - 1))
    one = np.array([[2, 3]]), np.ones(1, np.float32)
    places, _ = list_arc_features(hashed.arcs, regions, *one)
    q = models.gradient(hashed.arcs, *one)
    for j, place in enumerate(places[: len(models) - 1]):
        theta = (1 + counts.expected[place]) / (counts.distinct[j] + counts.totals[j])
        assert q[j] == pytest.approx(np.log(theta / counts.occurring[place]), abs=models.scale)
    assert q[-1] == 0  # nothing stands between neighbours


@pytest.mark.parametrize("kind", ["float64", "int8"])
def test_the_score_of_a_tree_is_the_product_of_its_gradient_with_the_weights(features, ewt, kind):
    models = replace(GenerativeModels.of(counted(features, ewt[:20])), factor=0.3)
    both = features.with_models(models)
    assert both.size == features.size + len(models)
    weights = random_weights(both, kind)
    decoded = weights.decoded().astype(np.float64)
    rng = np.random.default_rng(3)
    for sentence in (s for s in ewt if 2 <= len(s) <= 12):
        heads = random_tree(rng, len(sentence), projective=True, single_root=False)
        arcs = np.stack([heads[1:], np.arange(1, len(heads))], axis=1).astype(np.int64)
        hashed = both.hash(sentence)
        places, values = both.gradient(hashed, {"arc": (arcs, np.ones(len(arcs), np.float32))})
        score = Trees(True, False).score(both.score(hashed, weights), heads)
        assert score == pytest.approx(float(values @ decoded[places]), rel=1e-4)


def test_models_survive_their_arrays(features, ewt):
    models = replace(GenerativeModels.of(counted(features, ewt[:9])), factor=0.5)
    again = GenerativeModels.restore(*models.describe())
    hashed = features.hash(ewt[4]).arcs
    arcs = np.array([[0, 1], [1, 2]]), np.ones(2, np.float32)
    assert np.array_equal(models.gradient(hashed, *arcs), again.gradient(hashed, *arcs))
    with pytest.raises(ValueError, match="malformed"):
        GenerativeModels.restore(models.describe()[0], {**models.describe()[1], "generative": models.codes[:-1]})
