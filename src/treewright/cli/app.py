"""The commands, put together."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.cli.cluster import cluster
from treewright.cli.constituents import constituents
from treewright.cli.convert import convert
from treewright.cli.evaluate import evaluate
from treewright.cli.grammar import grammar
from treewright.cli.models import info, models
from treewright.cli.parse import parse
from treewright.cli.rerank import rerank
from treewright.cli.rerank_candidates import candidates
from treewright.cli.rerank_train import mix
from treewright.cli.rerank_train import train as rerank_train
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
constituents.command()(grammar)
app.add_typer(constituents)
for step in (candidates, rerank_train, mix):
    rerank.command()(step)
app.add_typer(rerank, name="rerank")


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
