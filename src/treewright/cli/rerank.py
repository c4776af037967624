"""``treewright rerank``: train a reranker on candidates, and choose with it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from treewright.errors import UsageError

if TYPE_CHECKING:
    from treewright.reranking import Candidates, Reranker

__all__ = ["rerank"]

rerank = typer.Typer(
    help="Choose from the candidates of a parser with features of whole trees.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

_CANDIDATES = "Candidates: JSON lines (.gz and .xz too) or a NumPy archive (.npz); see docs/reranking.md."
CandidateFile = Annotated[str, typer.Argument(help=_CANDIDATES, show_default=False, metavar="CANDIDATES")]
ModelFile = Annotated[str, typer.Argument(help="A model of rerank train.", show_default=False, metavar="MODEL")]
AsJson = Annotated[bool, typer.Option("--json", help="Write everything as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing on standard error but errors.")]


@rerank.command()
def train(
    candidates: CandidateFile,
    output: Annotated[Path, typer.Option(help="The model file to write.", show_default=False)],
    dev: Annotated[
        str | None, typer.Option(help="Candidates to find the best number of rounds on.", metavar="CANDIDATES")
    ] = None,
    learner: Annotated[
        Literal["boost", "log-bound", "log-selection", "log-linear", "perceptron"],
        typer.Option(
            help="Boosting; the same on a bound of the log-loss; selection on the log-loss (slow); all features with "
            "a penalty; averaged perceptron."
        ),
    ] = "boost",
    rounds: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Rounds at most; iterations of log-linear, epochs of perceptron. "
            "By default 100,000 for boost and log-bound, 1000 for log-selection and log-linear, 10 for perceptron.",
        ),
    ] = None,
    smoothing: Annotated[float, typer.Option(min=0.0, help="Epsilon of boosting.")] = 0.0025,
    importance: Annotated[
        Literal["score", "uniform"],
        typer.Option(help="Let pairs of candidates count by their difference in score, or the same."),
    ] = "score",
    alpha: Annotated[
        float | None, typer.Option(help="The weight of the base model; by default it is found.", show_default=False)
    ] = None,
    patience: Annotated[
        int | None, typer.Option(min=1, help="Stop when dev has not become better for so many rounds.")
    ] = None,
    c: Annotated[float, typer.Option("--C", help="How much the data of log-linear count against the penalty.")] = 1.0,
    cutoff: Annotated[
        int, typer.Option(min=1, help="In how many sentences a feature must occur; an archive keeps its features.")
    ] = 5,
    seed: Annotated[int, typer.Option(help="Of the order of sentences, for perceptron.")] = 0,
    quiet: Quiet = False,
) -> None:
    """Train a reranker on lists of candidates with gold scores.

    **Examples**

    - `treewright rerank train train.jsonl.gz --dev dev.jsonl.gz --output my.tw`
    - `treewright rerank train train.npz --dev dev.npz --smoothing 0.001 --patience 20000 --output my.tw`
    - `treewright rerank train train.jsonl --learner log-linear --C 0.1 --output my.tw`
    """
    from treewright.cli.console import compiling, notice, share_done
    from treewright.cli.sources import refuse_missing
    from treewright.files import check_writable

    refuse_missing(candidates, *([dev] if dev else []))
    check_writable(output)
    if patience is not None and dev is None:
        raise UsageError("--patience looks at dev data: add --dev CANDIDATES")
    start = time.monotonic()
    with compiling("rerank"):
        from treewright.reranking import RerankingOptions, train_reranker

        options = RerankingOptions(learner, rounds, smoothing, importance, alpha, patience, c, seed)
        training = _read(candidates, quiet, cutoff=cutoff)
        held_out = None if dev is None else _read(dev, quiet, training.names)
        with share_done("Training", quiet) as report:
            model = train_reranker(training, options, held_out, lambda done: report(done / options.number))
        model.save(output)
    if not quiet:
        notice(f"Trained on {training.sentences:,} sentences in {time.monotonic() - start:.1f} s: {_summary(model)}.")


def _summary(model: Reranker) -> str:
    """Say what came out of training."""
    said = f"{len(model.weights):,} features have a weight"
    if "rounds" in model.info:
        said += f" after {model.info['rounds']:,} rounds"
    if "dev" in model.info:
        scores = model.info["dev"]
        said += f"; dev {scores['chosen']:.4f}, base model {scores['base']:.4f}, best possible {scores['oracle']:.4f}"
    return said


@rerank.command()
def apply(
    model: ModelFile,
    candidates: CandidateFile,
    output: Annotated[
        Path | None, typer.Option(help="The file to write instead of standard output.", show_default=False)
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write the place of the chosen candidate, from 0, and all scores.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Choose a candidate for each sentence, and write its text on a line.

    **Examples**

    - `treewright rerank apply my.tw test.jsonl.gz > test.mrg`
    - `treewright rerank apply my.tw test.npz --json --output choices.jsonl`
    """
    from treewright.files import atomic_output, check_writable

    if output is not None:
        check_writable(output)
    reranker, read = _open(model, candidates, quiet)
    if read.ids is None and not as_json:
        raise UsageError(f'{candidates} has no "text" of candidates to write; use --json')
    scores = reranker.scores(read)
    lines = []
    for i, c in enumerate(read.best(scores).tolist()):
        begin, end = read.offsets[i : i + 2].tolist()
        text = "" if read.ids is None or as_json else read.ids[c]
        lines.append(json.dumps({"chosen": c - begin, "scores": scores[begin:end].tolist()}) if as_json else text)
    if output is None:
        for line in lines:
            typer.echo(line)
        return
    with atomic_output(output) as stream:
        stream.writelines(f"{line}\n".encode() for line in lines)


