"""Time is linear in the length of the text, whatever the text."""

import time

import pytest

from treewright.tokenization import tokenize

UNITS = [
    *(
        "(",
        "a",
        ".",
        "\n",
        "\n ",
        "😀",
        "e\u0301",
        "שלום. ",
        "日本語のテキスト",
        "1,",
        "l'",
        "ab.Ab.",
        "a's",
        "www.,",
        "a.b@",
    ),
    *(". ", "^_", "-", 'a."', "re-", "713-853-", "http://", ". (", "[.", "?)", "a.com/"),
]

GRACE = 0.01  # what a timer cannot tell apart


def seconds(text, language):
    best = float("inf")
    for _ in range(2):
        start = time.process_time()
        for _ in tokenize(text, language):
            pass
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize(("language", "unit"), [("fr", "l'"), ("pt", "ar-se"), *(("en", unit) for unit in UNITS)])
def test_four_times_the_text_takes_four_times_as_long(unit, language):
    short = (unit * 8_000)[:8_000]
    assert seconds(short * 4, language) < 6 * seconds(short, language) + GRACE


def test_a_run_that_ends_badly():
    """Every dot of the run could start the search again."""
    short, long = ("." * n + "x " for n in (8_000, 32_000))
    assert seconds(long, "en") < 6 * seconds(short, "en") + GRACE
