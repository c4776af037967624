"""The model file of a PCFG: symbols and words in the manifest, rules and counts as arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.constituency.pcfg.grammar import make_grammar
from treewright.constituency.pcfg.lexicon import Lexicon
from treewright.constituency.pcfg.model import Pcfg
from treewright.constituency.pcfg.transformation import Annotation, Symbol

__all__ = ["KIND", "describe_pcfg", "restore_pcfg"]

#: What the manifest says that the model is.
KIND = "pcfg"

Arrays = Mapping[str, npt.NDArray[Any]]


def describe_pcfg(model: Pcfg) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Take a grammar and its lexicon apart into a manifest and arrays."""
    grammar, annotation = model.grammar, model.annotation
    manifest: dict[str, Any] = {
        "kind": KIND,
        "info": {},
        "settings": {"vertical": annotation.vertical, "horizontal": annotation.horizontal, "tags": annotation.tags},
        "symbols": model.symbols,
        "words": list(model.lexicon.words),
        "classes": list(model.lexicon.classes),
    }
    arrays: dict[str, npt.NDArray[Any]] = {
        "rules": np.stack([grammar.parent, grammar.left, grammar.right]),
        "rule_weights": grammar.weight,
        "chains": grammar.steps,
        "chain_starts": grammar.of_chain,
        "chain_weights": grammar.chain_weight,
        "roots": grammar.root,
        "word_counts": _table(model.lexicon.words),
        "class_counts": _table(model.lexicon.classes),
    }
    return manifest, arrays


def restore_pcfg(manifest: Mapping[str, Any], arrays: Arrays) -> Pcfg:
    """Put together what `describe_pcfg` took apart."""
    symbols = [Symbol(kind, str(label), tuple(context)) for kind, label, context in manifest["symbols"]]
    kinds = [symbol.kind for symbol in symbols]
    phrases = kinds.count("phrase")
    solid = phrases + kinds.count("tag")
    if kinds != ["phrase"] * phrases + ["tag"] * (solid - phrases) + ["state"] * (len(kinds) - solid):
        raise ValueError("symbols out of order")
    rules = list(map(tuple, arrays["rules"].T.tolist()))
    paths = [tuple(path.tolist()) for path in np.split(arrays["chains"], arrays["chain_starts"][1:-1])]
    chains = dict(zip(paths, arrays["chain_weights"].tolist(), strict=True)) if arrays["chains"].size else {}
    if not all((arrays[name] <= 0).all() for name in ("rule_weights", "chain_weights", "roots")):
        raise ValueError("a probability above one, or none at all")
    _check_numbers(np.array(rules).reshape(-1, 3), paths, (phrases, solid, len(symbols)))
    labels = {label: place for place, label in enumerate(sorted({symbol.label for symbol in symbols}))}
    grammar = make_grammar(
        (phrases, solid, len(symbols)),
        dict(zip(rules, arrays["rule_weights"].tolist(), strict=True)),
        chains,
        [labels[symbol.label] for symbol in symbols[:solid]],
        dict(zip(range(solid), arrays["roots"].tolist(), strict=True)),
    )
    tags = [symbol.label for symbol in symbols[phrases:solid]]
    lexicon = Lexicon(
        tags,
        _counters(manifest["words"], arrays["word_counts"]),
        _counters(manifest["classes"], arrays["class_counts"]),
    )
    return Pcfg(Annotation(**manifest["settings"]), symbols, grammar, lexicon)


def _check_numbers(rules: npt.NDArray[Any], paths: list[tuple[int, ...]], sizes: tuple[int, int, int]) -> None:
    """Refuse numbers that name no symbol, or one of the wrong kind: kernels do not look at bounds."""
    phrases, solid, symbols = sizes
    parent, left = rules[:, 0], rules[:, 1]
    good = (rules >= 0).all() and (rules < symbols).all() and (left < solid).all()
    good &= not ((parent >= phrases) & (parent < solid)).any()
    for path in filter(None, paths):
        good &= min(path) >= 0 and max(path[:-1], default=solid) < phrases and path[-1] < solid
    if not good:
        raise ValueError("a rule with a symbol that is not there")


def _table(counters: Mapping[str, Counter[int]]) -> npt.NDArray[np.int32]:
    """List (name, tag, times), names by their place."""
    rows = [(place, tag, times) for place, found in enumerate(counters.values()) for tag, times in found.items()]
    return np.array(rows, np.int32).reshape(-1, 3)


def _counters(names: list[str], table: npt.NDArray[Any]) -> dict[str, Counter[int]]:
    counters: dict[str, Counter[int]] = {str(name): Counter() for name in names}
    found = list(counters.values())
    for place, tag, times in table.tolist():
        found[place][tag] = times
    return counters
