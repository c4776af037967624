"""Features that are seen too seldom are not learned."""

import numpy as np

from treewright.dependency.problem import ParsingProblem
from treewright.features import DependencyFeatures
from treewright.inference import Trees
from treewright.learning import Perceptron, train


def learned(sentences, minimum, factorization="sibling"):
    features = DependencyFeatures.of(sentences, kinds=["arc", "sibling", "label"], bits=16)
    problem = ParsingProblem(sentences, features, Trees(factorization=factorization), minimum=minimum)
    return train(problem, Perceptron(), epochs=3).weights.values


def test_features_of_the_same_sentence_twice_are_all_learned(ewt):
    twice = [ewt[3], ewt[3], ewt[5], ewt[5]]
    assert np.array_equal(learned(twice, 1), learned(twice, 2))


def test_features_seen_once_are_not(ewt):
    everything, often = (np.count_nonzero(learned(ewt[:6], minimum)) for minimum in (1, 2))
    assert 0 < often < everything


def test_what_is_learned_is_counted_by_hand():
    from treewright.treebank import Sentence

    def sentence(forms, heads):
        return Sentence.from_forms(forms, upos=["X", "Y"], deprels=["a", "b"], heads=np.array(heads))

    # Two sentences with different words and the same tags: features of tags are seen twice, features of words once.
    some = [sentence(["p", "q"], [2, 0]), sentence(["r", "s"], [2, 0])]
    features = DependencyFeatures.of(some, kinds=["arc", "label"], bits=18)
    problem = ParsingProblem(some, features, Trees(), minimum=2)
    rows = np.array([[2, 1]]), np.ones(1, np.float32)
    labels = np.array([[2, 1, 1]]), np.ones(1, np.float32)
    for parts in ({"arc": rows}, {"label": labels}):
        lists = [set(problem.gradient(features.hash(one), parts)[0].tolist()) for one in some]
        whole = [set(features.gradient(features.hash(one), parts)[0].tolist()) for one in some]
        assert lists[0] == lists[1] == whole[0] & whole[1]
        assert lists[0] < whole[0]
