"""Time is linear in the length of the text, whatever the text."""

import re
import time
import timeit
from collections import deque
from functools import partial

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

SHORT, TIMES = 2_000, 16
BOUND = 4 * TIMES  # what is quadratic takes 256 times as long: as far from it as what is linear
GRACE = 0.005  # seconds: what a timer cannot tell apart


def seconds(function, text):
    """Measure one run, in time of this process, without the garbage collector."""
    return timeit.timeit(lambda: deque(function(text), maxlen=0), number=1, timer=time.process_time)


def is_linear(function, short, long):
    """Return whether time grows with the text: a busy machine makes a run slower, so the fastest of some counts."""
    shortest = min(seconds(function, short) for _ in range(5))
    return any(seconds(function, long) < BOUND * shortest + GRACE for _ in range(5))


@pytest.mark.parametrize(("language", "unit"), [("fr", "l'"), ("pt", "ar-se"), *(("en", unit) for unit in UNITS)])
def test_time_grows_with_the_text(unit, language):
    short = (unit * SHORT)[:SHORT]
    assert is_linear(partial(tokenize, language=language), short, short * TIMES)


def test_a_run_that_ends_badly():
    """Every dot of the run could start the search again."""
    short, long = ("." * n + "x " for n in (SHORT, SHORT * TIMES))
    assert is_linear(tokenize, short, long)


def scan_again_from_every_character(text):
    return re.findall(r"\.+x", text)


def test_what_is_quadratic_is_found_out():
    assert not is_linear(scan_again_from_every_character, "." * 1_000, "." * 1_000 * TIMES)
