"""Reports fit a terminal of 80 columns and say what was counted."""

import io
import subprocess
import sys

import pytest
from rich.console import Console

from treewright.evaluation import compare, evaluate, render_comparison, render_evaluation
from treewright.treebank import Sentence

GOLD = [
    Sentence.from_forms(
        ["Trees", "grow", "."],
        heads=[2, 0, 2],
        deprels=["nsubj", "root", "punct"],
        upos=["NOUN", "VERB", "PUNCT"],
    )
] * 400
SYSTEM = [GOLD[0].replace(heads=[2, 0, 1])] * 300 + GOLD[300:]


def printed(renderable):
    console = Console(width=80, file=io.StringIO())
    console.print(renderable)
    text = console.file.getvalue()
    assert all(len(line.rstrip()) <= 80 for line in text.splitlines())
    return text


def row(text, label):
    return next(line.split() for line in text.splitlines() if f"{line.strip()} ".startswith(f"{label} "))


def test_summary():
    text = printed(render_evaluation(evaluate(GOLD, SYSTEM)))
    assert "400 sentences, 1,200 words\npunctuation counted; relations with subtypes\n" in text
    assert row(text, "UAS")[:4] == ["UAS", "75.00", "900", "1,200"]
    assert row(text, "Exact, heads")[2:5] == ["25.00", "100", "400"]
    assert row(text, "XPOS")[1:4] == ["–", "–", "–"]
    assert "Relation" not in text
    assert "Length" not in text


def test_breakdowns_are_optional():
    evaluation = evaluate(GOLD, SYSTEM, subtypes=False)
    text = printed(render_evaluation(evaluation, by_relation=True, by_length=True))
    assert "relations without subtypes" in text
    assert row(text, "punct") == ["punct", "400", "400", "25.00", "25.00", "25.00"]
    assert row(text, "1") == ["1", "800", "500", "100.00", "62.50", "76.92"]
    assert row(text, "7+") == ["7+", "0", "0", "–", "–", "–"]


@pytest.mark.parametrize("rule", ["ud", "unicode"])
def test_heading_says_what_was_left_out(rule):
    text = " ".join(printed(render_evaluation(evaluate(GOLD, SYSTEM, rule))).split())
    assert "1,200 words, 800 scored without punctuation" in text


def test_comparison():
    text = printed(render_comparison(compare(GOLD, GOLD, SYSTEM), ("new.conllu", "old[bold].conllu")))
    assert row(text, "UAS") == ["UAS", "100.00", "75.00", "+25.00"]
    assert "300" in text
    assert "p < 0.0001" in text
    assert text.count("old[bold].conllu") == 2


def test_comparison_with_long_names_fits():
    printed(render_comparison(compare(GOLD, GOLD, SYSTEM), ("a/very/long/path/" * 6, "another/long/path/" * 6)))


def test_importing_is_light():
    program = (
        "import sys, treewright.evaluation; print([name for name in ('scipy', 'rich', 'numba') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_names_of_relations_are_not_markup():
    odd = [sentence.replace(deprels=["[red]", "root", "punct"]) for sentence in GOLD]
    assert "[red]" in printed(render_evaluation(evaluate(odd, odd), by_relation=True))
