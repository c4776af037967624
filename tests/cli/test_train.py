from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

import treewright
from treewright.treebank import read_string

DATA = Path(__file__).parents[1] / "data"
EWT = DATA / "ewt.conllu"
QUICK = ("--epochs", 2, "--folds", 2)


def test_a_trained_model_parses(run, tmp_path):
    outcome = run("train", EWT, "--dev", EWT, "--output", "my.tw", "--language", "en", *QUICK)
    assert outcome.code == 0, outcome.err
    assert re.search(r"epoch +1 .*dev LAS [\d.]+  UAS [\d.]+", outcome.err)
    assert "Saved my.tw" in outcome.err
    [sentence] = read_string(run("parse", "--model", "my.tw", "--text", "The dog sleeps.").out)
    assert sorted(sentence.heads)[0] == 0
    about = json.loads(run("info", "my.tw", "--json").out)
    assert about["name"] == "my"
    assert about["options"]["learner"] == "mira"
    assert set(about["dev"]) == {"LAS", "UAS", "UPOS", "XPOS", "FEATS"}
    assert "LAS" in run("info", "my.tw").out


@pytest.mark.parametrize(
    "options",
    [
        ("--tags", "gold", "--trees", "nonprojective", "--roots", "multi"),
        ("--tags", "gold", "--learner", "perceptron"),
    ],
)
def test_options_reach_the_model(run, options):
    assert run("train", EWT, "--dev", EWT, "--output", "my.tw", *QUICK, *options).code == 0
    parser = treewright.load("my.tw")
    trained = parser.info["options"]
    for name, value in zip(options[::2], options[1::2], strict=True):
        assert trained[name.removeprefix("--")] == value
    assert parser.trees.projective == (trained["trees"] == "projective")
    assert parser.trees.single_root == (trained["roots"] == "single")
    assert run("parse", "--model", "my.tw", "--text", "No tagger.").fails_with("no tagger", "--keep-tags")
    assert run("parse", "--model", "my.tw", EWT, "--keep-tags").code == 0


def test_what_cannot_be_learned_from_is_one_line(run, tmp_path):
    (tmp_path / "empty.conllu").write_text("")
    (tmp_path / "bare.conllu").write_text("1\tGo\t_\t_\t_\t_\t_\t_\t_\t_\n\n")

    def train(treebank, dev, output="my.tw", *options):
        return run("train", treebank, "--dev", dev, "--output", output, *options)

    assert train("empty.conllu", EWT).fails_with("training treebank has no sentences")
    assert train(EWT, "empty.conllu").fails_with("dev treebank has no sentences")
    assert train("bare.conllu", EWT).fails_with("without heads")
    assert train("none.conllu", EWT).fails_with("none.conllu")
    assert train(EWT, EWT, "no/such/my.tw").fails_with("no folder")
    assert train(EWT, EWT, tmp_path).fails_with("directory")
    assert train(EWT, EWT, "my.tw", "--folds", 500).fails_with("500 folds")
    assert train(EWT, EWT, "my.tw", "--epochs", 0).fails_with("--epochs", code=2)
    assert run("train", EWT).fails_with("--dev", code=2)
    assert sorted(os.listdir(tmp_path)) == ["bare.conllu", "empty.conllu"]


def test_a_missing_file_is_named_before_anything_is_compiled(run, monkeypatch):
    monkeypatch.setattr("treewright.kernels.are_compiled", lambda task: False)
    assert run("train", "none.conllu", "--dev", EWT, "--output", "my.tw").fails_with("none.conllu")
    assert run("train", EWT, "--dev", "none.conllu", "--output", "my.tw").fails_with("none.conllu")


def test_interrupting_keeps_the_best_model_so_far(run, monkeypatch):
    from treewright.learning import training

    original = training._run_epoch

    def interrupted(problem, learner, weights, order, number, *rest):
        if number == 3:
            raise KeyboardInterrupt
        return original(problem, learner, weights, order, number, *rest)

    monkeypatch.setattr(training, "_run_epoch", interrupted)
    outcome = run("train", EWT, "--dev", EWT, "--output", "my.tw", "--tags", "gold", "--epochs", 9)
    assert outcome.code == 0
    assert treewright.load("my.tw").info["epoch"] in (1, 2)


def test_interrupting_before_anything_is_learned_writes_nothing(run, monkeypatch, tmp_path):
    def interrupted(*rest):
        raise KeyboardInterrupt

    monkeypatch.setattr("treewright.learning.training._run_epoch", interrupted)
    assert run("train", EWT, "--dev", EWT, "--output", "my.tw", "--tags", "gold").fails_with("interrupted", code=130)
    assert os.listdir(tmp_path) == []
