"""Parsing and reranking in one step is parsing and reranking in two."""

from __future__ import annotations

import numpy as np
import pytest

import treewright
from tests.cli.rerank.test_candidates import BRACKETS
from treewright.reranking import CandidatesBuilder, LinearReranker, Origin, Reranker
from treewright.reranking.features import DependencyTreeFeatures

TEXT = "I saw her duck."


@pytest.fixture
def trees(run, tmp_path):
    """A treebank, its PCFG, and candidates of its first trees."""
    (tmp_path / "train.mrg").write_text(BRACKETS)
    (tmp_path / "dev.mrg").write_text("".join(line + "\n" for line in BRACKETS.splitlines()[1:5]))
    made = run("constituents", "grammar", "train.mrg", "--output", "pcfg.tw")
    assert made.code == 0, made.err
    assert "rules of 12 trees" in made.err
    return tmp_path


def list_and_train(run, *more):
    options = ["-k", 6, "-q"]
    made = run("rerank", "candidates", "train.mrg", "--chunks", 3, "--cutoff", 1, "--output", "train.npz", *options)
    assert made.code == 0, made.err
    made = run("rerank", "candidates", "dev.mrg", "--train", "train.mrg", "--output", "dev.jsonl", *options)
    assert made.code == 0, made.err
    trained = run("rerank", "train", "train.npz", "--output", "my.tw", "-q", *more)
    assert trained.code == 0, trained.err


def test_constituents_in_one_step_are_those_in_two(run, trees):
    list_and_train(run, "--learner", "perceptron", "--alpha", 0)  # so that it does not just agree with the PCFG
    assert Reranker.open("my.tw").origin.k == 6
    two = run("rerank", "apply", "my.tw", "dev.jsonl", "-q").out
    parse = ("constituents", "parse", "dev.mrg", "--model", "pcfg.tw", "--workers", 1, "-q")
    one = run(*parse, "--rerank", "my.tw")
    assert (one.code, one.err) == (0, "")
    assert one.out == two
    plain = run(*parse).out
    assert plain != two
    assert run(*parse, "--rerank", "my.tw", "--candidates", 1).out == plain


def test_hidden_values_and_mixtures_in_one_step(run, trees):
    list_and_train(run, "--learner", "hidden", "--domains", "tag:2", "--rounds", 3, "--cutoff", 1)
    assert run("rerank", "train", "train.npz", "--rounds", 20, "-q", "--output", "boosted.tw").code == 0
    mixed = run("rerank", "mix", "my.tw", "boosted.tw", "--dev", "dev.jsonl", "--output", "mix.tw")
    assert mixed.code == 0, mixed.err
    assert "my.tw" in mixed.err
    assert "boosted.tw" in mixed.err
    for model, workers in (("my.tw", 1), ("mix.tw", 2)):
        parse = ("constituents", "parse", "dev.mrg", "--model", "pcfg.tw", "-q", "--rerank", model)
        one = run(*parse, "--workers", workers)
        assert (one.code, one.err) == (0, "")
        assert one.out == run("rerank", "apply", model, "dev.jsonl", "-q").out


@pytest.fixture(scope="module")
def second(tmp_path_factory):
    """A reranker that wants the second best tree of a text, and that tree."""
    parser = treewright.load("en")
    [sentence] = parser.parse(TEXT)
    trees = [tree for tree, _ in parser.candidates(sentence, 4)]
    features = DependencyTreeFeatures()
    builder = CandidatesBuilder(origin=Origin("dependencies", "dependencies", 4, tuple(features.extractor.kinds)))
    builder.add([0.0] * 4, [0.0, 1.0, 0.0, 0.0], [features(tree) for tree in trees])
    candidates = builder.build()
    wanted = set(features(trees[1]))
    weights = np.array([10.0 if name in wanted else -10.0 for name in candidates.names])
    path = tmp_path_factory.mktemp("models") / "second.tw"
    LinearReranker.of(candidates, 1.0, weights, {"origin": builder.origin.to_dict()}).save(path)
    return path, trees[1]


@pytest.mark.parametrize("workers", [1, 2])
def test_dependencies(run, second, workers):
    path, tree = second
    outcome = run("parse", "--text", TEXT, "--rerank", path, "--workers", workers, "--to", "conllu")
    assert (outcome.code, outcome.err) == (0, "")
    rows = [line.split("\t") for line in outcome.out.splitlines() if line and not line.startswith("#")]
    assert [(int(row[6]), row[7]) for row in rows] == list(zip(tree.heads.tolist(), tree.deprels, strict=True))
    assert "# tree" not in outcome.out


def test_what_cannot_be_done_is_one_line(run, second, trees):
    dependencies, _ = second
    list_and_train(run, "--rounds", 5)
    candidates = CandidatesBuilder()
    candidates.add([0.0], [1.0], [["rule"]])
    LinearReranker.of(candidates.build(), 1.0, np.ones(1)).save("unknown.tw")
    text = ("parse", "--text", TEXT)
    assert run(*text, "--rerank", "my.tw").fails_with("chooses from constituents", "finds dependencies")
    french = Reranker.open(dependencies)
    french.info["origin"]["language"] = "fr"
    french.save("french.tw")
    assert run(*text, "--rerank", "french.tw").fails_with("the reranker is for French, and this parser for English")
    assert run(*text, "--rerank", "none.tw").fails_with("none.tw", "no such file")
    assert run(*text, "--rerank", "pcfg.tw").fails_with(
        "pcfg.tw is a PCFG; use: treewright constituents parse --model pcfg.tw"
    )
    assert run(*text, "--rerank", "unknown.tw").fails_with("does not say what its candidates were")
    assert run(*text, "--rerank", dependencies, "--k-best", 2).fails_with("--rerank", "--k-best")
    assert run(*text, "--candidates", 2).fails_with("add --rerank")
    constituents = ("constituents", "parse", "dev.mrg", "--model", "pcfg.tw", "-q")
    assert run(*constituents, "--rerank", dependencies).fails_with("chooses from dependencies", "finds constituents")
    assert run(*constituents, "--rerank", "my.tw", "--k-best", 2).fails_with("--rerank", "--k-best")
    assert run(*constituents, "--beam", 0.1).fails_with("--beam", "PCFG")


def test_pcfg_on_the_command_line(run, trees):
    parse = ("constituents", "parse", "dev.mrg", "--model", "pcfg.tw", "--workers", 1)
    assert run(*parse, "--keep-tags").out.count("\n") == 4
    best = run(*parse, "--k-best", 2, "--to", "json").out
    assert '"rank": 2' in best
    assert run("info", "pcfg.tw").code == 0
    (trees / "empty.mrg").write_text("")
    grammar = ("constituents", "grammar", "--output", "x.tw")
    assert run(*grammar, "empty.mrg").fails_with("empty.mrg has no trees")
    assert run(*grammar, "none.mrg").fails_with("none.mrg", "no such file")
