"""``treewright rerank``: list candidates, train rerankers on them, choose, judge, and see why."""

from __future__ import annotations

import typer

from treewright.cli.rerank.apply import apply
from treewright.cli.rerank.candidates import candidates
from treewright.cli.rerank.evaluate import evaluate
from treewright.cli.rerank.explain import explain
from treewright.cli.rerank.mix import mix
from treewright.cli.rerank.train import train

__all__ = ["rerank"]

rerank = typer.Typer(
    name="rerank",
    help="Choose from the candidates of a parser with features of whole trees.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)
for step in (apply, evaluate, explain, candidates, train, mix):
    rerank.command()(step)
