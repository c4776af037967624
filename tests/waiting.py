"""How tests wait for other processes: as long as it takes, so that a busy machine fails no test."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

#: Seconds after which something has gone wrong, however busy the machine is.
HANGING = 300.0


def wait_until(is_so: Callable[[], bool]) -> bool:
    """Wait until something is so; return False if it never is."""
    deadline = time.monotonic() + HANGING
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.02)
    return is_so()


def is_running(process: int) -> bool:
    """Return whether there is a process of this number that has not ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
