"""``treewright info``: what is in a model."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from treewright.cli.command import command
from treewright.cli.options import AsJson
from treewright.options import Option

__all__ = ["info"]


@command
def info(
    model: Annotated[str, Option("The name of an embedded model, or a model file.", positional=True)] = "en",
    as_json: AsJson = False,
) -> None:
    """Show what a model is, how it was trained, how good it is, and under what licence it comes.

    **Examples**

    - `treewright info en`
    - `treewright info my.tw --json`
    """
    from treewright.model.container import load_model
    from treewright.model.embedded import find_model

    path = find_model(model)
    manifest, arrays = load_model(path)
    if as_json:
        typer.echo(json.dumps({"kind": manifest["kind"], **manifest["info"]}, indent=2, ensure_ascii=False))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    table.add_row("model", f"{path.name}, {manifest['kind']}, {path.stat().st_size / 1e6:.1f} MB")
    for key, value in manifest["info"].items():
        table.add_row(key, _in_words(value))
    if "grammar" in manifest:
        table.add_row("spines", f"{len(manifest['grammar']['spines']):,}")
    elif "features" in manifest:
        table.add_row("relations", str(len(manifest["features"]["labels"])))
    if manifest.get("clusters"):
        table.add_row("clusters", f"{len(arrays['clusters']):,} words in {len(manifest['clusters']):,} clusters")
    if "generative" in arrays:
        table.add_row("raw text", f"{len(arrays['generative.constants']):,} generative models")
    weights = (array for name, array in arrays.items() if array.dtype == "int8" or name == "weights")
    table.add_row("weights", f"{sum(int((array != 0).sum()) for array in weights):,}")
    Console().print(table)


def _in_words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_in_words(item)}" for key, item in value.items() if item is not None)
    return f"{value:,}" if isinstance(value, int) else str(value)
