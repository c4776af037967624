"""Parsers of the first and of the second order, trained on few trees."""

import pytest

from treewright import ConstituentOptions, Sentence, train_constituents
from treewright.treebank import read_trees, simplify


@pytest.fixture(scope="session")
def trees():
    return [simplify(tree) for tree in read_trees("tests/data/craft.mrg")]


@pytest.fixture(scope="session", params=["first", "second"])
def parser(request, trees):
    options = ConstituentOptions(order=request.param, tags="gold", pruner_folds=2, epochs=4, bits=18, threads=1)
    return train_constituents(trees, trees[:20], options, info={"language": "en"})


def sentence_of(tree):
    return Sentence.from_forms(tree.words, xpos=tree.tags)
