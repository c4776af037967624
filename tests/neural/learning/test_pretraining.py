from dataclasses import replace

import torch

from tests.neural.learning.tiny import INPUTS, SENTENCES
from treewright.neural.learning import loop
from treewright.neural.learning.corpus import Corpus
from treewright.neural.learning.pretraining import masked, pretrain
from treewright.neural.options import PretrainingOptions
from treewright.neural.words import MASK, ROOT, UNKNOWN

OPTIONS = PretrainingOptions(width=16, layers=1, heads=2, batch=2, epochs=2, device="cpu")
CORPUS = Corpus.of([sentence.forms for sentence in SENTENCES * 60])


def test_a_quarter_of_the_words_is_hidden_and_roots_never_are():
    torch.manual_seed(0)
    rows = torch.from_numpy(CORPUS.rows(INPUTS))[torch.from_numpy(CORPUS.windows()).long()]
    shown, places, targets = masked(rows, torch.from_numpy(INPUTS.special(MASK)))
    assert places.shape == (len(rows), 32)
    root = rows[..., 0] == ROOT
    assert torch.equal(shown[root], rows[root])
    own = rows[..., 0].gather(1, places).long()
    assert torch.equal(targets[targets >= 0], own[targets >= 0])
    assert set(own[targets < 0].tolist()) <= {UNKNOWN}
    hidden = (shown.gather(1, places[..., None].expand(-1, -1, 7))[..., 0] == MASK).float().mean()
    assert 0.7 < hidden < 0.95


def _bits(network):
    return torch.cat([one.flatten() for one in network.arrays().values()])


def test_the_same_seed_gives_the_same_bits():
    network, trained = pretrain(CORPUS, INPUTS, OPTIONS)
    assert trained.optimizer.steps == 6
    assert torch.equal(_bits(network), _bits(pretrain(CORPUS, INPUTS, OPTIONS)[0]))


def test_the_loss_falls(monkeypatch):
    monkeypatch.setattr(loop, "_PAUSE", 0.0)
    said = []
    pretrain(CORPUS, INPUTS, replace(OPTIONS, epochs=25), report=said.append)
    assert said[-1].share == 1.0
    assert sum(status.loss for status in said[-5:]) < 0.8 * sum(status.loss for status in said[:5])
