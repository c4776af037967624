import signal

import pytest
import torch

from tests.neural.learning.tiny import INPUTS, SENTENCES, tiny_settings
from treewright.errors import UsageError
from treewright.neural.learning import loop
from treewright.neural.learning.training import hidden, train_network
from treewright.neural.options import NetworkOptions
from treewright.neural.words import ROOT, UNKNOWN

OPTIONS = NetworkOptions(batch_words=12, device="cpu", rate=0.01, dropout=0.1)


def _train(epochs=4, **choices):
    return train_network(SENTENCES, SENTENCES, tiny_settings(), INPUTS, OPTIONS, epochs=epochs, **choices)


def _bits(network):
    return torch.cat([one.flatten() for one in network.arrays().values()])


def test_the_same_seed_gives_the_same_bits_and_another_seed_others():
    network, trained = _train()
    assert trained.optimizer.steps == 8
    assert torch.equal(_bits(network), _bits(_train()[0]))
    assert not torch.equal(_bits(network), _bits(_train(seed=2)[0]))


def test_training_that_is_broken_off_goes_on_to_the_same_bits(tmp_path, monkeypatch):
    path = tmp_path / "checkpoint"
    whole = _train(30)[1].network

    def stop(status):
        if status.step == 3:
            signal.raise_signal(signal.SIGINT)  # Ctrl-C

    monkeypatch.setattr(loop, "_PAUSE", 0.0)
    assert _train(30, checkpoint=path, report=stop)[1].interrupted
    _, resumed = _train(30, checkpoint=path)
    assert torch.equal(_bits(whole), _bits(resumed.network))
    with pytest.raises(UsageError, match="another training"):
        _train(31, checkpoint=path)


def test_hidden_words_are_unknown_and_roots_are_not():
    rows = torch.from_numpy(INPUTS.rows(SENTENCES[0].forms))[None]
    torch.manual_seed(0)
    unknown = torch.from_numpy(INPUTS.special(UNKNOWN))
    shown = hidden(rows, unknown, 0.9)
    assert shown[0, 0, 0] == ROOT
    assert torch.equal(shown[0, 0], rows[0, 0])
    assert not torch.equal(shown, rows)
    assert torch.equal(hidden(rows, unknown, 0.0), rows)
