"""Executors of every kind, each started once."""

from __future__ import annotations

import importlib.util
import os
import secrets
import shutil
import tempfile
import time
from types import SimpleNamespace

import pytest

from tests.paths import TESTS
from tests.waiting import HANGING
from treewright.execution import LocalProcesses, RayCluster, Threads

HAS_RAY = importlib.util.find_spec("ray") is not None
needs_ray = pytest.mark.skipif(not HAS_RAY, reason="Ray is not installed")

#: Set in the process of `test_on_ray`, where tests have a cluster.  Ray ends a process that loses its cluster.
OWN_PROCESS = "TREEWRIGHT_TESTS_ON_RAY"
ON_RAY = [pytest.param(lambda request: request.getfixturevalue("ray_cluster"), id="ray")]
ON_RAY = ON_RAY if HAS_RAY and OWN_PROCESS in os.environ else []


@pytest.fixture(scope="session")
def two_processes():
    with LocalProcesses(2) as executor:
        yield executor


@pytest.fixture(scope="session")
def ray_folder():
    """A place and a password of its own for Ray, so that nobody else finds its clusters; sockets need a short name."""
    folder = tempfile.mkdtemp(prefix="ray-")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_TMPDIR", folder)
        patch.setenv("RAY_AUTH_MODE", "token")
        patch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
        patch.setenv("RAY_memory_monitor_refresh_ms", "0")  # or it kills workers when others need memory
        for limit in ("worker_register_timeout_seconds", "gcs_server_request_timeout_seconds"):
            patch.setenv(f"RAY_{limit}", str(int(HANGING)))
        patch.setenv("PYTHONPATH", str(TESTS.parent), prepend=os.pathsep)  # for the tasks of tests
        yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def ray_cluster(ray_folder):
    slow = SimpleNamespace(**vars(time) | {"monotonic": lambda: time.monotonic() / 10})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ray._private.node.time", slow)  # so that its 30 seconds for starting last five minutes
        executor = RayCluster("local", workers=2)
    with executor:
        yield executor


THREADS = [pytest.param(lambda request: Threads(1), id="here"), pytest.param(lambda request: Threads(3), id="threads")]
PROCESSES = [
    pytest.param(lambda request: request.getfixturevalue("two_processes"), id="processes"),
    *ON_RAY,
]


@pytest.fixture(params=[*THREADS, *PROCESSES])
def executor(request):
    """An executor of any kind."""
    return request.param(request)


@pytest.fixture(params=PROCESSES)
def processes(request):
    """An executor whose workers are processes."""
    return request.param(request)
