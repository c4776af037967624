"""What every executor does."""

from __future__ import annotations

import itertools
import os
import signal
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.execution import tasks
from tests.waiting import is_running, wait_until
from treewright.errors import ExecutionError, TreebankError, UsageError
from treewright.execution import Constant, Keep, sharded


def test_results_come_in_order(executor):
    assert list(executor.map(tasks.Square(), sharded(range(10), 3))) == [[0, 1, 4], [9, 16, 25], [36, 49, 64], [81]]
    assert list(executor.map(tasks.Uneven(), range(8))) == list(range(8))


@pytest.mark.parametrize("count", [0, 1, 2])
def test_there_may_be_few_shards(executor, count):
    assert list(executor.map(tasks.Square(), [[2]] * count)) == [[4]] * count


def test_shards_are_streamed(executor):
    read = []

    def endless():
        for number in itertools.count():
            read.append(number)
            yield [number]

    results = executor.map(tasks.Square(), endless())
    assert [next(results) for _ in range(20)] == [[number**2] for number in range(20)]
    assert len(read) <= 20 + 12
    results.close()
    assert list(executor.map(tasks.Square(), [[1], [2], [3]])) == [[1], [4], [9]]  # and it can go on


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("usage", UsageError, "^no tree$"),
        ("treebank", TreebankError, "^a.conllu:3:7: no such column$"),
        ("value", ValueError, "^a number"),
        ("unpicklable", (tasks.Unpicklable, ExecutionError), "1 and 2"),
    ],
)
def test_an_error_is_raised_as_itself_when_its_turn_has_come(executor, name, kind, text):
    results = executor.map(tasks.Failing(3, name), range(9))
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(kind, match=text):
        next(results)
    assert list(executor.map(tasks.Failing(-1, name), range(4))) == [0, 1, 2, 3]


def test_what_was_read_before_an_error_is_done_before_it_is_raised(executor):
    def broken():
        yield from ([number] for number in range(5))
        raise UsageError("the sixth is malformed")

    results = executor.map(tasks.Square(), broken())
    assert [next(results) for _ in range(5)] == [[n**2] for n in range(5)]
    with pytest.raises(UsageError, match="the sixth is malformed"):
        next(results)


def test_arrays_are_the_same_everywhere(executor):
    table = np.random.default_rng(1).random(500_000)
    table.flags.writeable = False
    looks = list(executor.map(tasks.Look(table), range(8)))
    assert [entry for _, entry, _, _ in looks] == table[:8].tolist()
    assert not any(writeable for _, _, writeable, _ in looks)


def test_what_was_done_is_not_done_again(executor, tmp_path):
    notes, folder = tmp_path / "notes", tmp_path / "kept"
    notes.mkdir()
    with pytest.raises(UsageError, match="crash"), Keep(folder) as keep:
        list(executor.map(tasks.Kept(notes, at=6), range(9), keep=keep))
    kept = len(Keep(folder))
    assert 6 <= kept < 9
    with Keep(folder) as keep:
        assert list(executor.map(tasks.Kept(notes), range(9), keep=keep)) == [n**2 for n in range(9)]
        assert len(keep) == 9
    assert not folder.exists()
    assert [len((notes / str(n)).read_text()) for n in range(6)] == [1] * 6
    assert len((notes / "6").read_text()) == 2


# Workers that are processes ---------------------------------------------------------------------------------------


def test_there_are_two_workers_and_neither_is_here(processes, tmp_path):
    assert list(processes.map(tasks.Meeting(tmp_path), range(16))) == [n**2 for n in range(16)]
    found = {int(path.name) for path in tmp_path.iterdir()}
    assert len(found) >= 2  # Ray starts more where the first are slow to come
    assert os.getpid() not in found


def test_large_arrays_are_mapped_not_copied(processes):
    looks = list(processes.map(tasks.Look(np.arange(500_000.0)), range(8)))
    assert not any(writeable for _, _, writeable, _ in looks)
    assert {place for *_, place in looks} == {0}


def test_a_constant_is_unpacked_once(processes, tmp_path):
    constant = Constant(tasks.Weighed())
    times = {}
    for number in range(3):
        for process, seen, unpacked in processes.map(tasks.Unpacking(constant, number, tmp_path), range(8)):
            assert seen == number
            times.setdefault(process, set()).add(unpacked)
    assert len(times) >= 2
    assert all(len(counts) == 1 for counts in times.values())


def test_an_error_that_nobody_expected_tells_where(processes):
    with pytest.raises(ValueError, match="a number") as caught:
        list(processes.map(tasks.Failing(3, "value"), range(9)))
    assert any("In a worker" in note and "tasks.py" in note for note in caught.value.__notes__)


def test_what_cannot_be_sent_is_an_error(two_processes):
    with pytest.raises((AttributeError, TypeError), match=r"pickle|lambda"):
        list(two_processes.map(tasks.Odd(), range(5)))


@pytest.mark.parametrize("times", [1, 2])
def test_a_shard_that_kills_its_worker_is_done_again(processes, tmp_path, times):
    results = list(processes.map(tasks.Deadly(tmp_path, 4, times), range(12)))
    assert results == [n**2 for n in range(12)]
    assert len(list(tmp_path.iterdir())) == times


def test_a_shard_that_kills_every_worker_is_named(processes, tmp_path):
    results = processes.map(tasks.Deadly(tmp_path, 4, 100), range(12))
    assert [next(results) for _ in range(4)] == [0, 1, 4, 9]
    with pytest.raises(ExecutionError, match=r"^shard 5 \(number 4\) killed its worker 3 times"):
        next(results)
    assert len(list(tmp_path.iterdir())) == 3
    assert list(processes.map(tasks.Square(), [[1], [2], [3]])) == [[1], [4], [9]]


def test_a_worker_that_is_killed_from_outside_is_replaced(processes, tmp_path):
    """The result is the same, and two workers have gone on."""
    task = tasks.Gate(tmp_path)

    def kill_one() -> int:
        assert wait_until(lambda: len(task.waiting) >= 2)
        victim = min(task.waiting)
        os.kill(victim, signal.SIGKILL)
        task.gate.touch()
        return victim

    with ThreadPoolExecutor(1) as thread:
        killing = thread.submit(kill_one)
        assert list(processes.map(task, range(8))) == [n**2 for n in range(8)]
    victim = killing.result()
    assert str(victim) not in {path.name for path in (tmp_path / "passed").iterdir()}
    assert wait_until(lambda: not is_running(victim))
