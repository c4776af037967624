"""``treewright models``: which models there are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

from treewright.cli.command import command
from treewright.cli.console import notice
from treewright.cli.options import AsJson

if TYPE_CHECKING:
    from treewright.model.catalogue import NamedModel

__all__ = ["models"]

#: The score that stands for the others: of dependencies, and of constituents.
_MEASURES = ("LAS", "F1")


@command
def models(*, as_json: AsJson = False) -> None:
    """List the models that have a name: those that come with the package, and those of other installed packages.

    The table says for each its language, the treebank with its release, the licence, and the scores on the dev set,
    from gold tokens and from raw text. treewright info tells more about one.

    **Examples**

    - `treewright models`
    - `treewright models --json`
    """
    from treewright.errors import ModelError
    from treewright.model.catalogue import read_catalogue

    catalogue = read_catalogue()
    described: dict[str, dict[str, Any]] = {}
    for fault in catalogue.faults:
        notice(f"warning: {fault}")
    for name, model in catalogue.models.items():
        try:
            described[name] = _describe(model)
        except ModelError as error:
            notice(f"warning: {f'{model.source}: ' if model.source else ''}{error}")
    if as_json:
        typer.echo(json.dumps(described, indent=2, ensure_ascii=False).encode("utf-8", "replace"))
    else:
        _show(described)


def _describe(model: NamedModel) -> dict[str, Any]:
    """Read what a model says of itself."""
    from treewright.model.base import trusting_nothing
    from treewright.model.catalogue import FROM_RAW_TEXT, FROM_TOKENS
    from treewright.model.container import read_manifest

    manifest = read_manifest(model.path)
    with trusting_nothing(model.path):
        info = manifest["info"]
        texts = ("language", "treebank", "release", "licence", "attribution")
        return {
            "kind": str(manifest["kind"]),
            **{key: str(info.get(key, "")) for key in texts},
            "bytes": model.path.stat().st_size,
            "scores": {key: _numbers(info.get(key) or {}) for key in (FROM_TOKENS, FROM_RAW_TEXT)},
            "package": model.source,
        }


def _numbers(scores: Mapping[str, Any]) -> dict[str, float]:
    return {str(name): float(score) for name, score in scores.items() if isinstance(score, int | float)}


def _show(described: Mapping[str, Mapping[str, Any]]) -> None:
    """Print a table of models, and below it which packages they come from, if not all from this one."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from treewright.treebank.terminal import make_printable

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    for header in ("name", "language", "trained on", "licence", "size", "gold\ntokens", "raw\ntext"):
        table.add_column(header, overflow="fold", no_wrap=header != "trained on", vertical="top")
    for name, about in described.items():
        cells = [name, about["language"], f"{about['treebank']} {about['release']}".strip(), about["licence"]]
        cells += [f"{about['bytes'] / 1e6:.1f} MB", *map(_main_score, about["scores"].values())]
        table.add_row(*(Text(make_printable(cell)) for cell in cells))
    console = Console()
    console.print(table)
    console.print("\nScores on the dev set: LAS of dependencies, F1 of constituents.")
    for source in sorted({about["package"] for about in described.values()} - {""}):
        names = ", ".join(name for name, about in described.items() if about["package"] == source)
        console.print(Text(make_printable(f"From {source}: {names}")))


def _main_score(scores: Mapping[str, float]) -> str:
    return next((f"{scores[name]:.2f}" for name in _MEASURES if name in scores), "")
