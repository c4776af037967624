"""Processes on this machine: how they start, what they share, and that they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from tests.execution import tasks
from tests.paths import TESTS
from tests.waiting import HANGING, is_running, wait_until
from treewright.errors import ExecutionError
from treewright.execution import LocalProcesses

SCRIPT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell without a terminal has its jobs ignore
sys.path.insert(0, {tests!r})
from tests.execution import tasks
from treewright.execution import LocalProcesses

def main():
    with LocalProcesses(2) as executor:
        {body}

{guard}main()
"""
#: Seconds of work that no test waits for.
FOREVER = 10 * HANGING

GUARD = "if __name__ == '__main__': "


def script(tmp_path, body, guard=GUARD):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT.format(tests=str(TESTS.parent), body=body, guard=guard))
    return subprocess.Popen(
        [sys.executable, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def test_one_worker_is_this_process():
    with LocalProcesses(1) as executor:
        assert set(executor.map(tasks.Process(), range(3))) == {os.getpid()}


def test_one_shard_needs_no_worker():
    with LocalProcesses(3) as executor:
        assert list(executor.map(tasks.Process(), [1])) == [os.getpid()]
        assert executor.workers == []


def test_there_are_no_more_workers_than_shards():
    with LocalProcesses(8) as executor:
        assert os.getpid() not in executor.map(tasks.Process(), range(2))
        assert len(executor.workers) == 2


def test_workers_are_counted():
    assert LocalProcesses(0).count == len(os.sched_getaffinity(0))
    with pytest.raises(ValueError, match="-1 workers"):
        LocalProcesses(-1)


def test_one_task_at_a_time(two_processes):
    results = two_processes.map(tasks.Square(), [[1], [2], [3]])
    next(results)
    with pytest.raises(RuntimeError, match="busy"):
        next(two_processes.map(tasks.Square(), [[1], [2], [3]]))
    assert list(results) == [[4], [9]]


def test_they_end_with_the_block_whatever_they_do():
    with LocalProcesses(2) as executor:
        results = executor.map(tasks.Slower(), [0, *[FOREVER] * 3])
        assert next(results) == 0
        processes = [worker.process.pid for worker in executor.workers]
        assert all(map(is_running, processes))
    assert not any(map(is_running, processes))
    results.close()


def test_what_nobody_wants_any_more_is_ended(two_processes):
    results = two_processes.map(tasks.Slower(), [0, *[FOREVER] * 3])
    assert next(results) == 0
    busy = [worker.process.pid for worker in two_processes.workers if worker.shards]
    assert busy
    results.close()
    assert not any(map(is_running, busy))
    assert list(two_processes.map(tasks.Square(), [[1], [2], [3]])) == [[1], [4], [9]]


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_they_end_with_their_parent_whatever_they_do(tmp_path, signum):
    notes = tmp_path / "notes"
    notes.mkdir()
    parent = script(tmp_path, f"list(executor.map(tasks.Noted(tasks.Path({str(notes)!r}), {FOREVER}), range(5)))")
    try:
        assert wait_until(lambda: len(list(notes.iterdir())) >= 2)
        workers = [int(path.name.partition("-")[2]) for path in notes.iterdir()]
        if signum == signal.SIGINT:
            os.killpg(parent.pid, signum)  # as a terminal does: it goes to the workers as well
        else:
            parent.send_signal(signum)
        _, errors = parent.communicate(timeout=HANGING)
        assert parent.returncode != 0
        assert wait_until(lambda: not any(map(is_running, workers)))
        assert errors.count("Traceback") == (signum == signal.SIGINT)  # that of the parent, and no other
    finally:
        parent.kill()


def test_a_script_that_starts_them_without_a_guard_is_told(tmp_path):
    parent = script(tmp_path, "print(list(executor.map(tasks.Square(), [[1], [2], [3]])))", guard="")
    output, errors = parent.communicate(timeout=HANGING)
    assert parent.returncode == 1
    assert 'if __name__ == "__main__"' in errors.splitlines()[-1]
    assert "ExecutionError" in errors
    assert not output


def test_no_room_for_arrays_is_one_clear_line(monkeypatch):
    def full(task, file, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("treewright.execution.local.pack", full)
    with LocalProcesses(2) as executor, pytest.raises(ExecutionError, match=r"No space left on device; .* TMPDIR"):
        list(executor.map(tasks.Square(), [[1], [2]]))


@pytest.mark.parametrize("has_proc", [True, False])
def test_nothing_is_left_behind(tmp_path, monkeypatch, has_proc):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("treewright.execution.packing.os.path.isdir", lambda path: has_proc)
    with LocalProcesses(2) as executor:
        results = executor.map(tasks.Look(np.zeros(1_000_000)), range(4))
        next(results)
        assert len(list(tmp_path.iterdir())) == (0 if has_proc else 1)  # killed now, it would leave as much
        assert len(list(results)) == 3
        assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not os.path.exists("/proc/self/smaps_rollup"), reason="needs Linux")
def test_a_worker_has_little_memory_of_its_own(tmp_path):
    """However large the table is: 500 MB here."""
    table = np.ones(125_000_000, np.float32)
    with LocalProcesses(2) as executor:
        memory = dict(executor.map(tasks.PrivateMemory(table, tmp_path), range(4)))
    assert len(memory) == 2
    assert all(megabytes < 100 for megabytes in memory.values()), memory
