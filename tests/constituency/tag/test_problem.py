"""What there is to learn from derivations, and how gold derivations are found in a space."""

import numpy as np
import pytest

from tests.constituency.tag.conftest import sentence_of
from treewright import ConstituentParser, Sentence
from treewright.constituency.spines import Derivation, Grammar, Spine, extract_derivation
from treewright.constituency.spines.spines import SpineTable
from treewright.constituency.tag import search
from treewright.constituency.tag.automata import Automata
from treewright.constituency.tag.candidates import SpineDictionary
from treewright.constituency.tag.features import TagFeatures, TagSettings
from treewright.constituency.tag.links import Links, Senses, sort_links
from treewright.constituency.tag.problem import TagProblem, gold_of, joins_of_gold
from treewright.constituency.tag.scorers import LinearTagScorer
from treewright.constituency.tag.space import Space
from treewright.constituency.tag.tags import with_coarse_tags
from treewright.features import Weights
from treewright.learning import Perceptron, train

#: More labels than fit into four digits, and two places for each.
LABELS = 10_001
AUTOMATA = Automata(Grammar([Spine((f"L{number}",)) for number in range(LABELS)], {"x": {0: 1}}))


def derivation(last, adjunction):
    """Join the second and the third word to the first, whose only node is L0."""
    return Derivation.from_lists(
        "abc", "xxx", spines=[0, 0, last], heads=[0, 1, 1], positions=[0, 0, 0], adjunctions=[0, adjunction, 0]
    )


@pytest.mark.parametrize(("last", "adjunction"), [(LABELS - 1, 0), (0, 1)])
def test_links_are_told_apart_whatever_their_numbers(last, adjunction):
    """Place 0 with top 10,000 is not place 1 with top 0, though both are the digits 1 0000."""
    candidates = [gold_of(AUTOMATA, derivation(LABELS - 1, 0)), gold_of(AUTOMATA, derivation(0, 1))]
    links = sort_links(Links(*map(np.append, *(gold.links for gold in candidates))))
    senses = Senses(np.array([0, 1, 2, 3, 5]), np.array([AUTOMATA.root, 0, 0, 0, LABELS - 1]))
    space = Space.of(AUTOMATA.tables, senses, links, second=True)
    gold = gold_of(AUTOMATA, derivation(last, adjunction))
    joins = joins_of_gold(space, gold)
    for column, wanted in zip(space.links, gold.links, strict=True):
        assert column[joins.links].tolist() == wanted.tolist()
    found = space.derivation(Sentence.from_forms("abc", xpos="xxx"), joins)
    assert found.spines.tolist() == [0, 0, last]
    assert found.positions.tolist() == [0, 0, 0]
    assert found.adjunctions.tolist() == [0, adjunction, 0]


def test_the_objective_of_the_perceptron_is_reached(parser, trees):
    """The data are separable: there comes an epoch without a mistake."""
    automata, table = parser.scorer.features.automata, SpineTable(parser.scorer.features.automata.grammar.spines)
    few = trees[:12]
    sentences = [with_coarse_tags(sentence_of(tree)) for tree in few]
    gold = [gold_of(automata, extract_derivation(tree, "collins", table)) for tree in few]
    settings = TagSettings.of(sentences, second=parser.scorer.features.settings.second, bits=18)
    features = TagFeatures(settings, parser.scorer.features.lexicon, automata)
    problem = TagProblem(sentences, gold, features, SpineDictionary(automata), _prune(parser, sentences))
    result = train(problem, Perceptron(), epochs=20, patience=20)
    assert result.epochs[0].loss > 1
    assert min(epoch.loss for epoch in result.epochs) == 0


def _prune(parser, sentences):
    return lambda number, choices: parser.pruner.links(sentences[number], choices)


def test_margins_are_differences_of_scores(parser, trees):
    automata, table = parser.scorer.features.automata, SpineTable(parser.scorer.features.automata.grammar.spines)
    tree = trees[3]
    sentence, gold = with_coarse_tags(sentence_of(tree)), gold_of(automata, extract_derivation(tree, "collins", table))
    dictionary = SpineDictionary(automata)
    problem = TagProblem([sentence], [gold], parser.scorer.features, dictionary, _prune(parser, [sentence]))
    weights = Weights(np.random.default_rng(2).normal(size=parser.scorer.features.size).astype(np.float32))
    mistake = problem.mistake(0, weights, 0.0)
    space, scores, _ = ConstituentParser(
        LinearTagScorer(parser.scorer.features, weights), parser.pruner, None, {}
    ).explore(sentence, keep_tags=True)
    best, _ = search.best(space, scores)
    assert mistake.loss > 0
    right = joins_of_gold(space, gold)
    parts = space.parts_of(right)
    assert mistake.margin == pytest.approx(float(scores[parts].sum()) - best, rel=1e-4, abs=1e-2)
    assert problem.mistake(0, weights, 1e6).loss == len(tree)  # the most costly derivation has nothing right
