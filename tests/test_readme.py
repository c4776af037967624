"""The README is what a stranger types: its commands are the ones that CI runs."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def commands(path: str) -> list[str]:
    blocks = re.findall(r"```console\n(.*?)```", (ROOT / path).read_text(), re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def test_ci_runs_exactly_the_test_command():
    [command] = [line for line in commands("README.md") if "pytest" in line]
    assert command in (ROOT / ".ci/run").read_text().splitlines()


def test_documents_linked_from_the_readme_exist():
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / "README.md").read_text())
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
