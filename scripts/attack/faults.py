"""What goes wrong around a command: signals, closed pipes, full disks, lost caches, dying workers, changed inputs.

Whatever happens, the output is whole or absent, and the same command afterwards writes the same bytes.
"""

from __future__ import annotations

import functools
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from scripts.attack.case import Case
from scripts.attack.processes import fault_of_command, run, start
from tests.paths import DATA

__all__ = ["attack"]

CORPUS, OUTPUT, KEPT = "corpus.conllu", "out.conllu", "kept"

#: How often the sentences of a small treebank are repeated, so that there is time for something to go wrong.
TIMES = 30

PARSE = ["parse", CORPUS, "--output", OUTPUT, "--quiet"]
RESUMED = [*PARSE, "--resume", KEPT, "--workers", "2"]
CLUSTER = ["cluster", "words.txt", "--clusters", "5", "--min-count", "1", "--output", OUTPUT, "--quiet"]

#: A folder in which nothing can be written, not even by root.
NOWHERE = "/proc/nowhere"


def attack(case: Case) -> None:
    """Let one thing go wrong."""
    folder = case.folder / "faults"
    folder.mkdir(exist_ok=True)
    whole = _reference(folder)
    for path in folder.iterdir():
        if path.name.startswith((OUTPUT, ".treewright-")) or path.name == KEPT:
            subprocess.run(["rm", "-rf", path], check=True)
    (folder / CORPUS).write_bytes(_corpus())
    name = list(FAULTS)[case.number % len(FAULTS)]
    fault, error = case.ask(name, lambda: FAULTS[name](case, folder, whole), 600.0)
    if fault is not None or error is not None:
        case.check(name, not fault and error is None, fault or str(error))


def _corpus(changed: bool = False) -> bytes:
    data = (DATA / "ewt.conllu").read_bytes() * TIMES
    return data.replace(b"\twas\t", b"\tis\t") if changed else data


@functools.cache
def _reference(folder: Path) -> bytes:
    """Return what the parse of the corpus looks like if nothing goes wrong."""
    (folder / CORPUS).write_bytes(_corpus())
    (folder / "words.txt").write_text("the dog barks\nthe cat sleeps\na dog sleeps\na cat barks\n" * 5)
    ended = run(PARSE, folder, 600.0)
    if ended.status:
        raise RuntimeError(f"the parse of the corpus failed: {ended.err!r}")
    return (folder / OUTPUT).read_bytes()


def _is_half_written(folder: Path) -> bool:
    return (folder / OUTPUT).exists()


def _await_shards(process: subprocess.Popen[bytes], kept: Path, count: int) -> None:
    """Wait until some shards are finished."""
    deadline = time.monotonic() + 300
    while process.poll() is None and time.monotonic() < deadline and len(list(kept.glob("*.shard"))) < count:
        time.sleep(0.005)


def _children(pid: int) -> list[int]:
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in path.read_text().split()] if path.exists() else []


def _fault_afterwards(folder: Path, whole: bytes, command: list[str] = RESUMED) -> str:
    """Run a command again, to its end, and compare what it writes."""
    ended = run(command, folder, 300.0)
    fault = fault_of_command(ended, megabytes=4_000)
    if fault or ended.status:
        return f"afterwards: {fault or ended.err!r}"
    return "" if (folder / OUTPUT).read_bytes() == whole else "afterwards the output is another"


def _signalled(number: signal.Signals) -> Callable[[Case, Path, bytes], str]:
    def fault(case: Case, folder: Path, whole: bytes) -> str:
        process = start(RESUMED, folder, stderr=subprocess.PIPE)
        _await_shards(process, folder / KEPT, int(case.rng.integers(0, 4)))
        time.sleep(float(case.rng.random()) * 0.3)
        workers = _children(process.pid)
        process.send_signal(number)
        _, err = process.communicate(timeout=120)
        if b"Traceback" in err:
            return f"a traceback: {err.strip().splitlines()[-1]!r}"
        if process.returncode != 0 and _is_half_written(folder):
            return "there is output, though it was not finished"
        deadline = time.monotonic() + 30
        while any(Path(f"/proc/{worker}/statm").exists() and _is_alive(worker) for worker in workers):
            if time.monotonic() > deadline:
                return "workers go on without their master"
            time.sleep(0.05)
        return _fault_afterwards(folder, whole)

    return fault


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _dying_worker(case: Case, folder: Path, whole: bytes) -> str:
    process = start(RESUMED, folder, stderr=subprocess.PIPE)
    _await_shards(process, folder / KEPT, 1)
    for worker in _children(process.pid)[:1]:
        os.kill(worker, signal.SIGKILL)
    _, err = process.communicate(timeout=300)
    if process.returncode == 0:
        return "" if (folder / OUTPUT).read_bytes() == whole else "the output is another"
    if b"Traceback" in err or not err.startswith(b"treewright: error: "):
        return f"status {process.returncode}: {err[-200:]!r}"
    return _fault_afterwards(folder, whole)


