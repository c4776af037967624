"""Packages of models, as an installer would leave them in a folder where Python looks for packages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from treewright.model.container import save_model


def install_models(
    site: Path,
    name: str,
    value: str,
    models: Sequence[str] = ("eo",),
    *,
    package: str = "treewright_eo",
    version: str = "1.2",
) -> Path:
    """Install a distribution whose entry point has this value; return the folder of its models."""
    about = site / f"{name.replace('-', '_')}-{version}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (about / "entry_points.txt").write_text(f"[treewright.models]\nmine = {value}\n")
    folder = site.joinpath(*package.split("."))
    folder.mkdir(parents=True, exist_ok=True)
    for inner in (site / package.split(".")[0], folder):
        (inner / "__init__.py").write_text("raise RuntimeError('this package has been imported')\n")
    for model in models:
        info = {"language": "eo", "treebank": "Example", "release": "2.16", "licence": "CC0", "dev": {"LAS": 81.234}}
        info["dev from raw text"] = {"words": 99.1, "LAS": 79.876}
        save_model(folder / f"{model}.tw", {"kind": "pcfg", "info": info}, {"x": np.zeros(1)})
    return folder
