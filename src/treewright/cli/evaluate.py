"""``treewright evaluate``: how well trees agree with a gold standard."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from treewright.errors import UsageError

if TYPE_CHECKING:
    from treewright.treebank import Sentence

__all__ = ["evaluate", "show_brackets"]


def evaluate(
    gold: Annotated[
        str,
        typer.Argument(
            help="The gold standard: CoNLL-U, CoNLL-X, or bracketed trees (.mrg).", show_default=False, metavar="GOLD"
        ),
    ],
    system: Annotated[
        str, typer.Argument(help="What is to be judged: the same words, parsed.", show_default=False, metavar="SYSTEM")
    ],
    against: Annotated[
        str | None, typer.Option(help="Another system: test whether the difference is significant.", metavar="OTHER")
    ] = None,
    punctuation: Annotated[
        Literal["keep", "ud", "penn", "unicode"],
        typer.Option(
            help="Count all words, or leave out punctuation: by the UD tag PUNCT, by the Penn tags that the papers "
            "ignore, or words of Unicode punctuation alone (CoNLL-X)."
        ),
    ] = "keep",
    subtypes: Annotated[
        bool,
        typer.Option(help="Compare whole relations such as nmod:poss, or only nmod, as the official UD scorer does."),
    ] = True,
    by_relation: Annotated[
        bool,
        typer.Option("--by-relation", help="Also precision and recall of each relation, or label of constituents."),
    ] = False,
    by_length: Annotated[
        bool, typer.Option("--by-length", help="Also precision and recall by length of the arc, or sentence.")
    ] = False,
    calibration: Annotated[
        bool,
        typer.Option("--calibration", help="Also how far to trust the probabilities of parse --confidence."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write everything as JSON.")] = False,
) -> None:
    """Score trees against a gold standard.

    UAS and LAS count words with the right head, and with the right head and relation; CLAS counts content words alone.
    Bracketed trees are scored by precision and recall of their constituents, as EVALB does with COLLINS.prm.

    **Examples**

    - `treewright evaluate dev.conllu dev.parsed.conllu`
    - `treewright evaluate dev.conllu a.conllu --against b.conllu --punctuation ud`
    - `treewright evaluate dev.conllu a.conllu --by-relation --json > scores.json`
    - `treewright evaluate dev.conllu dev.confident.conllu --calibration`
    - `treewright evaluate dev.mrg dev.parsed.mrg --by-length`
    """
    from treewright import evaluation
    from treewright.cli.sources import is_bracketed

    if is_bracketed(gold) or is_bracketed(system):
        if against is not None or calibration:
            raise UsageError("--against and --calibration compare dependencies; these are bracketed trees")
        show_brackets(gold, system, by_label=by_relation, by_length=by_length, as_json=as_json)
        return

    trees = _read(gold), _read(system)
    outcome = evaluation.evaluate(*trees, punctuation, subtypes=subtypes)
    comparison = None
    if against is not None:
        comparison = evaluation.compare(*trees, _read(against), punctuation, subtypes=subtypes)
    reliability = evaluation.measure_calibration(*trees, punctuation) if calibration else None
    if as_json:
        described = outcome.to_dict()
        if comparison is not None:
            described["comparison"] = comparison.to_dict()
        if reliability is not None:
            described["calibration"] = reliability.to_dict()
        typer.echo(json.dumps(described, indent=2, ensure_ascii=False))
        return
    from rich.console import Console

    console = Console()
    console.print(evaluation.render_evaluation(outcome, by_relation=by_relation, by_length=by_length))
    if comparison is not None:
        console.print(evaluation.render_comparison(comparison, (Path(system).name, Path(str(against)).name)))
    if reliability is not None:
        console.print(evaluation.render_calibration(reliability))


def show_brackets(gold: str, system: str, *, by_label: bool, by_length: bool, as_json: bool) -> None:
    """Score bracketed trees, and show how they did."""
    from treewright import evaluation
    from treewright.treebank import read_trees

    outcome = evaluation.evaluate_brackets(read_trees(gold, spaces="keep"), read_trees(system, spaces="keep"))
    if as_json:
        typer.echo(json.dumps(outcome.to_dict(), indent=2, ensure_ascii=False))
        return
    from rich.console import Console

    Console().print(evaluation.render_brackets(outcome, by_label=by_label, by_length=by_length))


def _read(path: str) -> list[Sentence]:
    from treewright.cli.sources import treebank_format
    from treewright.treebank import read

    return [sentence for sentence in read(path, treebank_format(path)) if len(sentence)]
