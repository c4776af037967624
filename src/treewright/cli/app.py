"""The commands, put together."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.cli.cluster import cluster
from treewright.cli.constituents import constituents
from treewright.cli.convert import convert
from treewright.cli.evaluate import evaluate
from treewright.cli.info import info
from treewright.cli.models import models
from treewright.cli.parse import parse
from treewright.cli.rerank import rerank
from treewright.cli.train import train
from treewright.version import __version__

__all__ = ["app"]

app = typer.Typer(
    name="treewright",
    help="Exact, feature-rich syntactic parsing: text to trees, treebanks to parsers.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (parse, train, evaluate, convert, cluster, info, models):
    app.command()(command)
app.add_typer(constituents)
app.add_typer(rerank)


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
