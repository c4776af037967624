"""The model file of a PCFG: symbols and words in the manifest, rules and counts as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from treewright.arrays import Array, Arrays
from treewright.constituency.pcfg.grammar import Grammar
from treewright.constituency.pcfg.lexicon import Lexicon
from treewright.constituency.pcfg.model import Pcfg
from treewright.constituency.pcfg.transformation import Annotation, Symbol

__all__ = ["KIND", "describe_pcfg", "restore_pcfg"]

#: What the manifest says that the model is.
KIND = "pcfg"


def describe_pcfg(model: Pcfg) -> tuple[dict[str, Any], dict[str, Array]]:
    """Take a grammar and its lexicon apart into a manifest and arrays."""
    _, rules = model.grammar.describe()
    lexicon, counts = model.lexicon.describe()
    symbols = {"settings": asdict(model.annotation), "symbols": model.symbols}
    return {"kind": KIND, "info": {}, **symbols, **lexicon}, {**rules, **counts}


def restore_pcfg(manifest: Mapping[str, Any], arrays: Arrays) -> Pcfg:
    """Put together what `describe_pcfg` took apart."""
    symbols = [Symbol(kind, str(label), tuple(context)) for kind, label, context in manifest["symbols"]]
    grammar = Grammar.restore(symbols, arrays)
    tags = [symbol.label for symbol in symbols if symbol.kind == "tag"]
    lexicon = Lexicon.restore(tags, manifest, arrays)
    return Pcfg(Annotation(**manifest["settings"]), symbols, grammar, lexicon)
