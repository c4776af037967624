"""Commands in processes of their own: watched for time and memory, and asked for one clear line where they refuse."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ROOT", "Ended", "fault_of_command", "in_child", "run", "shown", "start"]

ROOT = Path(__file__).resolve().parents[2]

#: What a terminal may act on, but for tabs and ends of lines.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass
class Ended:
    """A process that has ended: its status (minus a signal), its output, and the most memory it had, in megabytes."""

    status: int
    out: bytes
    err: bytes
    megabytes: float
    seconds: float


def start(
    arguments: Sequence[str | Path],
    folder: Path,
    environment: Mapping[str, str] | None = None,
    limits: Mapping[int, int] | None = None,
    **streams: object,
) -> subprocess.Popen[bytes]:
    """Start ``treewright`` with some arguments, under limits of the system."""

    def prepare() -> None:
        os.setpgid(0, 0)
        for which, limit in (limits or {}).items():
            resource.setrlimit(which, (limit, limit))

    command = [sys.executable, "-m", "treewright", *map(str, arguments)]
    paths = os.pathsep.join([str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
    whole = {**os.environ, "PYTHONPATH": paths, "COLUMNS": "200", **(environment or {})}
    return subprocess.Popen(command, cwd=folder, env=whole, preexec_fn=prepare, **streams)  # type: ignore[call-overload,no-any-return]


def run(
    arguments: Sequence[str | Path],
    folder: Path,
    seconds: float = 120.0,
    environment: Mapping[str, str] | None = None,
    limits: Mapping[int, int] | None = None,
) -> Ended:
    """Run ``treewright`` to its end, or kill it after some seconds (status -9)."""
    began = time.monotonic()
    with open(folder / ".out", "w+b") as out, open(folder / ".err", "w+b") as err:
        process = start(arguments, folder, environment, limits, stdout=out, stderr=err, stdin=subprocess.DEVNULL)
        status, usage = _wait(process.pid, began + seconds)
        process.returncode = status
        out.seek(0)
        err.seek(0)
        return Ended(status, out.read(), err.read(), usage.ru_maxrss / 1024, time.monotonic() - began)


def _wait(pid: int, deadline: float) -> tuple[int, resource.struct_rusage]:
    """Wait for a process, and kill it and its children after the deadline."""
    while time.monotonic() < deadline:
        found, status, usage = os.wait4(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status), usage
        time.sleep(0.01)
    os.killpg(pid, signal.SIGKILL)
    _, status, usage = os.wait4(pid, 0)
    return os.waitstatus_to_exitcode(status), usage


def shown(text: str) -> str:
    """Return the first thing in a text that a terminal would act on; empty if there is nothing."""
    match = CONTROLS.search(text)
    return repr(text[max(0, match.start() - 10) : match.end() + 10]) if match else ""


def fault_of_command(ended: Ended, is_drawing: bool = False, megabytes: float = 1_000) -> str:
    """Say what is wrong with how a command ended, if anything: a traceback, a crash, or more than one line."""
    err = ended.err.decode("utf-8", "replace")
    if "Traceback" in err:
        return f"a traceback: {err.strip().splitlines()[-1][:200]}"
    if ended.status not in (0, 1, 2):
        return f"it ended with {ended.status} after {ended.seconds:.0f} s"
    errors = [line for line in err.splitlines() if line.startswith("treewright: error: ")]
    if bool(ended.status) != bool(errors) or len(errors) > 1 or any(len(line) > 2_000 for line in errors):
        return f"status {ended.status} with {len(errors)} lines of error: {err[:200]!r}"
    if shown(err):
        return f"control codes in messages: {shown(err)}"
    if is_drawing and shown(ended.out.decode("utf-8", "replace")):
        return f"control codes in a drawing: {shown(ended.out.decode('utf-8', 'replace'))}"
    return f"{ended.megabytes:.0f} MB of memory" if ended.megabytes > megabytes else ""


def in_child(question: Callable[[], str], seconds: float = 60.0) -> str:
    """Ask a question in a fork of this process, which a crash does not harm; return the answer, or how it ended."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.setpgid(0, 0)
            os.write(writing, question().encode("utf-8", "replace")[:4_000])
        except BaseException as error:
            os.write(writing, f"{type(error).__name__}: {error}".encode("utf-8", "replace")[:4_000])
        finally:
            os._exit(0)
    os.close(writing)
    status, _ = _wait(pid, time.monotonic() + seconds)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read().decode("utf-8", "replace")
    return answer if status == 0 else f"it ended with {status}"
