"""Scores, and the features of parts."""

import numpy as np
import pytest

from tests.constituency.tag.conftest import sentence_of
from treewright import ConstituentParser
from treewright.constituency.tag import search
from treewright.constituency.tag.parts import list_between
from treewright.constituency.tag.scorers import LinearTagScorer
from treewright.constituency.tag.tags import with_coarse_tags
from treewright.features import Weights


def test_scores_are_products_of_weights_and_features(parser, trees):
    rng = np.random.default_rng(1)
    weights = Weights(rng.normal(size=parser.scorer.features.size).astype(np.float64))
    doubtful = ConstituentParser(LinearTagScorer(parser.scorer.features, weights), parser.pruner, None, {})
    for tree in trees[:8]:
        space, scores, _ = doubtful.explore(sentence_of(tree), keep_tags=True)
        score, joins = search.best(space, scores)
        parts = space.parts_of(joins)
        hashed = parser.scorer.features.hash(with_coarse_tags(sentence_of(tree)))
        places, values = parser.scorer.features.gradient(hashed, space, parts, np.ones(len(parts), np.float32))
        assert float(weights.values[places] @ values) == pytest.approx(score, rel=1e-6)


def test_labels_depend_on_the_tags_in_between(parser, trees):
    """What one label of an arc has more than another changes with a tag that is far from both ends."""
    rng = np.random.default_rng(1)
    weights = Weights(rng.normal(size=parser.scorer.features.size).astype(np.float64))
    checked = 0
    for tree in trees:
        sentence = sentence_of(tree)
        space, _, _ = parser.explore(sentence, keep_tags=True)
        heads, modifiers = space.links.heads, space.links.modifiers
        far = (np.abs(heads - modifiers) > 6) & (np.diff(space.rows.arc_of, append=-1) == 0)
        for link in np.flatnonzero(far)[:3].tolist():  # the next link has the same arc
            middle = int(heads[link] + modifiers[link]) // 2 - 1
            tags = list(sentence.xpos)
            tags[middle] = "UH" if tags[middle] != "UH" else "SYM"
            differences = []
            for other in (sentence, sentence.replace(xpos=tags)):
                scores = parser.scorer.features.score(
                    parser.scorer.features.hash(with_coarse_tags(other)), weights, space
                )
                one, two = scores[space.layout.sibling[link : link + 2]]
                differences.append(one - two)
            assert abs(differences[0] - differences[1]) > 1e-9
            checked += 1
    assert checked


def test_each_tag_between_the_ends_of_an_arc_counts_once():
    tags = np.array([0, 7, 8, 8, 9, 7], np.uint32)
    rows, arcs = list_between(np.array([[0, 1], [1, 5], [5, 2], [0, 4]]), tags)
    assert rows.tolist() == [[2, 1, 5], [4, 1, 5], [3, 5, 2], [4, 5, 2], [1, 0, 4], [2, 0, 4]]
    assert arcs.tolist() == [1, 1, 2, 2, 3, 3]
    assert list_between(np.array([[1, 2]]), tags)[0].shape == (0, 3)
