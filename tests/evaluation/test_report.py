"""Reports fit a terminal of 80 columns and say what was counted."""

import io
import subprocess
import sys

import pytest
from rich.console import Console

from treewright.evaluation import (
    compare,
    evaluate,
    measure_calibration,
    render_calibration,
    render_comparison,
    render_evaluation,
)
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


def test_other_words_have_a_table_of_their_own():
    coarse = [Sentence.from_forms(["Treesgrow", "."], heads=[0, 1], deprels=["root", "punct"], upos=["VERB", "PUNCT"])]
    text = printed(render_evaluation(evaluate(GOLD, coarse + GOLD[1:]), by_relation=True, by_length=True))
    assert row(text, "Tokens") == ["Tokens", "1,200", "1,199", "99.92", "99.83", "99.87"]
    assert row(text, "Sentences") == ["Sentences", "400", "400", "100.00", "100.00", "100.00"]
    assert row(text, "UAS") == ["UAS", "1,200", "1,199", "99.83", "99.75", "99.79", "99.92"]
    assert row(text, "Lemmas") == ["Lemmas", *"––––––"]
    assert row(text, "root") == ["root", "400", "400", "99.75", "99.75", "99.75"]
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


def confident(*confidences):
    """Give each of the three words of every sentence of the system a confidence."""
    misc = [f"Confidence={confidence}" for confidence in confidences]
    return [sentence.replace(misc=misc) for sentence in SYSTEM]


def test_calibration():
    text = printed(render_calibration(measure_calibration(GOLD, confident(0.96, 0.8, 0.65))))
    assert "400 sentences, 1,200 words\npunctuation counted\n" in text
    assert row(text, "0.0–0.1") == ["0.0–0.1", "0", "–", "–"]
    # All of 400 are right where 0.96 and 0.8 were said, and a quarter where 0.65 was; a bar of 30 stands for 1.
    assert row(text, "0.9–1.0") == ["0.9–1.0", "400", "0.960", "1.000", "█" * 29 + "▄"]
    assert row(text, "0.8–0.9") == ["0.8–0.9", "400", "0.800", "1.000", "█" * 24 + "▄" * 6]
    assert row(text, "0.6–0.7") == ["0.6–0.7", "400", "0.650", "0.250", "█" * 8 + "▀" * 12]
    assert row(text, "all") == ["all", "1,200", "0.803", "0.750", "█" * 22 + "▀" * 2]
    assert row(text, "ECE")[1] == "0.2133"  # (0.04 + 0.2 + 0.4) / 3
    assert row(text, "Brier")[1] == "0.1297"  # (0.04² + 0.2² + (0.35² + 3 · 0.65²) / 4) / 3
    assert row(text, "Log loss")[2] == "0.3863"  # -(ln 0.96 + ln 0.8 + (ln 0.65 + 3 ln 0.35) / 4) / 3


def test_calibration_says_what_was_left_out():
    text = printed(render_calibration(measure_calibration(GOLD, confident(1, 1, 0), "ud")))
    assert "1,200 words, 800 scored\nwithout punctuation (UPOS PUNCT)\n" in text
    assert row(text, "all") == ["all", "800", "1.000", "1.000", "█" * 30]


def test_importing_is_light():
    program = (
        "import sys, treewright.evaluation; print([name for name in ('scipy', 'rich', 'numba') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_names_of_relations_are_not_markup():
    odd = [sentence.replace(deprels=["[red]", "root", "punct"]) for sentence in GOLD]
    assert "[red]" in printed(render_evaluation(evaluate(odd, odd), by_relation=True))
