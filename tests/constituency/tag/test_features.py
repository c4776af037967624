"""Scores, and the features of parts."""

import numpy as np
import pytest

from tests.constituency.tag.conftest import sentence_of
from treewright import ConstituentParser
from treewright.constituency.tag import search
from treewright.constituency.tag.tags import with_coarse_tags
from treewright.features import Weights


def test_scores_are_products_of_weights_and_features(parser, trees):
    rng = np.random.default_rng(1)
    weights = Weights(rng.normal(size=parser.features.size).astype(np.float64))
    doubtful = ConstituentParser(parser.features, weights, parser.pruner, None, {})
    for tree in trees[:8]:
        space, scores, _ = doubtful.explore(sentence_of(tree), keep_tags=True)
        score, joins = search.best(space, scores)
        parts = space.parts_of(joins)
        hashed = parser.features.hash(with_coarse_tags(sentence_of(tree)))
        places, values = parser.features.gradient(hashed, space, parts, np.ones(len(parts), np.float32))
        assert float(weights.values[places] @ values) == pytest.approx(score, rel=1e-6)
