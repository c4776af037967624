"""What is said about a model."""

import re

import numpy as np

from tests.neural import networks
from treewright.model.container import save_model

ARRAYS = {"weights": np.ones(2, np.float32)}


def test_text_of_a_model_is_neither_markup_nor_control_codes(run):
    save_model("m.tw", {"kind": "pcfg", "info": {"name": "[red]x\x1b[31m"}}, ARRAYS)
    outcome = run("info", "m.tw")
    assert outcome.code == 0
    assert "[red]x\ufffd[31m" in outcome.out


def test_a_manifest_that_lacks_something_is_refused(run):
    for manifest in ({}, {"kind": "pcfg"}, {"kind": "pcfg", "info": 3}, {"kind": "pcfg", "info": {}, "grammar": []}):
        save_model("m.tw", manifest, ARRAYS)
        assert run("info", "m.tw").fails_with("m.tw", "the model is corrupted")
    save_model("m.tw", {"kind": "\x1b[31m"}, ARRAYS)
    assert run("parse", "--model", "m.tw", "--text", "Go").fails_with("another kind ('\\x1b[31m')")


def test_a_neural_model_has_relations_and_weights(run, tmp_path):
    networks.parser().save(tmp_path / "tiny.tw")
    outcome = run("info", tmp_path / "tiny.tw")
    assert re.search(r"relations +3 *\n", outcome.out)
    assert re.search(r"weights +\d\d,\d\d\d", outcome.out)
