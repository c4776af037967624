"""``treewright info``: what is in a model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli.command import command
from treewright.cli.options import AsJson
from treewright.options import Option

if TYPE_CHECKING:
    from treewright.arrays import Arrays
    from treewright.model import Manifest

__all__ = ["info"]


@command
def info(
    model: Annotated[
        str, Option("The name of a model (see treewright models), or a model file.", positional=True)
    ] = "en",
    as_json: AsJson = False,
) -> None:
    """Show what a model is, how it was trained, how good it is, and under what licence it comes.

    **Examples**

    - `treewright info en`
    - `treewright info my.tw --json`
    """
    from treewright.model.base import trusting_nothing
    from treewright.model.catalogue import find_model
    from treewright.model.container import load_model
    from treewright.treebank.terminal import make_printable

    path = find_model(model)
    manifest, arrays = load_model(path)
    with trusting_nothing(path):
        if as_json:
            about = {"kind": manifest["kind"], **manifest["info"]}
            typer.echo(json.dumps(about, indent=2, ensure_ascii=False).encode("utf-8", "replace"))
            return
        rows = [("model", f"{path.name}, {manifest['kind']}, {path.stat().st_size / 1e6:.1f} MB")]
        rows += [(key, _in_words(value)) for key, value in manifest["info"].items()]
        rows += _counts(manifest, arrays)
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for row in rows:
        table.add_row(*(Text(make_printable(cell)) for cell in row))
    Console().print(table)


def _counts(manifest: Manifest, arrays: Arrays) -> Iterator[tuple[str, str]]:
    """Yield how many there are of whatever a model has."""
    if "grammar" in manifest:
        yield "spines", f"{len(manifest['grammar']['spines']):,}"
    elif "features" in manifest:
        yield "relations", str(len(manifest["features"]["labels"]))
    elif "scorer" in manifest:
        yield "relations", str(len(manifest["scorer"]["settings"]["labels"]))
    if manifest.get("clusters"):
        yield "clusters", f"{len(arrays['clusters']):,} words in {len(manifest['clusters']):,} clusters"
    if "generative" in arrays:
        yield "raw text", f"{len(arrays['generative.constants']):,} generative models"
    weights = (array for name, array in arrays.items() if array.dtype == "int8" or name == "weights")
    yield "weights", f"{sum(int((array != 0).sum()) for array in weights):,}"


def _in_words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_in_words(item)}" for key, item in value.items() if item is not None)
    return f"{value:,}" if isinstance(value, int) else str(value)
