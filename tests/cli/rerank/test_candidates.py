from __future__ import annotations

import json
import os
import re

import numpy as np
import pytest

from treewright.reranking import read_candidates
from treewright.reranking.hidden import TreeLists

NOUNS = ["trees", "wood", "rain", "leaves", "art"]
PHRASES = ["(NP (NN {0}))", "(NP (NP (NN {0})) (PP (IN of) (NP (NN {1}))))"]
BRACKETS = "".join(
    f"( (S (NP-SBJ (PRP We)) (VP (VBP see) {PHRASES[i % 2].format(NOUNS[i % 5], NOUNS[i % 3])}"
    f"{' (PP (IN with) (NP (NN joy)))' if i % 3 else ''}) (. .)))\n"
    for i in range(12)
)
CONLLU = "".join(
    f"1\t{'We' if i % 2 else 'They'}\t_\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tsee\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
    f"3\t{NOUNS[i % 5]}\t_\tNOUN\t_\t_\t2\tobj\t_\t_\n\n"
    for i in range(12)
)


@pytest.fixture
def files(tmp_path):
    (tmp_path / "train.mrg").write_text(BRACKETS)
    (tmp_path / "dev.mrg").write_text(BRACKETS.split("\n")[0] + "\n")
    (tmp_path / "train.conllu").write_text(CONLLU)
    (tmp_path / "empty.mrg").write_text("")
    return tmp_path


def test_chunks_of_a_treebank(run, files):
    outcome = run("rerank", "candidates", "train.mrg", "-k", 4, "--chunks", 3, "--output", "train.npz")
    assert outcome.code == 0, outcome.err
    last = outcome.err.splitlines()[-1]
    assert re.fullmatch(
        r"Wrote 12 lists of [\d.]+ candidates, [\d,]+ features, score [\d.]+ of the most probable and [\d.]+ of the "
        r"best: train\.npz \([\d.]+ MB\)\.",
        last,
    ), last
    made = read_candidates("train.npz")
    assert made.sentences == 12
    assert made.ids[0].startswith("(S (NP (PRP We)) (VP (VBP see)")
    assert "rule S -> NP *VP ." in made.names


def test_candidates_can_be_left_out_by_probability_and_by_score(run, files):
    def lists(*options):
        arguments = ["rerank", "candidates", "train.mrg", "-k", 9, "--chunks", 3, "--cutoff", 1, "-q"]
        assert run(*arguments, *options, "--output", "c.npz").code == 0
        return read_candidates("c.npz")

    every, near = lists("--distinct", "trees"), lists("--distinct", "trees", "--within", 0.5)
    assert near.origin.within == 0.5
    kept = every.log_probability >= np.repeat(every.log_probability[every.base()], np.diff(every.offsets)) - 0.5
    assert 12 <= len(near) < len(every)
    assert near.log_probability.tolist() == every.log_probability[kept].tolist()
    assert len(lists()) <= len(every)


def test_traces_that_are_kept_are_words(run, files):
    (files / "train.mrg").write_text(BRACKETS.replace("(NN trees)", "(-NONE- *T*-1)", 1))
    arguments = ["rerank", "candidates", "train.mrg", "-k", 3, "--chunks", 12, "--empty", "keep", "--cutoff", 1]
    outcome = run(*arguments, "--output", "c.npz")  # the parser of the first chunk knows of no traces
    assert outcome.code == 0, outcome.err
    assert read_candidates("c.npz").sentences == 12


def test_dev_with_the_features_of_train(run, files):
    assert run("rerank", "candidates", "train.mrg", "-k", 3, "--chunks", 3, "-q", "--output", "train.npz").code == 0
    arguments = ["rerank", "candidates", "dev.mrg", "--train", "train.mrg", "--quiet", "-k", 3]
    outcome = run(*arguments, "--features-of", "train.npz", "--output", "dev.jsonl")
    assert (outcome.code, outcome.err) == (0, "")
    names = set(read_candidates("train.npz").names)
    [line] = (files / "dev.jsonl").read_text().splitlines()
    first = json.loads(line)["candidates"][0]
    assert set(first["features"]) <= names
    assert first["features"]
    assert run(*arguments, "--output", "all.jsonl").code == 0
    [line] = (files / "all.jsonl").read_text().splitlines()
    assert set(first["features"]) == names & set(json.loads(line)["candidates"][0]["features"])


def test_the_same_command_writes_the_same_file(run, files):
    for name in ("a.npz", "b.npz"):
        assert run("rerank", "candidates", "train.mrg", "-k", 3, "--chunks", 4, "--output", name).code == 0
    assert (files / "a.npz").read_bytes() == (files / "b.npz").read_bytes()


def test_kinds_can_be_left_out(run, files):
    arguments = ["rerank", "candidates", "train.mrg", "-k", 2, "--chunks", 2, "--cutoff", 1, "--no-trees"]
    assert run(*arguments, "--without", "distance, closed-class", "--output", "c.jsonl").code == 0
    made = read_candidates("c.jsonl")
    assert not any(name.startswith("distance ") or "[" in name for name in made.names)
    assert any(name.startswith("trigram ") for name in made.names)
    assert made.ids is None


