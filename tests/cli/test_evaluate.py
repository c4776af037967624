from __future__ import annotations

import json
from pathlib import Path

import pytest

from treewright.treebank import read, write

DATA = Path(__file__).parents[1] / "data"
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


def test_bad_requests_are_one_line(run):
    assert run("evaluate", EWT, DATA / "alksnis.conllu").fails_with("sentence")
    assert run("evaluate", EWT, "none.conllu").fails_with("none.conllu")
    assert run("evaluate", EWT).fails_with("SYSTEM", code=2)
    assert run("info", "none.tw").fails_with("none.tw")


def test_the_embedded_models_are_listed(run):
    outcome = run("models")
    assert "en" in outcome.out
    assert "CC BY-SA 4.0" in outcome.out
