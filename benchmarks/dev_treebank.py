"""What benchmarks on a dev treebank share: options, a model and the sentences."""

from __future__ import annotations

import argparse
from pathlib import Path

import treewright
from treewright.treebank import Sentence, read

__all__ = ["model_and_sentences", "options_of"]


def options_of(about: str) -> argparse.ArgumentParser:
    """Make a parser of options, described by the first line of a docstring, that knows ``--data`` and ``--model``."""
    options = argparse.ArgumentParser(description=about.split("\n")[0])
    options.add_argument("--data", type=Path, default=Path("../shared/data"))
    options.add_argument("--model", default="en")
    return options


def model_and_sentences(chosen: argparse.Namespace) -> tuple[treewright.Parser, list[Sentence]]:
    """Open the model, and read the dev treebank of English."""
    return treewright.Parser.open(chosen.model), list(read(chosen.data / "ud/english-ewt/dev.conllu.gz"))
