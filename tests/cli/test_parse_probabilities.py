"""Confidence, k best and known heads, on the command line."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from tests.paths import DATA
from treewright.dependency.probabilities import find_marginals
from treewright.treebank import expected_errors, read_string, write

EWT = DATA / "ewt.conllu"
MODELS = pytest.mark.parametrize("model", ["arc.tw", "third.tw"])


@pytest.fixture
def run(run, log_linear_parser, third_order_parser, ewt, tmp_path):
    """Run with two small models and a few sentences at hand."""
    log_linear_parser.save(tmp_path / "arc.tw")
    third_order_parser.save(tmp_path / "third.tw")
    write([s for s in ewt if len(s) in (4, 5, 6)], tmp_path / "in.conllu")
    return lambda *arguments: run(*arguments, "--keep-tags", "--workers", 2)


def confidences(sentence):
    return [float(re.search(r"\bConfidence=([\d.]+)", misc)[1]) for misc in sentence.misc]


@MODELS
def test_confidence_is_written(run, model, ewt, log_linear_parser, third_order_parser, tmp_path):
    parser = {"arc.tw": log_linear_parser, "third.tw": third_order_parser}[model]
    outcome = run("parse", "in.conllu", "--model", model, "--confidence")
    assert outcome.code == 0
    for sentence in read_string(outcome.out):
        marginals = find_marginals(parser.trees, parser.distribution(sentence)).of_arcs(sentence.rooted_heads())
        assert confidences(sentence) == pytest.approx(marginals, abs=6e-5)
    assert "Confidence" not in run("parse", "in.conllu", "--model", model).out
    (tmp_path / "again.conllu").write_text(outcome.out)
    assert run("parse", "again.conllu", "--model", model, "--confidence").out == outcome.out


@MODELS
def test_the_k_best_are_written_best_first(run, model):
    outcome = run("parse", "in.conllu", "--model", model, "--k-best", 3)
    assert outcome.code == 0
    trees = read_string(outcome.out)
    single = read_string(run("parse", "in.conllu", "--model", model).out)
    assert len(trees) == 3 * len(single)
    for number, best in enumerate(single):
        three = trees[3 * number : 3 * number + 3]
        assert three[0].heads.tolist() == best.heads.tolist()
        assert len({(*tree.heads.tolist(), *tree.deprels) for tree in three}) == 3
        assert [re.findall(r"# tree = (\d)", "\n".join(tree.comments)) for tree in three] == [["1"], ["2"], ["3"]]
        probabilities = [float(re.search(r"# probability = (\S+)", "\n".join(tree.comments))[1]) for tree in three]
        assert 1 >= probabilities[0] >= probabilities[1] >= probabilities[2] > 0
        assert sum(probabilities) <= 1.001
    lines = run("parse", "in.conllu", "--model", model, "--k-best", 3, "--to", "json").out.splitlines()
    described = [json.loads(line) for line in lines]
    assert [one["tree"] for one in described] == [1, 2, 3] * len(single)
    assert all(0 < one["tree_p"] <= 1 for one in described)
    assert "(tree 2, probability " in run("parse", "in.conllu", "--model", model, "--k-best", 2, "--to", "tree").out
    assert run("parse", "in.conllu", "--model", model, "--k-best", 0).fails_with("--k-best", code=2)


@MODELS
def test_heads_in_the_input_are_kept_when_asked_for(run, model, ewt, tmp_path):
    rng = np.random.default_rng(3)
    gold = [s for s in ewt if len(s) <= 10]
    partial = [s.replace(heads=np.where(rng.random(len(s)) < 0.5, s.heads, -1)) for s in gold]
    write(partial, tmp_path / "partial.conllu")
    kept, free = (
        read_string(run("parse", "partial.conllu", "--model", model, *options).out) for options in (["--fix-heads"], [])
    )
    honoured = [(a.heads == b.heads)[b.heads >= 0].all() for a, b in zip(kept, partial, strict=True)]
    assert all(honoured)
    assert all((sentence.heads >= 0).all() for sentence in kept)
    write([s.replace(heads=s.heads[::-1].copy() * 0 - 1) for s in gold], tmp_path / "none.conllu")
    bare = run("parse", "none.conllu", "--model", model, "--fix-heads").out
    assert [s.heads.tolist() for s in read_string(bare)] == [s.heads.tolist() for s in free]


@MODELS
def test_heads_that_cross_are_kept(run, model, tmp_path):
    rows = "".join(f"{i}\tw{i}\t_\tNOUN\t_\t_\t{head}\t_\t_\t_\n" for i, head in enumerate([3, 4, 0, "_"], 1))
    (tmp_path / "crossing.conllu").write_text(rows + "\n")
    for options in ((), ("--k-best", 2)):
        outcome = run("parse", "crossing.conllu", "--model", model, "--fix-heads", *options)
        [sentence] = read_string(outcome.out)
        assert sentence.heads[:3].tolist() == [3, 4, 0]
        assert "# certificate = no" in sentence.comments
    assert run("parse", "--text", "a", "--model", model, "--fix-heads").code == 1


def test_the_most_doubtful_sentences_come_first_when_asked_for(run):
    parse = ("parse", "in.conllu", "--model", "arc.tw")
    plain = read_string(run(*parse, "--confidence").out)
    by_doubt = read_string(run(*parse, "--sort", "doubt").out)
    doubts = list(map(expected_errors, by_doubt))
    assert doubts == sorted(map(expected_errors, plain), reverse=True) != list(map(expected_errors, plain))
    assert sorted(s.forms[0] for s in by_doubt) == sorted(s.forms[0] for s in plain)
    lines = run(*parse, "--sort", "doubt", "--k-best", 2, "--to", "json").out.splitlines()
    first = [json.loads(line)["expected_errors"] for line in lines[::2]]
    assert first == sorted(first, reverse=True)
    assert run(*parse, "--sort", "doubt", "--resume", "kept").fails_with("--sort", "--resume")


def test_each_of_the_k_best_trees_has_its_own_rivals(run):
    lines = run("parse", EWT, "--model", "arc.tw", "--k-best", 2, "--alternatives", 3, "--to", "json").out.splitlines()
    doubtful = [[word for word in json.loads(line)["words"] if word.get("alternatives")] for line in lines]
    assert any(doubtful[::2])
    assert any(doubtful[1::2])
    for word in (word for words in doubtful for word in words):
        assert (word["head"], word["deprel"]) not in [
            (rival["head"], rival["deprel"]) for rival in word["alternatives"]
        ]


def test_rivals_are_listed_below_a_drawing(run):
    picture = run("parse", EWT, "--model", "arc.tw", "--alternatives", 2, "--to", "tree").out
    assert re.search(r"errors expected\)\n\n", picture)
    assert re.search(r"(?m)^\S+\?  or \S+ of .* 0\.\d\d, \S+ of .* 0\.\d\d$", picture)
