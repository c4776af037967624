from __future__ import annotations

import json
import math
import random
import re
from pathlib import Path

import pytest

from tests.evaluation.retokenization import retokenize, to_conllu, tokens_of
from tests.paths import DATA
from treewright.dependency.annotation import with_confidence
from treewright.treebank import read, write

EWT = DATA / "ewt.conllu"


@pytest.fixture
def worse(tmp_path):
    """A copy of the test treebank with every third relation wrong."""
    path = tmp_path / "worse.conllu"
    spoiled = (s.replace(deprels=["dep" if i % 3 == 0 else r for i, r in enumerate(s.deprels)]) for s in read(EWT))
    write(spoiled, path)
    return path


def test_a_perfect_system(run):
    scores = json.loads(run("evaluate", EWT, EWT, "--json").out)
    assert scores["uas"]["f1"] == scores["las"]["f1"] == 100


def test_the_report_shows_what_is_asked(run, worse):
    plain = run("evaluate", EWT, worse)
    assert plain.code == 0
    assert "UAS" in plain.out
    assert "nsubj" not in plain.out
    assert "nsubj" in run("evaluate", EWT, worse, "--by-relation").out
    assert "7+" in run("evaluate", EWT, worse, "--by-length").out


def test_two_systems_are_compared(run, worse):
    outcome = json.loads(run("evaluate", EWT, EWT, "--against", worse, "--json").out)
    assert outcome["comparison"]["las"]["sign_p"] < 0.01
    assert outcome["comparison"]["uas"]["sign_p"] == 1
    assert "worse.conllu" in run("evaluate", EWT, EWT, "--against", worse).out


@pytest.fixture
def confident(tmp_path):
    """A copy of the test treebank, all right and all at 0.75."""
    path = tmp_path / "confident.conllu"
    write((s.replace(misc=[with_confidence(misc, {"Confidence": 0.75}) for misc in s.misc]) for s in read(EWT)), path)
    return path


def test_calibration_is_shown_where_it_is_asked_for(run, confident):
    plain, asked = (run("evaluate", EWT, confident, *options) for options in ((), ("--calibration",)))
    assert plain.code == asked.code == 0
    assert asked.out.startswith(plain.out)
    assert "ECE" not in plain.out
    assert re.search(r"0\.7–0\.8 +564 +0\.750 +1\.000 +█+▄+ *\n", asked.out)
    assert re.search(r"ECE +0\.2500 ", asked.out)
    assert re.search(r"Brier +0\.0625 ", asked.out)
    assert re.search(r"Log loss +0\.2877 ", asked.out)


def test_calibration_in_json(run, confident):
    assert "calibration" not in json.loads(run("evaluate", EWT, confident, "--json").out)
    options = ("--calibration", "--punctuation", "ud", "--json")
    outcome = json.loads(run("evaluate", EWT, confident, *options).out)
    calibration = outcome["calibration"]["heads"]
    assert calibration["punctuation"] == "ud"
    assert calibration["scored"] == outcome["scored"] < outcome["words"] == 564
    assert (calibration["ece"], calibration["brier"]) == (0.25, 0.0625)
    assert [group["cases"] for group in calibration["bins"]] == [0] * 7 + [outcome["scored"], 0, 0]


def test_probabilities_of_a_parser_are_judged(run, gold_parser):
    gold_parser.save("my.tw")
    assert run("parse", EWT, "--model", "my.tw", "--keep-tags", "--confidence", "--output", "sure.conllu").code == 0
    outcome = json.loads(run("evaluate", EWT, "sure.conllu", "--calibration", "--json").out)
    assert list(outcome["calibration"]) == ["heads", "relations", "arcs", "trees"]
    assert 100 * outcome["calibration"]["arcs"]["accuracy"] == pytest.approx(outcome["las"]["f1"])
    assert 100 * outcome["calibration"]["trees"]["accuracy"] == pytest.approx(outcome["exact_trees"]["f1"])
    calibration = outcome["calibration"]["heads"]
    assert 100 * calibration["accuracy"] == pytest.approx(outcome["uas"]["f1"])
    assert calibration["log_loss"] < math.log(2), "worse than a parser that always says 0.5"
    assert len([group for group in calibration["bins"] if group["cases"]]) > 3


def test_calibration_needs_probabilities(run, confident):
    assert run("evaluate", EWT, EWT, "--calibration").fails_with("sentence 1", "word 1", "parse with --confidence")
    confident.write_text(confident.read_text().replace("Confidence=0.75", "Confidence=1.75", 1))
    assert run("evaluate", EWT, confident, "--calibration", "--json").fails_with("sentence 1", "word 1", "'1.7500'")


