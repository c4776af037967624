"""Constituent parsers with networks: what they learn, what they begin with, what is refused."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from treewright import ConstituentOptions, ConstituentParser, Sentence, UsageError, train_constituents
from treewright.dependency.network_training import open_start
from treewright.neural.learning.network import Encoder
from treewright.neural.network import Network
from treewright.neural.options import NetworkOptions
from treewright.neural.settings import NetworkSettings
from treewright.neural.trained import TrainedNetwork
from treewright.neural.words import WordInputs
from treewright.parsing.mixture import Mixture

OPTIONS = ConstituentOptions(epochs=60, calibrate="none", threads=1)
TINY = NetworkOptions(width=32, layers=1, heads=2, batch_words=60, rate=0.01, dropout=0.0, word_dropout=0.0)


@pytest.fixture(scope="module")
def short(trees):
    return [tree for tree in trees if 3 <= len(tree) <= 9]


def test_it_learns_what_it_is_shown_and_the_same_again(short, tmp_path):
    parser = train_constituents(short, short, OPTIONS, network=TINY, folder=tmp_path)
    assert parser.info["dev"]["F1"] > 95
    assert parser.info["options"]["order"] == "first"
    assert not parser.needs_tags
    again = train_constituents(short, short, OPTIONS, network=TINY)
    for name, array in parser.scorer.network.arrays.items():
        np.testing.assert_array_equal(array, again.scorer.network.arrays[name])
    parser.save(tmp_path / "tiny.tw")
    sentence = Sentence.from_forms(short[0].words)
    assert ConstituentParser.open(tmp_path / "tiny.tw").parse_sentence(sentence) == parser.parse_sentence(sentence)


def test_temperatures_are_fitted_on_trees_that_were_not_learned_from(short):
    options = replace(OPTIONS, epochs=12)
    parsers = {
        kind: train_constituents(short * 3, short[:4], replace(options, calibrate=kind), network=TINY)
        for kind in ("none", "aside", "twice")
    }
    assert parsers["none"].temperatures == Mixture() != parsers["twice"].temperatures
    assert parsers["aside"].temperatures == parsers["twice"].temperatures  # both are fitted to the same rest
    arrays = {kind: parser.scorer.network.arrays for kind, parser in parsers.items()}
    assert all((arrays["none"][name] == arrays["twice"][name]).all() for name in arrays["none"])
    assert any((arrays["none"][name] != arrays["aside"][name]).any() for name in arrays["none"])


def test_it_begins_with_an_encoder_or_with_that_of_a_parser(short, tmp_path):
    inputs = WordInputs.of({form: 2 for tree in short for form in tree.words})
    torch.manual_seed(1)
    encoder = Encoder(NetworkSettings(width=32, layers=1, heads=2), inputs.size)
    arrays = {name: one.numpy() for name, one in encoder.arrays().items()}
    TrainedNetwork(encoder.settings, inputs, arrays).save(tmp_path / "encoder.tw")
    begun = NetworkOptions(**{**vars(TINY), "encoder": str(tmp_path / "encoder.tw"), "rate": 0.0})
    parser = train_constituents(short, short, replace(OPTIONS, epochs=1), network=begun)
    network = parser.scorer.network
    assert network.inputs.size == inputs.size
    of_file = Network.quantized(network.settings, inputs, TrainedNetwork.of(network).parameters | arrays).arrays
    np.testing.assert_array_equal(network.arrays["layers.0.qkv"], of_file["layers.0.qkv"])  # the rate is 0
    parser.save(tmp_path / "parser.tw")
    start = open_start(str(tmp_path / "parser.tw"))
    assert start.is_encoder
    assert np.abs(start.parameters["layers.0.qkv"] - arrays["layers.0.qkv"]).max() < 0.01


def test_what_cannot_be_begun_with_is_refused(tmp_path):
    with pytest.raises(UsageError, match="has no encoder"):
        open_start("en-linear")


def test_what_linear_models_alone_have_is_refused(short):
    with pytest.raises(UsageError, match="no --tags, --pruner-folds"):
        train_constituents(short, short, ConstituentOptions(tags="gold", pruner_folds=2), network=TINY)
