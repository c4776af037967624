"""``treewright constituents``: train parsers of constituent trees, parse with them, and score what they find."""

from __future__ import annotations

import typer

from treewright.cli.constituents.evaluate import evaluate
from treewright.cli.constituents.grammar import grammar
from treewright.cli.constituents.parse import parse
from treewright.cli.constituents.train import train

__all__ = ["constituents"]

constituents = typer.Typer(
    name="constituents",
    help="Constituent trees, by spines (Carreras, Collins and Koo 2008): train, parse, evaluate.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)
for step in (parse, train, evaluate, grammar):
    constituents.command()(step)
