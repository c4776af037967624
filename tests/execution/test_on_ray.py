"""The laws of executors on a Ray cluster, in a process of their own, which Ray ends when it loses the cluster."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.execution.conftest import OWN_PROCESS, needs_ray
from tests.paths import TESTS

#: How often Ray may end the process.
ATTEMPTS = 3


@needs_ray
def test_executors_on_a_cluster():
    files = [str(TESTS / "execution" / name) for name in ("test_laws.py", "test_models.py")]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "ray", *files]
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")} | {OWN_PROCESS: "1"}
    for _ in range(ATTEMPTS):
        ended = subprocess.run(command, env=own, cwd=TESTS.parent, capture_output=True, text=True, check=False)
        if ended.stdout.rpartition(" in ")[0]:  # there is a summary, so that tests came to their end
            break
    assert ended.returncode == 0, ended.stdout
    assert " passed" in ended.stdout