@rerank.command()
def evaluate(
    candidates: CandidateFile,
    model: Annotated[
        str | None,
        typer.Argument(help="A model of rerank train; without, the base model is judged.", show_default=False),
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="Another model: test whether the difference is significant.", metavar="MODEL")
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Judge choices by the gold scores of candidates: against the base model, and against the best there are.

    **Examples**

    - `treewright rerank evaluate dev.jsonl.gz my.tw`
    - `treewright rerank evaluate dev.npz my.tw --against other.tw --json`
    """
    from treewright.reranking import evaluate_choices

    if model is None:
        if against is not None:
            raise UsageError("--against compares two models: name the first one as well")
        read = _read(candidates, quiet, cutoff=1)
        outcome = evaluate_choices(read, read.base())
    else:
        first, read = _open(model, candidates, quiet)
        chosen, other = first.best(read), None
        if against is not None:
            second, read_again = _open(against, candidates, quiet)
            other = second.best(read_again)
        outcome = evaluate_choices(read, chosen, other)
    if as_json:
        typer.echo(json.dumps(outcome.to_dict(), indent=2))
        return
    typer.echo(f"{outcome.sentences:,} sentences, {outcome.candidates / outcome.sentences:.1f} candidates each\n")
    rows = [("best possible", outcome.oracle), ("base model", outcome.base), ("worst possible", outcome.worst)]
    if model is not None:
        rows.insert(1, (Path(model).name, outcome.chosen))
        rows += [] if outcome.other is None else [(Path(str(against)).name, outcome.other)]
    for name, score in sorted(rows, key=lambda row: -row[1]):
        typer.echo(f"{name:<24}{score:10.4f}")
    for name, test in (("the base model", outcome.against_base), (Path(str(against)).name, outcome.against_other)):
        if model is not None and test is not None:
            counts = f"better in {test.better:,}, worse in {test.worse:,}, as good in {test.tied:,} sentences"
            typer.echo(
                f"\nAgainst {name}: {counts}; sign test p = {test.sign_p:.2g}, Wilcoxon p = {test.wilcoxon_p:.2g}"
            )


@rerank.command()
def explain(
    model: ModelFile,
    candidates: CandidateFile,
    sentence: Annotated[int, typer.Option(min=1, help="Which sentence, from 1.")] = 1,
    first: Annotated[int | None, typer.Option(min=0, help="A candidate, from 0; by default the chosen one.")] = None,
    second: Annotated[
        int | None, typer.Option(min=0, help="Another; by default that of the base model, or the next best.")
    ] = None,
    most: Annotated[int, typer.Option(min=1, help="How many features to show.")] = 20,
    quiet: Quiet = False,
) -> None:
    """Show which features, with which weights, decided between two candidates of a sentence.

    **Examples**

    - `treewright rerank explain my.tw dev.jsonl.gz --sentence 12`
    - `treewright rerank explain my.tw dev.jsonl.gz --sentence 12 --first 3 --second 0 --most 50`
    """
    reranker, read = _open(model, candidates, quiet)
    if sentence > read.sentences:
        raise UsageError(f"{candidates} has {read.sentences} sentences, and no number {sentence}")
    begin, end = read.offsets[sentence - 1 : sentence + 1].tolist()
    scores = reranker.scores(read)
    a, b = _two(read, scores[begin:end].tolist(), sentence - 1, first, second)
    for name, c in (("first", a), ("second", b)):
        text = "" if read.ids is None else f"  {read.ids[c]}"
        typer.echo(f"{name}: candidate {c - begin}, score {scores[c]:.4f}, gold {read.gold[c]:g}{text}")
    reasons = reranker.explain(read, a, b)
    typer.echo(f"\n{'difference':>12} {'weight':>9} {'adds':>9}  feature")
    for reason in reasons[:most]:
        typer.echo(f"{reason.difference:12g} {reason.weight:9.4f} {reason.contribution:+9.4f}  {reason.name}")
    if len(reasons) > most:
        left = sum(reason.contribution for reason in reasons[most:])
        typer.echo(f"{'':22} {left:+9.4f}  {len(reasons) - most:,} more")


def _two(
    candidates: Candidates, scores: list[float], sentence: int, first: int | None, second: int | None
) -> tuple[int, int]:
    """Find which two candidates are meant."""
    begin = int(candidates.offsets[sentence])
    for place in (first, second):
        if place is not None and place >= len(scores):
            raise UsageError(f"sentence {sentence + 1} has {len(scores)} candidates, and no number {place}")
    if len(scores) < 2:
        raise UsageError(f"sentence {sentence + 1} has one candidate only, so that there is nothing to decide")
    order = sorted(range(len(scores)), key=lambda place: -scores[place])
    a = order[0] if first is None else first
    if second is None:
        base = int(candidates.base()[sentence]) - begin
        second = base if base != a else next(place for place in order if place != a)
    return begin + a, begin + second


def _open(model: str, candidates: str, quiet: bool) -> tuple[Reranker, Candidates]:
    """Open a model, and candidates with its features."""
    from treewright.cli.sources import refuse_missing
    from treewright.reranking import Reranker

    refuse_missing(model, candidates)
    reranker = Reranker.open(model)
    return reranker, _read(candidates, quiet, reranker.names)


def _read(path: str, quiet: bool, vocabulary: Sequence[str] | None = None, cutoff: int = 1) -> Candidates:
    """Read candidates, and show how far it is."""
    from treewright.cli.console import share_done
    from treewright.cli.sources import refuse_missing
    from treewright.reranking import read_candidates

    refuse_missing(path)
    size = os.path.getsize(path) or 1
    with share_done(f"Reading {Path(path).name}", quiet) as report:
        return read_candidates(path, vocabulary, cutoff, lambda place: report(place / size))