def _changed_input(case: Case, folder: Path, whole: bytes) -> str:
    process = start(RESUMED, folder, stderr=subprocess.DEVNULL)
    _await_shards(process, folder / KEPT, 2)
    process.kill()
    process.wait()
    (folder / CORPUS).write_bytes(_corpus(changed=True))
    run(RESUMED, folder, 300.0)
    resumed = (folder / OUTPUT).read_bytes()
    run(PARSE, folder, 300.0)
    if resumed == whole:
        return "what was kept of the old input was used for the new"
    return "" if (folder / OUTPUT).read_bytes() == resumed else "the output is another"


def _closed_pipe(case: Case, folder: Path, whole: bytes) -> str:
    process = start(["parse", CORPUS, "--quiet"], folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    beginning = process.stdout.read(int(case.rng.integers(1, 5_000)))
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    status = process.wait(120)
    if err or status:
        return f"status {status}: {err[-200:]!r}"
    return "" if whole.startswith(beginning) else "the output is another"


def _full_disk(case: Case, folder: Path, whole: bytes) -> str:
    (folder / OUTPUT).write_bytes(b"old")
    ended = run(PARSE, folder, 300.0, limits={resource.RLIMIT_FSIZE: int(case.rng.integers(0, len(whole) // 2))})
    fault = fault_of_command(ended, megabytes=4_000)
    if fault or not ended.status:
        return fault or "it claims to have written everything"
    if (folder / OUTPUT).read_bytes() != b"old" or any(folder.glob(".treewright-*")):
        return "something half-written is left"
    return _fault_afterwards(folder, whole)


def _full_device(case: Case, folder: Path, whole: bytes) -> str:
    with open("/dev/full", "wb") as full:
        process = start(["parse", CORPUS, "--quiet"], folder, stdout=full, stderr=subprocess.PIPE)
        _, err = process.communicate(timeout=300)
    lines = err.decode("utf-8", "replace").splitlines()
    is_clear = process.returncode == 1 and len(lines) == 1 and lines[0].startswith("treewright: error: ")
    return "" if is_clear else f"status {process.returncode}: {lines[-3:]}"


def _no_cache(case: Case, folder: Path, whole: bytes) -> str:
    nowhere = {"HOME": NOWHERE, "XDG_CACHE_HOME": NOWHERE, "NUMBA_CACHE_DIR": ""}
    (folder / "temporary").mkdir(exist_ok=True)
    environment = {**nowhere, "TMPDIR": str(folder / "temporary") if case.rng.random() < 0.5 else NOWHERE}
    ended = run(CLUSTER, folder, 300.0, environment)
    fault = fault_of_command(ended, megabytes=4_000)
    if fault or ended.status:
        return fault or f"{ended.err!r}"
    found = (folder / OUTPUT).read_bytes()
    return _fault_afterwards(folder, found, CLUSTER)


def _two_compile(case: Case, folder: Path, whole: bytes) -> str:
    cache = folder / f"cache-{case.number}"
    environment = {"NUMBA_CACHE_DIR": str(cache)}
    names = [f"{OUTPUT}.{k}" for k in range(2)]
    commands = [[name if part == OUTPUT else part for part in CLUSTER] for name in names]
    both = [start(command, folder, environment, stderr=subprocess.PIPE) for command in commands]
    ended = [process.communicate(timeout=300)[1] for process in both]
    if any(process.returncode for process in both):
        return f"{ended!r}"
    one, two = ((folder / name).read_bytes() for name in names)
    if one != two:
        return "two processes that compile at once write different files"
    return _fault_afterwards(folder, one, CLUSTER)


FAULTS: dict[str, Callable[[Case, Path, bytes], str]] = {
    "kill -9": _signalled(signal.SIGKILL),
    "SIGTERM": _signalled(signal.SIGTERM),
    "closed pipe": _closed_pipe,
    "full disk": _full_disk,
    "full device": _full_device,
    "dying worker": _dying_worker,
    "changed input": _changed_input,
    "no cache": _no_cache,
    "two compile": _two_compile,
}