def test_a_run_that_was_broken_off_goes_on(run, files, monkeypatch):
    from treewright.constituency.pcfg import PcfgTrainer

    train, calls = PcfgTrainer.train, []

    def failing(self, trees, on_progress):
        calls.append(len(trees))
        if len(calls) == 3:
            raise MemoryError("full")
        return train(self, trees, on_progress)

    monkeypatch.setattr(PcfgTrainer, "train", failing)
    arguments = ["rerank", "candidates", "train.mrg", "-k", 2, "--chunks", 4, "--resume", "parts", "--quiet"]
    assert run(*arguments, "--output", "c.npz").fails_with("MemoryError: full")
    assert not (files / "c.npz").exists()
    assert len(os.listdir("parts")) == 2
    assert run(*arguments, "--output", "c.npz").code == 0
    assert len(calls) == 5
    assert not (files / "parts").exists()


def test_dependencies(run, files):
    arguments = ["rerank", "candidates", "train.conllu", "-k", 5, "--chunks", 2, "--tags", "gold", "--cutoff", 1]
    outcome = run(*arguments, "--output", "c.jsonl")
    assert outcome.code == 0, outcome.err
    lines = (files / "c.jsonl").read_text().splitlines()
    assert len(lines) == 12
    found = json.loads(lines[0])["candidates"]
    assert 1 < len(found) <= 5
    assert all(one["size"] == 3 and one["gold"] * 3 == pytest.approx(round(one["gold"] * 3)) for one in found)
    assert found[0]["text"].startswith("1\tThey\t_\tPRON\t")
    assert any(name.startswith("head-modifier ") for name in found[0]["features"])


def test_spines_as_base_parser(run, files, monkeypatch):
    from treewright.constituency.pcfg import PcfgTrainer
    from treewright.constituency.tag.training import TagTrainer

    options = []

    def train(self, trees, on_progress):
        options.append(self.options)
        return PcfgTrainer().train(trees, on_progress)  # quicker, and here it is all one

    monkeypatch.setattr(TagTrainer, "train", train)
    arguments = ["rerank", "candidates", "train.mrg", "-k", 3, "--chunks", 2, "--cutoff", 1, "--without", "pp", "-q"]
    outcome = run(*arguments, "--parser", "tag", "--order", "first", "--output", "c.npz")
    assert (outcome.code, outcome.err) == (0, "")
    assert [(own.order, own.tags) for own in options] == [("first", "predicted")] * 2
    origin = read_candidates("c.npz").origin
    assert (origin.trees, origin.parser, origin.k, origin.rules) == ("constituents", "tag", 3, "collins")
    assert "pp" not in origin.kinds
    assert "rule" in origin.kinds


def test_head_rules_of_a_file_go_along_with_the_candidates(run, files):
    (files / "own.rules").write_text("# all from the right\n* right *\n")
    arguments = [
        "rerank",
        "candidates",
        "train.mrg",
        "-k",
        3,
        "--chunks",
        2,
        "--cutoff",
        1,
        "--rules",
        "own.rules",
        "-q",
    ]
    assert run(*arguments, "--output", "c.npz").code == 0
    (files / "own.rules").unlink()
    read = read_candidates("c.npz")
    assert read.origin.rules == "* right *\n"
    tree = TreeLists(read)[0][0]
    assert set(read.origin.features()(tree)) <= set(read.names)
    train = ("rerank", "train", "c.npz", "--learner", "hidden", "--cutoff", 1, "--rounds", 1, "-q")
    assert run(*train, "--output", "h.tw").code == 0
    assert run("rerank", "apply", "h.tw", "c.npz", "-q").code == 0


def test_what_cannot_be_done_is_one_line(run, files):
    def fails(*arguments, output="c.npz", code=1):
        outcome = run("rerank", "candidates", *arguments, "--output", output)
        return lambda *words: outcome.fails_with(*words, code=code)

    assert fails("none.mrg")("none.mrg", "no such file")
    assert fails("empty.mrg")("empty.mrg has no trees")
    assert fails("dev.mrg", "--train", "train.conllu")("different kinds of trees")
    assert fails("train.conllu", "--parser", "tag")("finds constituents", "train.conllu has dependencies")
    assert fails("dev.mrg")("1 chunks do not fit 1 trees")
    assert fails("train.mrg", "--without", "rules")("there is no kind of feature 'rules'", "two-level-rule")
    assert fails("train.mrg", "--rules", "none.rules")("there are no head rules")
    assert fails("train.mrg", "--cutoff", 1000, "--quiet")("no feature is left")
    assert fails("train.mrg", "-k", 0, code=2)("-k")
    assert fails("train.mrg", "--within", -1, code=2)("--within")
    assert fails("train.mrg", output="no/such.npz")("no folder")
    assert not (files / "c.npz").exists()
