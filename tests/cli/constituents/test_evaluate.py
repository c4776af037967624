"""``treewright constituents evaluate``: constituent trees against a gold standard."""

import json

import pytest

HISTORICAL = "( (IP-MAT (NP-SBJ *pro*) (VBDI sagði) (CP-THT (C 0) (IP-SUB (PRO-N hann)))))\n"
PENN = "( (S (NP-SBJ (-NONE- *)) (VP (VB Go))))\n"


@pytest.mark.parametrize(
    ("text", "empty", "brackets", "words"),
    [(HISTORICAL, "historical", 3, 2), (HISTORICAL, "keep", 3, 4), (PENN, "penn", 2, 1), (PENN, "keep", 2, 1)],
)
def test_a_model_is_scored_by_the_empty_elements_that_it_was_trained_with(run, tmp_path, text, empty, brackets, words):
    (tmp_path / "gold.mrg").write_text(text)
    how = ("--empty", empty)
    assert run("constituents", "grammar", "gold.mrg", "--output", "small.tw", *how).code == 0
    parsed = run("constituents", "parse", "gold.mrg", "--model", "small.tw", "--output", "out.mrg", "--workers", 1)
    assert parsed.code == 0, parsed.err
    scored = run("constituents", "evaluate", "gold.mrg", "out.mrg", *how, "--json")
    assert scored.code == 0, scored.err
    scores = json.loads(scored.out)["all"]
    assert (scores["brackets"]["correct"], scores["brackets"]["f1"], scores["words"]) == (brackets, 100, words)


def test_trees_without_empty_elements_are_scored_against_historical_ones(run, tmp_path):
    (tmp_path / "gold.mrg").write_text(HISTORICAL)
    (tmp_path / "out.mrg").write_text("(IP (VBDI sagði) (CP (NP (PRO-N hann))))\n")
    assert run("constituents", "evaluate", "gold.mrg", "out.mrg").fails_with("4 words and the system 2", "--empty")
    scored = run("constituents", "evaluate", "gold.mrg", "out.mrg", "--empty", "historical", "--json")
    assert json.loads(scored.out)["all"]["brackets"]["correct"] == 2
