"""``treewright evaluate``: how well trees agree with a gold standard."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from treewright.cli.command import command
from treewright.cli.options import AsJson
from treewright.errors import UsageError
from treewright.options import EmptyElements, Options, option, required

if TYPE_CHECKING:
    from collections.abc import Iterable

    from treewright.treebank import ConstituentTree, Sentence

__all__ = ["evaluate", "show_brackets"]


@dataclass(frozen=True)
class EvaluationOptions(Options):
    """What is scored, how, and what is shown of it."""

    gold: str = required(
        "The gold standard: CoNLL-U, CoNLL-X, or bracketed trees (.mrg).", metavar="GOLD", positional=True
    )
    system: str = required("What is to be judged: the same words, parsed.", metavar="SYSTEM", positional=True)
    against: str | None = option(None, "Another system: test whether the difference is significant.", metavar="OTHER")
    punctuation: Literal["keep", "ud", "penn", "unicode"] = option(
        "keep",
        "Count all words, or leave out punctuation: by the UD tag PUNCT, by the Penn tags that the papers ignore, or "
        "words of Unicode punctuation alone (CoNLL-X).",
    )
    subtypes: bool = option(
        True, "Compare whole relations such as nmod:poss, or only nmod, as the official UD scorer does."
    )
    empty: EmptyElements = option("penn", "Empty elements to remove from bracketed trees: as for treewright convert.")
    by_relation: bool = option(False, "Also precision and recall of each relation, or label of constituents.")
    by_length: bool = option(False, "Also precision and recall by length of the arc, or sentence.")
    calibration: bool = option(
        False, "Also how far to trust the probabilities of parse --confidence: of heads, relations, tags and trees."
    )


@command
def evaluate(options: EvaluationOptions, as_json: AsJson = False) -> None:
    """Score trees against a gold standard.

    UAS and LAS count words with the right head, and with the right head and relation; CLAS counts content words alone.
    Bracketed trees are scored by precision and recall of their constituents, as EVALB does with COLLINS.prm.

    **Examples**

    - `treewright evaluate dev.conllu dev.parsed.conllu`
    - `treewright evaluate dev.conllu a.conllu --against b.conllu --punctuation ud`
    - `treewright evaluate dev.conllu a.conllu --by-relation --json > scores.json`
    - `treewright evaluate dev.conllu dev.confident.conllu --calibration`
    - `treewright evaluate dev.mrg a.mrg --against b.mrg --by-length`
    """
    from treewright.cli.sources import is_bracketed

    if not is_bracketed(options.gold) and not is_bracketed(options.system):
        return _show_dependencies(options, as_json)
    if options.calibration:
        raise UsageError("--calibration is for probabilities of dependencies; these are bracketed trees")
    files = options.gold, options.system, options.against
    return show_brackets(files, options.empty, as_json, by_label=options.by_relation, by_length=options.by_length)


def _show_dependencies(options: EvaluationOptions, as_json: bool) -> None:
    """Score dependency trees, and show the scores."""
    from treewright import evaluation

    trees, punctuation = (_read(options.gold), _read(options.system)), options.punctuation
    outcome = evaluation.evaluate(*trees, punctuation, subtypes=options.subtypes)
    comparison = None
    if options.against is not None:
        comparison = evaluation.compare(*trees, _read(options.against), punctuation, subtypes=options.subtypes)
    reliability = evaluation.measure_calibrations(*trees, punctuation) if options.calibration else {}
    if as_json:
        described = outcome.to_dict()
        if comparison is not None:
            described["comparison"] = comparison.to_dict()
        if reliability:
            described["calibration"] = {of: calibration.to_dict() for of, calibration in reliability.items()}
        typer.echo(json.dumps(described, indent=2, ensure_ascii=False))
        return
    from rich.console import Console

    console = Console()
    console.print(evaluation.render_evaluation(outcome, by_relation=options.by_relation, by_length=options.by_length))
    if comparison is not None:
        names = Path(options.system).name, Path(str(options.against)).name
        console.print(evaluation.render_comparison(comparison, names))
    for calibration in reliability.values():
        console.print(evaluation.render_calibration(calibration))


def show_brackets(files: tuple[str, str, str | None], empty: EmptyElements, as_json: bool, **tables: bool) -> None:
    """Score bracketed trees, and show the scores.

    ``files`` are the gold standard, the system, and another system to compare it with; ``tables`` are those of
    `render_brackets`.
    """
    from treewright import evaluation
    from treewright.treebank import read_trees

    (_, system, other), rules = files, evaluation.BracketRules(empty=empty)
    gold: Iterable[ConstituentTree]
    first: Iterable[ConstituentTree]
    gold, first, *second = (read_trees(path, spaces="keep") for path in files if path is not None)
    if second:  # both are read once and scored twice
        gold, first = list(gold), list(first)
    outcome = evaluation.evaluate_brackets(gold, first, rules)
    comparison = evaluation.compare_brackets(gold, first, second[0], rules) if second else None
    if as_json:
        described = outcome.to_dict()
        if comparison is not None:
            described["comparison"] = comparison.to_dict()
        typer.echo(json.dumps(described, indent=2, ensure_ascii=False))
        return
    from rich.console import Console

    console = Console()
    console.print(evaluation.render_brackets(outcome, **tables))
    if comparison is not None:
        names = Path(system).name, Path(str(other)).name
        console.print(evaluation.render_bracket_comparison(comparison, names))


def _read(path: str) -> list[Sentence]:
    from treewright.cli.sources import treebank_format
    from treewright.treebank import read

    return [sentence for sentence in read(path, treebank_format(path)) if len(sentence)]
