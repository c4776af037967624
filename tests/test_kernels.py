"""Compiled kernels: where they are kept, and what loading them takes."""

import marshal
import os
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.serialize import dumps

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


CLOSURE = """
def make(word, add):
    def inner(x):
        return x if word == "value" else None
    def outer(x):
        return inner(x), add(x), outer
    return outer
"""


def closure(code, word="value", add=max):
    space = {"__name__": "closures"}
    exec(code, space)
    return space["make"](word, add)


def test_closures_are_told_apart_by_code_and_by_what_they_close_over():
    code = compile(CLOSURE, "closures.py", "exec")
    loaded = marshal.loads(marshal.dumps(code, 2))  # equal strings are not the same object, as in bytecode from a file
    made, same, *others = [
        kernels._describe(one, {})
        for one in (
            closure(code),
            closure(loaded),
            closure(code, "other"),
            closure(code, add=min),
            closure(code, add=lambda x: x),
            closure(compile(CLOSURE.replace("else None", "else 0"), "closures.py", "exec")),
        )
    ]
    assert made == same
    assert all(made != other for other in others)
    assert len({dumps(closure(one)) for one in (code, loaded)}) == 2  # by which Numba would tell them apart


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
