"""A few seconds of ``scripts/attack``: nothing is wrong, and what is wrong would be noticed."""

import os
import re
import signal
import time

import numpy as np
import pytest
from scripts.attack import answers, inputs, problems
from scripts.attack.case import Case, Hung, Tally, watchdog
from scripts.attack.processes import Ended, fault_of_command, in_child

from treewright.clustering.paths import Clusters
from treewright.inference import Parse, Trees


@pytest.fixture
def tally():
    return Tally()


def run(attack, part, tally, folder, cases):
    for number in range(cases):
        attack(Case(part, 1, number, tally, folder))


@pytest.fixture
def few_kernels(monkeypatch):
    """Problems about arcs, of the sizes that need no care."""
    monkeypatch.setattr(problems, "FACTORIZATIONS", ["arc"])
    ordinary = ("random", "tied", "masked", "positive", "root-heavy")
    monkeypatch.setattr(problems, "SCALES", {name: problems.SCALES[name] for name in ordinary})


def test_answers_are_right(tally, tmp_path, few_kernels):
    run(answers.attack, "answers", tally, tmp_path, 50)
    assert tally.findings == []
    tried = {what for _, what, _ in tally.counts}
    assert tried == {"argmax", *answers.SUMS, "branch and bound", "eight threads"}


def test_wrong_answers_are_found(tally, tmp_path, few_kernels, monkeypatch):
    right = Trees.argmax

    def argmax(self, scores):
        parse = right(self, scores)
        return Parse(parse.heads, parse.labels, parse.score + 1e-6)

    monkeypatch.setattr(Trees, "argmax", argmax)
    monkeypatch.setattr(Trees, "log_partition", lambda self, scores: np.nan)
    run(answers.attack, "answers", tally, tmp_path, 5)
    assert tally.counts["answers", "argmax", "wrong"]
    assert tally.counts["answers", "log Z", "wrong"]
    assert re.search(r"claims .* \(--only answers --seed 1 --case \d+\)$", tally.findings[0])


def test_damaged_files_are_read_or_refused(tally, tmp_path, monkeypatch):
    monkeypatch.setattr(inputs, "COMMANDS_EVERY", 1_000_000)
    run(inputs.attack, "inputs", tally, tmp_path, 240)
    assert tally.findings == []
    assert sum(tally.counts.values()) == 240
    assert all(tally.counts["inputs", kind, "refused"] for kind in inputs.SUFFIXES)


def test_a_reader_that_fails_is_found(tally, tmp_path, monkeypatch):
    monkeypatch.setattr(Clusters, "read", lambda path: {}[path])
    monkeypatch.setattr(inputs, "COMMANDS_EVERY", 1_000_000)
    run(inputs.attack, "inputs", tally, tmp_path, 20)
    assert tally.counts["inputs", "clusters", "wrong"]
    assert "KeyError" in tally.findings[0]


def test_ends_of_commands_are_told_apart():
    assert fault_of_command(Ended(0, b"\x1b[1m", b"", 50, 1)) == ""
    assert "drawing" in fault_of_command(Ended(0, b"\x1b[1m", b"", 50, 1), is_drawing=True)
    assert fault_of_command(Ended(1, b"", b"treewright: error: no\n", 50, 1)) == ""
    assert "traceback" in fault_of_command(Ended(1, b"", b"Traceback ...\nKeyError: 3\n", 50, 1))
    assert "ended with -11" in fault_of_command(Ended(-11, b"", b"", 50, 1))
    assert "0 lines of error" in fault_of_command(Ended(1, b"", b"", 50, 1))
    assert "MB" in fault_of_command(Ended(0, b"", b"", 5_000, 1))


def test_what_hangs_or_crashes_is_noticed():
    with pytest.raises(Hung), watchdog(0.01):
        time.sleep(60)
    assert in_child(lambda: "fine") == "fine"
    assert in_child(lambda: {}["x"]) == "KeyError: 'x'"
    assert in_child(lambda: os.kill(os.getpid(), signal.SIGKILL)) == "it ended with -9"


def test_the_table_has_sums(tally):
    case = Case("answers", 1, 0, tally, None)
    case.check("argmax", True)
    case.check("argmax", False, "why")
    case.note("argmax", "refused")
    assert tally.table().splitlines()[2:] == ["| answers | argmax | 3 | 1 | 1 | 1 |", "| all | | 3 | 1 | 1 | 1 |"]
