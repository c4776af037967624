"""Hidden-variable models and mixtures on the command line."""

from __future__ import annotations

import json

import pytest

from treewright.reranking import CandidatesBuilder, Origin, Reranker, write_candidates

ORIGIN = Origin("constituents", "pcfg", 2, ("rule",))


def make(path, count=4, ids=True, origin=ORIGIN):
    """Lists in which a phrase belongs to the noun or to the verb, as its noun says."""
    builder = CandidatesBuilder(origin=origin)
    for i in range(count):
        noun = ["bones", "forks", "cream", "spoons"][i % 4]
        phrase, start = f"(PP (IN with) (NP (NN {noun})))", "(S (NP (PRP we)) (VP (VBD ate)"
        texts = [f"{start} (NP (NP (NN fish)) {phrase})))", f"{start} (NP (NN fish)) {phrase}))"]
        names = [["rule NP -> *NP PP"], ["rule VP -> *VBD NP PP"]]
        builder.add([-1.0, -1.1], [float(i % 2 == 0), float(i % 2)], names, ids=texts if ids else None)
    write_candidates(path, builder.build())


TRAIN = ("--learner", "hidden", "--domains", "tag:2", "--cutoff", 1, "--C", 100, "--rate", 0.3)


@pytest.fixture
def hidden(run, tmp_path):
    make(tmp_path / "train.npz")
    make(tmp_path / "dev.jsonl", 8)
    outcome = run("rerank", "train", "train.npz", "--dev", "dev.jsonl", *TRAIN, "--output", "hidden.tw")
    assert outcome.code == 0, outcome.err
    assert "dev 1.0000, base model 0.5000, best possible 1.0000." in outcome.err.splitlines()[-1]
    return "hidden.tw"


def test_it_chooses_and_is_judged(run, hidden):
    model = Reranker.open(hidden)
    assert model.origin == ORIGIN
    assert model.info["options"]["domains"] == "tag:2"
    lines = run("rerank", "apply", hidden, "dev.jsonl", "-q").out.splitlines()
    assert ["(NP (NP (NN fish))" in line for line in lines] == [True, False] * 4
    assert json.loads(run("rerank", "evaluate", "dev.jsonl", hidden, "--json", "-q").out)["chosen"] == 1.0
    assert "hidden-variable-reranker" in run("info", hidden).out


def test_conjugate_gradient_without_the_base_feature(run, hidden):
    options = ("--optimizer", "cg", "--no-base-feature", "--output", "cg.tw")
    outcome = run("rerank", "train", "train.npz", "--dev", "dev.jsonl", *TRAIN, *options)
    assert outcome.code == 0, outcome.err
    model = Reranker.open("cg.tw")
    assert model.base_weight == 0
    assert model.info["dev"]["chosen"] == 1.0
    assert len(model.info["epochs"]) > 3
    losses = [epoch["loss"] for epoch in model.info["epochs"]]
    assert losses[-1] < losses[0]
    assert run("rerank", "mix", "cg.tw", hidden, "--dev", "dev.jsonl", "--output", "mix.tw", "-q").code == 0
    refused = run("rerank", "train", "train.npz", *TRAIN, "--optimizer", "newton", "--output", "x.tw", "-q")
    assert refused.code == 2
    assert "newton" in refused.err


def candidate(gold, text):
    return {"log_probability": -1.0, "gold": gold, "features": [], "text": text}


def test_graphs_of_units_from_a_file(run, tmp_path):
    """A ring of three units: the name of one edge is right if two of its words agree."""
    lines = []
    for i in range(16):
        forms = [f"{name}{i >> k & 1}" for k, name in enumerate("abc")]
        graphs = [{"forms": forms, "tags": ["X"] * 3, "edges": [[0, 1, name], [1, 2], [2, 0]]} for name in ("+", "-")]
        golds = [float(forms[0][1] == forms[1][1]), float(forms[0][1] != forms[1][1])]
        pairs = zip(graphs, golds, strict=True)
        given = [candidate(gold, json.dumps(graph)) for graph, gold in pairs]
        lines.append(json.dumps({"candidates": given}))
    (tmp_path / "ring.jsonl").write_text("\n".join(lines) + "\n")
    train = ("rerank", "train", "ring.jsonl", *TRAIN, "--optimizer", "cg", "--rounds", 60, "-q", "--output", "ring.tw")
    assert run(*train).code == 0
    assert json.loads(run("rerank", "evaluate", "ring.jsonl", "ring.tw", "--json", "-q").out)["chosen"] == 1.0
    assert "a0: 8 times" in run("rerank", "explain", "ring.tw", "ring.jsonl", "--words", "a0", "-q").out
    wide = {"forms": ["a"] * 7, "tags": ["X"] * 7, "edges": [[u, v] for v in range(7) for u in range(v)]}
    both = [candidate(1.0, json.dumps(wide)), candidate(0.0, "a/X")]
    (tmp_path / "wide.jsonl").write_text(json.dumps({"candidates": both}) + "\n")
    wide_train = ("rerank", "train", "wide.jsonl", *TRAIN, "-q", "--output", "wide.tw")
    assert run(*wide_train).fails_with("a graph of 7 units and 21 edges is wider than 4", "connect fewer")


