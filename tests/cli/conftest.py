"""Run commands as a user would, within this process."""

from __future__ import annotations

import io
import math
import sys
from dataclasses import dataclass

import pytest

from treewright.cli import main


@dataclass
class Outcome:
    code: int
    out: str
    err: str

    def fails_with(self, *words: str, code: int = 1) -> bool:
        """Return whether it ended in one clear line that has these words, and wrote nothing else."""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("treewright: error: ")
        assert all(word in lines[0] for word in words), lines[0]
        return self.code == code and not self.out


@pytest.fixture
def run(monkeypatch, capfdbinary, tmp_path):
    """Run one command in an empty folder; return its exit status and what it wrote."""
    monkeypatch.setattr("treewright.kernels.are_compiled", lambda task: True)
    monkeypatch.setattr("treewright.cli.console.PAUSE", math.inf)  # on a busy machine there would be lines of progress
    monkeypatch.chdir(tmp_path)

    def run_command(*arguments: object, stdin: bytes = b"") -> Outcome:
        monkeypatch.setattr(sys, "argv", ["treewright", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as exit:
            main()
        out, err = capfdbinary.readouterr()
        return Outcome(int(exit.value.code or 0), out.decode(), err.decode())

    return run_command
