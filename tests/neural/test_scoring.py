import numpy as np
import pytest

from tests.neural.networks import INPUTS, WORDS, Reference, network
from treewright.inference import Parts
from treewright.inference.kinds import FACTORIZATIONS
from treewright.inference.parts import all_parts
from treewright.neural.scorer import NeuralScorer
from treewright.treebank import Sentence


def both(length, **choices):
    net, forms = network(wide=True, **choices), (WORDS * 2)[:length]
    return net, Reference(net.settings, net.arrays, INPUTS.rows(forms)), Sentence.from_forms(forms)


@pytest.mark.parametrize("length", [1, 7, 20])
def test_arcs_labels_and_columns(length):
    net, reference, sentence = both(length)
    scores = NeuralScorer(net).score(sentence)
    assert scores.arc == pytest.approx(reference.arc(), abs=1e-4)
    assert scores.label == pytest.approx(reference.label(), abs=1e-4)
    columns = net.encode(sentence.forms).columns
    for name, logits in reference.columns().items():
        assert columns[name] == pytest.approx(logits, abs=1e-4)


@pytest.mark.parametrize("factorization", [name for name in FACTORIZATIONS if name != "arc"])
def test_larger_parts(factorization):
    net, reference, sentence = both(5, factorization=factorization)
    scores, parts = NeuralScorer(net).score(sentence), all_parts(5)
    assert scores.higher.keys() == {str(kind) for kind in reference.kinds}
    for kind in reference.kinds:
        wanted = [reference.part(kind, row) for row in parts.rows(kind).tolist()]
        assert getattr(scores, kind) == pytest.approx(np.array(wanted), abs=1e-4)


def test_parts_that_survive_have_the_scores_of_all():
    net, reference, sentence = both(6, factorization="grand-sibling")
    parts = Parts(np.random.default_rng(1).random((7, 7)) < 0.5)
    scores = NeuralScorer(net).score(sentence, parts)
    assert scores.arc == pytest.approx(reference.arc()[tuple(parts.arc.T)], abs=1e-4)
    assert scores.label == pytest.approx(reference.label()[tuple(parts.arc.T)], abs=1e-4)
    wanted = [reference.part(reference.kinds[0], row) for row in parts.sibling.tolist()]
    assert scores.sibling == pytest.approx(np.array(wanted), abs=1e-4)


def test_what_prunes_scores_arcs_alone():
    net, reference, sentence = both(4, factorization="sibling")
    scores = NeuralScorer(net, arcs_only=True).score(sentence)
    assert scores.arrays.keys() == {"arc"}
    assert scores.arc == pytest.approx(reference.arc(), abs=1e-4)


def test_a_network_without_labels_and_columns():
    net, _, sentence = both(4, labels=[], columns={})
    assert NeuralScorer(net).score(sentence).arrays.keys() == {"arc"}
    assert net.encode(sentence.forms).columns == {}
