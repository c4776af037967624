"""``treewright rerank evaluate``: judge the choices of a reranker."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.cli.command import command
from treewright.cli.options import AsJson, Quiet
from treewright.cli.rerank.reading import CandidateFile, open_both, read_file, score_all
from treewright.errors import UsageError
from treewright.options import Option, Options, option

if TYPE_CHECKING:
    from treewright.reranking import LinearReranker, Reranker, RerankingReport

__all__ = ["evaluate"]


@dataclass(frozen=True)
class EvaluationOptions(Options):
    """What a model is compared with, and what is shown of it."""

    against: str | None = option(None, "Another model: test whether the difference is significant.", metavar="MODEL")
    rounds: int | None = option(
        None, "Judge the model as it was after this many rounds of boosting or selection.", min=0
    )
    curve: Path | None = option(
        None, "Write the score after every round: a picture (.svg), or a table (.csv).", metavar="FILE"
    )


@command
def evaluate(
    candidates: CandidateFile,
    model: Annotated[
        str | None,
        Option("A model of rerank train; without one, the base model is judged.", metavar="MODEL", positional=True),
    ] = None,
    *,
    options: EvaluationOptions,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Judge choices by the gold scores of candidates: against the base model, and against the best there are.

    **Examples**

    - `treewright rerank evaluate dev.jsonl.gz my.tw`
    - `treewright rerank evaluate dev.npz my.tw --against other.tw --json`
    - `treewright rerank evaluate dev.npz my.tw --rounds 5000 --curve curve.svg`
    """
    outcome = _judge(candidates, model, options, quiet)
    if as_json:
        typer.echo(json.dumps(outcome.to_dict(), indent=2))
        return
    typer.echo(f"{outcome.sentences:,} sentences, {outcome.candidates / outcome.sentences:.1f} candidates each\n")
    other = Path(str(options.against)).name
    rows = [("best possible", outcome.oracle), ("base model", outcome.base), ("worst possible", outcome.worst)]
    if model is not None:
        rows.insert(1, (Path(model).name, outcome.chosen))
        rows += [] if outcome.other is None else [(other, outcome.other)]
    for name, score in sorted(rows, key=lambda row: -row[1]):
        typer.echo(f"{name:<24}{score:10.4f}")
    for name, test in (("the base model", outcome.against_base), (other, outcome.against_other)):
        if model is not None and test is not None:
            counts = f"better in {test.better:,}, worse in {test.worse:,}, as good in {test.tied:,} sentences"
            typer.echo(
                f"\nAgainst {name}: {counts}; sign test p = {test.sign_p:.2g}, Wilcoxon p = {test.wilcoxon_p:.2g}"
            )


def _judge(candidates: str, model: str | None, options: EvaluationOptions, quiet: bool) -> RerankingReport:
    """Judge a model, or the base model where there is none."""
    from treewright.files import check_writable
    from treewright.reranking import evaluate_choices

    if options.curve is not None:
        if options.curve.suffix not in (".svg", ".csv"):
            raise UsageError(f"--curve writes a picture (.svg) or a table (.csv), not {options.curve.name}")
        check_writable(options.curve)
    if model is None:
        if options != EvaluationOptions():
            raise UsageError("--against, --rounds and --curve need a model: name it after the candidates")
        read = read_file(candidates, quiet, cutoff=1)
        return evaluate_choices(read, read.base())
    first, read = open_both(model, candidates, quiet)
    if options.curve is not None:
        from treewright.cli.rerank.curve import write_curve

        write_curve(options.curve, _in_rounds(first), read, Path(model).name)
    if options.rounds is not None:
        first = _in_rounds(first).after(options.rounds)
    chosen, other = read.best(score_all(first, read, quiet)), None
    if options.against is not None:
        second, read_again = open_both(options.against, candidates, quiet)
        other = read_again.best(score_all(second, read_again, quiet))
    return evaluate_choices(read, chosen, other)


def _in_rounds(reranker: Reranker) -> LinearReranker:
    from treewright.reranking import LinearReranker

    if not isinstance(reranker, LinearReranker):
        raise UsageError("--rounds and --curve are for models of boosting and of selection")
    return reranker