def test_calibration_is_drawn(run, confident):
    assert run("evaluate", EWT, confident, "--figure", "heads.svg", "--json").code == 0
    assert Path("heads.svg").read_text().count("<circle") == 1
    assert run("evaluate", EWT, confident, "--figure", "heads.png").fails_with("(.svg)", "heads.png")


def test_probabilities_of_constituent_trees_are_judged(run):
    trees = ["(S (NP (N a)) (VP (V b)))", "(S (N a) (VP (V b)))"]
    Path("gold.mrg").write_text(f"{trees[0]}\n" * 4)
    chosen = [(0, 1, 0.9), (1, 2, 0.1), (0, 1, 0.7), (1, 1, 0.7), (0, 1, 0.9)]
    lines = [json.dumps({"tree": trees[tree], "rank": rank, "tree_p": stated}) for tree, rank, stated in chosen]
    Path("system.json").write_text("\n".join(lines) + "\n")
    found = json.loads(run("evaluate", "gold.mrg", "system.json", "--calibration", "--json").out)["calibration"]
    assert found["trees"]["accuracy"] == 0.75
    assert found["trees"]["ece"] == pytest.approx((0.2 + 0.4) / 4)
    assert "trees: everything" in run("evaluate", "gold.mrg", "system.json", "--figure", "trees.svg").out
    assert Path("trees.svg").read_text().count("<circle") == 2
    Path("system.json").write_text('{"tree": "(S (N a)"}\n')
    assert run("evaluate", "gold.mrg", "system.json", "--calibration").fails_with("system.json:1", "--k-best 1")


def test_other_words_of_the_same_text(run):
    rng = random.Random(0)
    Path("other.conllu").write_text(to_conllu(retokenize(tokens_of(list(read(EWT))), 0.1, rng), 0.0, rng))
    scores = json.loads(run("evaluate", EWT, "other.conllu", "--json").out)
    assert not scores["same_words"]
    assert 50 < scores["segmentation"]["words"]["f1"] < scores["upos"]["aligned_accuracy"]
    assert "aligned through the text" in run("evaluate", EWT, "other.conllu").out
    assert run("evaluate", EWT, "other.conllu", "--by-length").fails_with("--by-length", "same words")
    assert run("evaluate", EWT, "other.conllu", "--calibration").fails_with("calibration", "same words")
    assert run("evaluate", EWT, EWT, "--against", "other.conllu").fails_with("second system", "tests of significance")


def test_bad_requests_are_one_line(run):
    assert run("evaluate", EWT, DATA / "alksnis.conllu").fails_with("sentence")
    assert run("evaluate", EWT, "none.conllu").fails_with("none.conllu")
    assert run("evaluate", EWT).fails_with("SYSTEM", code=2)
    assert run("info", "none.tw").fails_with("none.tw")


def test_bracketed_trees_are_scored_by_constituents(run, tmp_path):
    gold = DATA / "trees.mrg"
    system = tmp_path / "system.mrg"
    system.write_text(
        gold.read_text().replace("(NP-TMP (NN today))", "(NN today)").replace("(NP-SBJ (-NONE- *T*-1)) ", "")
    )
    scores = json.loads(run("evaluate", gold, system, "--json").out)
    assert (scores["all"]["brackets"]["precision"], scores["all"]["brackets"]["gold"]) == (100, 10)
    assert scores["all"]["brackets"]["correct"] == 9
    report = run("evaluate", gold, system, "--by-relation", "--by-length").out
    assert "90.00" in report
    assert "SBARQ" in report
    assert "31-40" in report
    assert run("evaluate", gold, system, "--calibration").fails_with("system.mrg has no probabilities", "--k-best 1")
    assert run("evaluate", gold, DATA / "bad-trees" / "nul.mrg").fails_with("tree 1", "same")


@pytest.mark.parametrize("command", [("evaluate",), ("constituents", "evaluate")])
def test_two_systems_of_bracketed_trees_are_compared(run, tmp_path, command):
    (tmp_path / "gold.mrg").write_text("(S (NP (N a)) (VP (V b)))\n" * 12)
    (tmp_path / "worse.mrg").write_text("(S (NP (N a)) (VP (V b)))\n" * 4 + "(S (N a) (VP (V b)))\n" * 8)
    files = ("gold.mrg", "gold.mrg", "--against", "worse.mrg")
    outcome = json.loads(run(*command, *files, "--json").out)["comparison"]
    assert (outcome["f1"]["better"], outcome["f1"]["worse"], outcome["b"]["correct"]) == (8, 0, 28)
    assert outcome["bootstrap"]["difference"] == pytest.approx(100 - 200 * 28 / 64)
    assert outcome["bootstrap"]["p"] < 0.05
    report = run(*command, *files).out
    assert "worse.mrg" in report
    assert "bootstrap" in report
    assert run(*command, "gold.mrg", "gold.mrg", "--against", "none.mrg").fails_with("none.mrg")
