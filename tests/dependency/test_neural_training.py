from dataclasses import asdict, replace

import numpy as np
import pytest
import torch

from tests.neural.learning.tiny import INPUTS, SENTENCES, tiny_settings
from treewright import Parser
from treewright.dependency.neural_training import neural_parser, train_neural_parser
from treewright.dependency.options import TrainingOptions
from treewright.errors import UsageError
from treewright.inference import Trees
from treewright.neural.learning.network import Encoder, Network
from treewright.neural.options import NetworkOptions
from treewright.neural.trained import TrainedNetwork
from treewright.parsing.progress import Reporter

TINY = NetworkOptions(width=16, layers=1, heads=2, batch_words=12, rate=0.01, dropout=0.0, device="cpu")


def test_a_parser_is_trained_saved_and_parses(tmp_path):
    options = TrainingOptions(epochs=40, calibrate="none", threads=1)
    parser = train_neural_parser(SENTENCES * 2, SENTENCES, options, TINY, folder=tmp_path)
    assert parser.info["dev"]["LAS"] > 90
    assert list(parser.info["dev"]) == ["LAS", "UAS", "UPOS", "LEMMAS"]
    parser.save(tmp_path / "tiny.tw")
    again = Parser.open(tmp_path / "tiny.tw").parse_sentence(SENTENCES[0])
    assert again.heads.tolist() == SENTENCES[0].heads.tolist()
    assert again.lemmas == parser.parse_sentence(SENTENCES[0]).lemmas


def test_partial_trees_are_learned_from():
    heads = np.array([2, -1, 0, -1], np.int32)
    partial = [SENTENCES[0].replace(heads=heads), *SENTENCES[1:]]
    options = TrainingOptions(epochs=2, calibrate="none")
    parser = train_neural_parser(partial, SENTENCES, options, TINY)
    assert parser.parse_sentence(SENTENCES[0]).heads.min() == 0
    with pytest.raises(UsageError, match="without heads"):
        train_neural_parser(partial, SENTENCES, options, NetworkOptions(loss="hinge"))


def test_what_linear_models_alone_have_is_refused():
    with pytest.raises(UsageError, match="no --learner, --min-count"):
        train_neural_parser(SENTENCES, SENTENCES, TrainingOptions(learner="perceptron", min_count=2), TINY)
    with pytest.raises(UsageError, match="twice or not at all, not folds"):
        train_neural_parser(SENTENCES, SENTENCES, TrainingOptions(calibrate="folds"), TINY)
    with pytest.raises(UsageError, match="it cannot do without lemmas"):
        train_neural_parser(SENTENCES, SENTENCES, TrainingOptions(without=("tokenizer", "lemmas")), TINY)
    with pytest.raises(UsageError, match="choose --loss tree-crf or hinge"):
        train_neural_parser(SENTENCES, SENTENCES, TrainingOptions(factorization="sibling"), TINY)


def test_a_tokenizer_is_learned_unless_it_is_left_out():
    options = TrainingOptions(epochs=1, calibrate="none")
    assert train_neural_parser(SENTENCES, SENTENCES, options, TINY).tokenizer is not None
    without = replace(options, without=("tokenizer",))
    assert train_neural_parser(SENTENCES, SENTENCES, without, TINY).tokenizer is None


def test_an_encoder_is_no_parser(tmp_path):
    torch.manual_seed(0)
    arrays = {name: one.numpy() for name, one in Encoder(tiny_settings(), INPUTS.size).arrays().items()}
    path = tmp_path / "encoder.tw"
    TrainedNetwork(tiny_settings(), INPUTS, arrays).save(path)
    opened = TrainedNetwork.open(path)
    assert opened.is_encoder
    assert np.abs(opened.parameters["layers.0.up"] - arrays["layers.0.up"]).max() < 0.02
    with pytest.raises(UsageError, match="an encoder scores no trees"):
        neural_parser(opened, Trees())


def test_a_network_with_larger_parts_has_a_pruner():
    settings = tiny_settings(factorization="sibling")
    torch.manual_seed(0)
    arrays = {name: one.numpy() for name, one in Network(settings, INPUTS.size).arrays().items()}
    parser = neural_parser(TrainedNetwork(settings, INPUTS, arrays), Trees(factorization="sibling"))
    assert parser.pruner is not None
    assert [stage.trees for stage in parser.pruner.stages] == [Trees()]


def test_trees_are_made_projective_for_losses_of_projective_trees_and_several_roots_refused():
    crossing = SENTENCES[2].replace(heads=np.array([4, 3, 0, 3, 2], np.int32))
    network = NetworkOptions(**{**asdict(TINY), "loss": "tree-crf"})
    options = TrainingOptions(epochs=2, calibrate="none")
    losses = []

    class Losses(Reporter):
        def epoch(self, epoch):
            losses.append(epoch.loss)

    train_neural_parser([*SENTENCES, crossing], SENTENCES, options, network, report=Losses())
    assert np.isfinite(losses).all()
    rooted = SENTENCES[1].replace(heads=np.array([0, 0, 2], np.int32))
    with pytest.raises(UsageError, match="sentence 2 of the training treebank has several roots"):
        train_neural_parser([SENTENCES[0], rooted], SENTENCES, options, network)
