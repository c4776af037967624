from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from treewright.reranking import CandidatesBuilder, Reranker, write_candidates

RIGHT, WRONG = "(S (NP she) (VP sleeps))", "(S (X she sleeps))"


def make(path, sentences=12, text=True, gold=True):
    builder = CandidatesBuilder()
    for i in range(sentences):
        builder.add(
            [-1.0, -1.5, -9.0],
            [0.5, 1.0, 0.0] if gold else [0, 0, 0],
            [["S -> X", f"rare {i}"], ["S -> NP VP"], ["S -> X", "S -> Y"]],
            ids=[WRONG, RIGHT, "(Y)"] if text else None,
        )
    write_candidates(path, builder.build())


@pytest.fixture
def model(run, tmp_path):
    make(tmp_path / "train.jsonl.gz")
    make(tmp_path / "dev.npz", 3)
    outcome = run("rerank", "train", "train.jsonl.gz", "--dev", "dev.npz", "--rounds", 50, "--output", "my.tw")
    assert outcome.code == 0, outcome.err
    assert "dev 1.0000, base model 0.5000, best possible 1.0000." in outcome.err.splitlines()[-1]
    return "my.tw"


def test_an_optimizer_that_would_be_ignored_is_refused(run, tmp_path):
    (tmp_path / "c.jsonl").touch()
    train = ("rerank", "train", "c.jsonl", "--optimizer", "cg", "--output", "x.tw")
    assert run(*train).fails_with("--optimizer cg", "--learner hidden")


def test_train_keeps_frequent_features(model):
    assert {*Reranker.open(model).names} <= {"S -> X", "S -> NP VP", "S -> Y"}


@pytest.mark.parametrize("learner", ["boost", "log-bound", "log-selection", "log-linear", "perceptron"])
def test_every_learner_trains(run, tmp_path, learner):
    make(tmp_path / "train.npz")
    outcome = run("rerank", "train", "train.npz", "--learner", learner, "--rounds", 5, "--output", "my.tw", "--quiet")
    assert (outcome.code, outcome.err) == (0, "")
    assert run("rerank", "apply", "my.tw", "train.npz", "-q").out == f"{RIGHT}\n" * 12


def test_train_says_where_there_is_nothing_to_choose(run, tmp_path):
    make(tmp_path / "some.jsonl")
    lines = (tmp_path / "some.jsonl").read_text().splitlines()
    alone = json.loads(lines[0])
    del alone["candidates"][1:]
    equal = json.loads(lines[1])
    for candidate in equal["candidates"]:
        candidate["gold"] = 0.5
    (tmp_path / "train.jsonl").write_text("\n".join([lines[0], json.dumps(alone), json.dumps(equal), *lines[1:]]))
    outcome = run("rerank", "train", "train.jsonl", "--rounds", 5, "--output", "my.tw")
    assert outcome.code == 0
    assert "In 2 of 14 lists there is nothing to choose" in outcome.err
    assert "the first of them number 2." in outcome.err
    assert run("rerank", "apply", "my.tw", "train.jsonl", "-q").out.splitlines()[:2] == [RIGHT, WRONG]
    assert "nothing to choose" not in run("rerank", "train", "some.jsonl", "--rounds", 5, "--output", "my.tw").err


def test_apply_writes_trees_or_json(run, model, tmp_path):
    make(tmp_path / "new.jsonl", 2, gold=False)
    outcome = run("rerank", "apply", model, "new.jsonl")
    assert (outcome.code, outcome.out) == (0, f"{RIGHT}\n{RIGHT}\n")
    assert run("rerank", "apply", model, "new.jsonl", "--output", "out.mrg").out == ""
    assert (tmp_path / "out.mrg").read_text() == f"{RIGHT}\n{RIGHT}\n"
    lines = run("rerank", "apply", model, "new.jsonl", "--json").out.splitlines()
    choice = json.loads(lines[0])
    assert choice["chosen"] == 1
    assert choice["scores"][1] == max(choice["scores"])


