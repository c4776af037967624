"""Compiled kernels: where they are kept, and what loading them takes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from treewright import kernels

PROGRAM = """
import sys
import numpy as np
from treewright.inference.magnitudes import spreads
print(spreads(np.arange(4.0).reshape(1, 2, 2)), "scipy.linalg" in sys.modules)
"""


def test_what_is_cached_is_loaded_without_the_compiler(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", PROGRAM]
    first, second = (subprocess.check_output(command, env=environment, text=True) for _ in range(2))
    assert first == "[0.] True\n"  # which the compiler imports
    assert second == "[0.] False\n"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="there are no users")
def test_a_temporary_cache_that_others_may_write_to_is_not_used(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ours = kernels._temporary_root()
    assert ours == tmp_path / f"treewright-{os.getuid()}"
    assert kernels._temporary_root() == ours
    ours.chmod(0o777)
    assert kernels._temporary_root() != ours
    ours.rmdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    ours.symlink_to(elsewhere)
    assert kernels._temporary_root() not in (ours, elsewhere)


def test_a_cache_that_cannot_be_made_is_temporary(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert kernels._cache_root().parent == Path(tmp_path)