def test_explain_tells_what_values_mean(run, hidden):
    report = run("rerank", "explain", hidden, "dev.jsonl", "-q")
    assert report.code == 0, report.err
    assert "    words      " in report.out
    words = run("rerank", "explain", hidden, "dev.jsonl", "--words", "fish, sharks", "-q").out
    assert words.startswith("fish: 8 times\n")
    assert words.endswith("sharks: not seen\n")
    two = run("rerank", "explain", hidden, "dev.jsonl", "--sentence", 2, "-q").out.splitlines()
    assert two[0].startswith("first: candidate 1, score ")
    assert "forks/NN" in two[1]
    assert two[2].startswith("second: candidate 0, score ")
    assert any(line.endswith("  features with hidden values") for line in two)


def test_candidates_may_be_tagged_words(run, tmp_path):
    lines = []
    for noun, is_verb in [("ducks", False), ("her", True)] * 6:
        texts = [f"I/PRP saw/VBD {noun}/X duck/{tag}" for tag in ("NN", "VB")]
        gold = [float(not is_verb), float(is_verb)]
        pairs = [
            {"log_probability": -1.0, "gold": score, "features": [], "text": text}
            for text, score in zip(texts, gold, strict=True)
        ]
        lines.append(json.dumps({"candidates": pairs}))
    (tmp_path / "tagged.jsonl").write_text("\n".join(lines))
    outcome = run("rerank", "train", "tagged.jsonl", *TRAIN, "--domains", "lexical:2", "--output", "tagged.tw", "-q")
    assert outcome.code == 0, outcome.err
    chosen = run("rerank", "apply", "tagged.tw", "tagged.jsonl", "-q").out.splitlines()
    assert chosen[:2] == ["I/PRP saw/VBD ducks/X duck/NN", "I/PRP saw/VBD her/X duck/VB"]
    assert run("rerank", "explain", "tagged.tw", "tagged.jsonl", "--words", "duck", "-q").out.startswith(
        "duck: 12 times"
    )


def test_mixtures(run, hidden):
    assert run("rerank", "train", "train.npz", "--rounds", 5, "-q", "--output", "boosted.tw").code == 0
    outcome = run("rerank", "mix", hidden, "boosted.tw", "--dev", "dev.jsonl", "--output", "mix.tw")
    assert outcome.code == 0, outcome.err
    last = outcome.err.splitlines()[-1]
    assert last.startswith("Mixed on 8 sentences: log-probability of the base model ")
    assert last.endswith("; dev 1.0000, base model 0.5000, best possible 1.0000.")
    mixed = Reranker.open("mix.tw")
    assert sum(mixed.mixture.weights) == pytest.approx(1)
    assert json.loads(run("rerank", "evaluate", "dev.jsonl", "mix.tw", "--json", "-q").out)["chosen"] == 1.0
    table = run("rerank", "explain", "mix.tw", "dev.jsonl", "--sentence", 2, "-q").out
    assert "  hidden.tw\n" in table
    assert "  boosted.tw\n" in table


def test_what_cannot_be_done_is_one_line(run, hidden, tmp_path):
    make(tmp_path / "silent.npz", ids=False)
    make(tmp_path / "other.npz", origin=Origin("dependencies", "dependencies", 2, ("rule",)))
    (tmp_path / "senses.tsv").write_text("dog\n")
    train = ("rerank", "train", "--learner", "hidden", "--output", "x.tw", "-q")
    assert run(*train, "silent.npz").fails_with("have no trees")
    (tmp_path / "alone.jsonl").write_text('{"candidates": [{"log_probability": 0, "features": [], "text": "go/VB"}]}')
    assert run(*train, "alone.jsonl").fails_with("nothing to learn from")
    assert run(*train, "train.npz", "--domains", "colour").fails_with("unknown hidden values 'colour'")
    assert run(*train, "train.npz", "--domains", "supersense").fails_with("need a table of supersenses")
    assert run(*train, "train.npz", "--supersenses", "senses.tsv").fails_with("senses.tsv:1: ")
    assert run(*train, "train.npz", "--supersenses", "none.tsv").fails_with("none.tsv", "no such file")
    linear = ("rerank", "train", "train.npz", "--rounds", 5, "-q", "--output")
    assert run(*linear, "x.tw", "--supersenses", "senses.tsv").fails_with("--learner hidden")
    assert run(*linear, "boosted.tw").code == 0
    mix = ("rerank", "mix", "--output", "x.tw", "-q", "--dev")
    assert run(*mix, "dev.jsonl", hidden, hidden).fails_with("named twice")
    assert run(*mix, "other.npz", hidden).fails_with("some from dependencies")
    assert run(*mix, "dev.jsonl", "none.tw").fails_with("none.tw", "no such file")
    explain = ("rerank", "explain", "boosted.tw", "dev.jsonl", "-q")
    assert run(*explain, "--words", "fish").fails_with("--words", "hidden-variable")
    assert not (tmp_path / "x.tw").exists()