def test_evaluate_compares_with_the_base_model_and_another(run, model):
    outcome = run("rerank", "evaluate", "dev.npz", model)
    assert outcome.code == 0
    assert "3 sentences, 3.0 candidates each" in outcome.out
    assert "Against the base model: better in 3, worse in 0, as good in 0 sentences" in outcome.out
    read = json.loads(run("rerank", "evaluate", "dev.npz", model, "--against", model, "--json").out)
    assert (read["chosen"], read["base"], read["other"], read["against_other"]["tied"]) == (1.0, 0.5, 1.0, 3)
    alone = run("rerank", "evaluate", "dev.npz")
    assert "base model" in alone.out
    assert "Against" not in alone.out


def test_evaluate_looks_back_on_rounds(run, model, tmp_path):
    outcome = run("rerank", "evaluate", "dev.npz", model, "--rounds", 0, "--curve", "curve.csv", "--json")
    assert json.loads(outcome.out)["chosen"] == 0.5
    lines = (tmp_path / "curve.csv").read_text().splitlines()
    assert lines[:2] == ["rounds,score", "0,0.500000"]
    assert lines[-1].endswith(",1.000000")
    assert run("rerank", "evaluate", "dev.npz", model, "--curve", "curve.svg").code == 0
    picture = ElementTree.parse(tmp_path / "curve.svg").getroot()
    assert "base model" in [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert run("rerank", "evaluate", "dev.npz", model, "--rounds", 51).fails_with("rounds", "none after 51")
    assert run("rerank", "evaluate", "dev.npz", model, "--curve", "curve.png").fails_with(".svg", "not curve.png")
    assert run("rerank", "evaluate", "dev.npz", "--rounds", 3).fails_with("need a model")
    run("rerank", "train", "dev.npz", "--learner", "perceptron", "--output", "p.tw")
    assert run("rerank", "evaluate", "dev.npz", "p.tw", "--rounds", 3).fails_with("no rounds to look back on")


def test_explain_lists_what_decided(run, model):
    outcome = run("rerank", "explain", model, "dev.npz", "--sentence", 2)
    lines = outcome.out.splitlines()
    assert lines[0].startswith("first: candidate 1, score ")
    assert lines[1].startswith("second: candidate 0, score ")
    assert RIGHT in lines[0]
    assert any(line.endswith("  S -> X") for line in lines[3:])  # or its opposite, but it comes first
    assert any(line.endswith("log-probability of the base model") for line in lines[3:])
    short = run("rerank", "explain", model, "dev.npz", "--most", 1, "--first", 1, "--second", 0)
    assert short.out.splitlines()[-1].endswith(" more")


def test_info_knows_rerankers(run, model):
    outcome = run("info", model)
    assert outcome.code == 0
    assert "reranker" in outcome.out


def test_what_cannot_be_done_is_one_line(run, model, tmp_path):
    (tmp_path / "bad.jsonl").write_text("{}\n")
    make(tmp_path / "same.jsonl", gold=False)
    make(tmp_path / "silent.npz", text=False)
    make(tmp_path / "one.jsonl", 1)
    (tmp_path / "lonely.jsonl").write_text('{"candidates": [{"log_probability": 0, "features": []}]}\n')
    train = ("rerank", "train")
    assert run(*train, "nothing.npz", "--output", "x.tw").fails_with("no such file")
    assert run(*train, "bad.jsonl", "--output", "x.tw", "-q").fails_with("bad.jsonl:1: ", '"candidates"')
    assert run(*train, "same.jsonl", "--output", "x.tw", "-q").fails_with("nothing to learn from")
    assert run(*train, "dev.npz", "--output", "no/x.tw").fails_with("there is no folder")
    assert run(*train, "dev.npz", "--output", "x.tw", "--patience", 5).fails_with("--dev")
    assert run(*train, "dev.npz", "--output", "x.tw", "--learner", "x").fails_with("--learner", code=2)
    assert run("rerank", "apply", model, "silent.npz").fails_with('has no "text"', "--json")
    assert run("rerank", "apply", "silent.npz", "silent.npz").fails_with("not a Treewright model")
    assert run("rerank", "evaluate", "dev.npz", "--against", model).fails_with("need a model")
    assert run("rerank", "explain", model, "dev.npz", "--sentence", 4).fails_with("3 sentences", "no number 4")
    assert run("rerank", "explain", model, "dev.npz", "--first", 3).fails_with("3 candidates", "no number 3")
    assert run("rerank", "explain", model, "lonely.jsonl").fails_with("one candidate only")
    assert not (tmp_path / "x.tw").exists()
