"""``treewright constituents``: train parsers of constituent trees, parse with them, and score what they find."""

from __future__ import annotations

from treewright.cli.command import group
from treewright.cli.constituents.evaluate import evaluate
from treewright.cli.constituents.grammar import grammar
from treewright.cli.constituents.parse import parse
from treewright.cli.constituents.train import train

__all__ = ["constituents"]

_HELP = "Constituent trees, by spines (Carreras, Collins and Koo 2008): train, parse, evaluate."
constituents = group("constituents", _HELP, parse, train, evaluate, grammar)
