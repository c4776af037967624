"""``treewright models``: which models there are."""

from __future__ import annotations

__all__ = ["models"]


def models() -> None:
    """List the models that come with the package.

    **Example**

    - `treewright models`
    """
    from rich.console import Console
    from rich.table import Table

    from treewright.model.container import load_model
    from treewright.model.embedded import embedded_models

    table = Table(box=None, header_style="bold")
    for header in ("name", "language", "trained on", "UAS", "LAS", "F1", "licence", "size"):
        table.add_column(header, no_wrap=header != "trained on")
    for name, path in embedded_models().items():
        about = load_model(path)[0]["info"]
        scores = about.get("dev", {})
        size = f"{path.stat().st_size / 1e6:.1f} MB"
        numbers = (f"{scores[key]:.2f}" if key in scores else "" for key in ("UAS", "LAS", "F1"))
        table.add_row(
            name, about.get("language", ""), about.get("treebank", ""), *numbers, about.get("licence", ""), size
        )
    Console().print(table)
