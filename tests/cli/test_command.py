"""Commands from dataclasses: flags, defaults, limits, and what the function gets."""

import subprocess
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from treewright.cli.command import command
from treewright.options import Option, Options, option, required


@dataclass(frozen=True)
class Meal(Options):
    """What to cook."""

    dish: str = required("What it is.", metavar="DISH", positional=True)
    guests: int = option(2, "For how many.", min=1, max=9)
    extras: tuple[str, ...] = option((), "What else.")
    without: Collection[str] = option((), "What to leave out.")
    salt: bool = option(True, "Whether to salt it.")
    hot: bool = option(False, "Whether to heat it.")
    secret: int = option(7, "Not for the command line.", python_only=True)


served = []


@command
def cook(meal: Meal, table: Annotated[Path | None, Option("Where to serve.", flags=("--to", "-t"))] = None) -> None:
    """Cook a meal."""
    served.append((meal, table))


@pytest.fixture
def run():
    app = typer.Typer(add_completion=False)
    app.command()(cook)
    served.clear()
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


def test_defaults(run):
    assert run("soup").exit_code == 0
    assert served == [(Meal("soup"), None)]


def test_everything_given(run):
    given = ["--guests", "3", "--extras", "bread", "--extras", "wine", "--without", "nuts, milk", "--no-salt", "--hot"]
    assert run("pie", *given, "-t", "garden").exit_code == 0
    meal = Meal("pie", 3, ("bread", "wine"), ("nuts", "milk"), salt=False, hot=True)
    assert served == [(meal, Path("garden"))]


@pytest.mark.parametrize("arguments", [(), ("soup", "--guests", "10"), ("soup", "--secret", "1"), ("soup", "--no-hot")])
def test_what_is_not_offered_is_refused(run, arguments):
    assert run(*arguments).exit_code == 2
    assert served == []


def test_help_of_all_commands_loads_nothing_heavy():
    code = """
import sys
import typer
from treewright.cli.app import app

def helps(command, context):
    command.get_help(context)
    for name, below in getattr(command, "commands", {}).items():
        helps(below, typer.Context(below, info_name=name, parent=context))

main = typer.main.get_command(app)
helps(main, typer.Context(main, info_name="treewright"))
print(sorted({"numpy", "numba", "scipy", "safetensors"} & set(sys.modules)))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"
