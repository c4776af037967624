"""Teachers and students that know different values of a column."""

from dataclasses import replace

import pytest

from tests.neural.learning.tiny import SENTENCES
from treewright.neural.settings import NetworkSettings
from treewright.neural.trained import TrainedNetwork
from treewright.neural.words import WordInputs

torch = pytest.importorskip("torch")

from treewright.neural.learning.distillation import teach  # noqa: E402
from treewright.neural.learning.network import Network  # noqa: E402

SETTINGS = NetworkSettings.of(SENTENCES, width=16, layers=1, heads=2, arc=8, label=4, tag_width=8)
OTHER = replace(SETTINGS, columns={**SETTINGS.columns, "lemma": ["another script"]})
ROWS, WORDS = torch.zeros(1, 3, 7, dtype=torch.int64), torch.ones(1, 3, dtype=torch.bool)


def test_a_column_of_other_values_is_taught_by_those_that_know_it():
    torch.manual_seed(1)
    first, second = (Network(settings, 50).eval() for settings in (SETTINGS, OTHER))
    for parameter in (*first.parameters(), *second.parameters()):
        torch.nn.init.normal_(parameter)
    given = teach([first, second], [ROWS, ROWS], WORDS)
    with torch.no_grad():
        ours, theirs = (one(ROWS, WORDS).columns for one in (first, second))
    assert torch.allclose(given.columns["lemma"], ours["lemma"].softmax(-1))
    both = (ours["upos"].softmax(-1) + theirs["upos"].softmax(-1)) / 2
    assert torch.allclose(given.columns["upos"], both)
    assert not torch.allclose(both, ours["upos"].softmax(-1))


def test_what_means_something_else_under_other_settings_is_not_taken_over():
    torch.manual_seed(1)
    inputs = WordInputs.of({form: 1 for sentence in SENTENCES for form in sentence.forms})
    arrays = {name: one.numpy() for name, one in Network(SETTINGS, inputs.size).arrays().items()}
    network = TrainedNetwork(SETTINGS, inputs, arrays)
    assert network.parameters_for(SETTINGS).keys() == network.parameters.keys()
    assert network.parameters.keys() - network.parameters_for(OTHER).keys() == {"lemma", "lemma_bias"}
    renamed = replace(SETTINGS, labels=[f"{label}:other" for label in SETTINGS.labels])
    assert network.parameters.keys() - network.parameters_for(renamed).keys() == {"label"}
