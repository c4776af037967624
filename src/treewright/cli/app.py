"""The commands, put together."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from treewright.cli.command import Unconverted, group
from treewright.version import __version__

__all__ = ["app"]

#: The commands: each is in the module of its name, which is imported when the command is needed.
COMMANDS = (
    "parse",
    "tokenize",
    "train",
    "pretrain",
    "distil",
    "evaluate",
    "convert",
    "cluster",
    "info",
    "models",
    "serve",
    "annotate",
    "constituents",
    "rerank",
)


class _Commands(Mapping[str, Any]):
    """The commands by name."""

    def __getitem__(self, name: str) -> Any:
        if name not in COMMANDS:
            raise KeyError(name)
        found = getattr(importlib.import_module(f"treewright.cli.{name}"), name)
        return typer.main.get_command(found if isinstance(found, typer.Typer) else group(name, "", found))

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class _Group(Unconverted, TyperGroup):
    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "commands": _Commands()})


app = typer.Typer(
    name="treewright",
    cls=_Group,
    help="Exact, feature-rich syntactic parsing: text to trees, treebanks to parsers.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"treewright {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None: ...
