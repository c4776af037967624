"""``treewright rerank``: choose from candidates with a reranker, judge it, and see why it chose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.cli.reranking import CandidateFile, Quiet, open_both, read_file, score_all
from treewright.errors import UsageError

if TYPE_CHECKING:
    from treewright.reranking import Candidates, LinearReranker, Reranker
    from treewright.reranking.hidden import HiddenReranker

__all__ = ["rerank"]

rerank = typer.Typer(
    help="Choose from the candidates of a parser with features of whole trees.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

ModelFile = Annotated[
    str, typer.Argument(help="A model of rerank train or rerank mix.", show_default=False, metavar="MODEL")
]
AsJson = Annotated[bool, typer.Option("--json", help="Write everything as JSON.")]


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
    reranker, read = open_both(model, candidates, quiet)
    if read.ids is None and not as_json:
        raise UsageError(f'{candidates} has no "text" of candidates to write; use --json')
    scores = score_all(reranker, read, quiet)
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
    rounds: Annotated[
        int | None,
        typer.Option(min=0, help="Judge the model as it was after so many rounds of boosting or selection."),
    ] = None,
    curve: Annotated[
        Path | None,
        typer.Option(help="Write the score after every round: a picture (.svg), or a table (.csv).", metavar="FILE"),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Judge choices by the gold scores of candidates: against the base model, and against the best there are.

    **Examples**

    - `treewright rerank evaluate dev.jsonl.gz my.tw`
    - `treewright rerank evaluate dev.npz my.tw --against other.tw --json`
    - `treewright rerank evaluate dev.npz my.tw --rounds 5000 --curve curve.svg`
    """
    from treewright.files import check_writable
    from treewright.reranking import evaluate_choices

    if curve is not None:
        if curve.suffix not in (".svg", ".csv"):
            raise UsageError(f"--curve writes a picture (.svg) or a table (.csv), not {curve.name}")
        check_writable(curve)
    if model is None:
        if against is not None or rounds is not None or curve is not None:
            raise UsageError("--against, --rounds and --curve need a model: name it after the candidates")
        read = read_file(candidates, quiet, cutoff=1)
        outcome = evaluate_choices(read, read.base())
    else:
        first, read = open_both(model, candidates, quiet)
        if curve is not None:
            _write_curve(curve, _in_rounds(first), read, Path(model).name)
        if rounds is not None:
            first = _in_rounds(first).after(rounds)
        chosen, other = read.best(score_all(first, read, quiet)), None
        if against is not None:
            second, read_again = open_both(against, candidates, quiet)
            other = read_again.best(score_all(second, read_again, quiet))
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


def _in_rounds(reranker: Reranker) -> LinearReranker:
    from treewright.reranking import LinearReranker

    if not isinstance(reranker, LinearReranker):
        raise UsageError("--rounds and --curve are for models of boosting and of selection")
    return reranker


def _write_curve(path: Path, reranker: LinearReranker, candidates: Candidates, title: str) -> None:
    """Write the score of a model after every round, in the measure of the report."""
    from treewright.cli.charts import line_chart
    from treewright.files import atomic_output
    from treewright.reranking import evaluate_choices

    scores = reranker.curve(candidates)
    if path.suffix == ".csv":
        text = "rounds,score\n" + "".join(f"{number},{score:.6f}\n" for number, score in enumerate(scores.tolist()))
    else:
        base = evaluate_choices(candidates, candidates.base()).base
        text = line_chart(scores, f"{title}: mean score after rounds", {"base model": base})
    with atomic_output(path) as stream:
        stream.write(text.encode())


@rerank.command()
def explain(
    model: ModelFile,
    candidates: CandidateFile,
    sentence: Annotated[
        int | None,
        typer.Option(min=1, help="Which sentence, from 1; for hidden-variable models all, unless given."),
    ] = None,
    first: Annotated[int | None, typer.Option(min=0, help="A candidate, from 0; by default the chosen one.")] = None,
    second: Annotated[
        int | None, typer.Option(min=0, help="Another; by default that of the base model, or the next best.")
    ] = None,
    most: Annotated[int, typer.Option(min=1, help="How many features, words or examples to show.")] = 20,
    words: Annotated[
        str,
        typer.Option(help="Of hidden-variable models: show the values of these words, such as share,stock."),
    ] = "",
    quiet: Quiet = False,
) -> None:
    """Show which features, with which weights, decided between two candidates of a sentence.

    Of a mixture it shows how much each model adds. Of a hidden-variable model it shows, without --sentence, what the
    hidden values of all chosen candidates stand for; with it, the values of two candidates.

    **Examples**

    - `treewright rerank explain my.tw dev.jsonl.gz --sentence 12`
    - `treewright rerank explain my.tw dev.jsonl.gz --sentence 12 --first 3 --second 0 --most 50`
    - `treewright rerank explain hidden.tw dev.npz --most 8 --words share,stock`
    """
    from treewright.reranking.hidden import HiddenReranker

    reranker, read = open_both(model, candidates, quiet)
    hidden = reranker if isinstance(reranker, HiddenReranker) else None
    if words and (hidden is None or sentence is not None):
        raise UsageError("--words is for the report of a hidden-variable model: leave it out, or --sentence")
    if hidden is not None and sentence is None:
        return _report_values(hidden, read, most, words, quiet)
    number = sentence or 1
    if number > read.sentences:
        raise UsageError(f"{candidates} has {read.sentences} sentences, and no number {number}")
    _report_reasons(reranker, read.take([number - 1]), number, (first, second), most)


def _report_reasons(
    reranker: Reranker, candidates: Candidates, number: int, places: tuple[int | None, int | None], most: int
) -> None:
    """Say what decides between two candidates of one sentence, with this number; hidden values as well."""
    from treewright.reranking.hidden import HiddenReranker, TreeLists, best_assignment

    lists = TreeLists(candidates) if reranker.needs_trees else None
    scores = reranker.scores(candidates, lists)
    a, b = _two(candidates, scores.tolist(), number, *places)
    for name, c in (("first", a), ("second", b)):
        text = "" if candidates.ids is None else f"  {candidates.ids[c]}"
        typer.echo(f"{name}: candidate {c}, score {scores[c]:.4f}, gold {candidates.gold[c]:g}{text}")
        if isinstance(reranker, HiddenReranker) and lists is not None:
            trees = reranker.read(lists, candidates)
            typer.echo(f"    {best_assignment(reranker, trees, 0, c, lists[0][c])}")
    reasons = reranker.explain(candidates, a, b, lists)
    typer.echo(f"\n{'difference':>12} {'weight':>9} {'adds':>9}  feature")
    for reason in reasons[:most]:
        typer.echo(f"{reason.difference:12g} {reason.weight:9.4f} {reason.contribution:+9.4f}  {reason.name}")
    if len(reasons) > most:
        left = sum(reason.contribution for reason in reasons[most:])
        typer.echo(f"{'':22} {left:+9.4f}  {len(reasons) - most:,} more")


def _report_values(model: HiddenReranker, candidates: Candidates, most: int, words: str, quiet: bool) -> None:
    """Say what hidden values stand for (Koo and Collins 2005, section 6.3)."""
    from treewright.cli.console import share_done
    from treewright.reranking.hidden import TreeLists, annotate, describe_values, describe_words

    with share_done("Reading trees", quiet) as report:
        total = candidates.sentences
        annotations = annotate(model, TreeLists(candidates), candidates, lambda done: report(done / total))
    named = [word for word in words.replace(" ", "").split(",") if word]
    if not named:
        typer.echo(describe_values(annotations, most) + "\n")
    typer.echo(describe_words(annotations, named, most))


def _two(
    candidates: Candidates, scores: list[float], number: int, first: int | None, second: int | None
) -> tuple[int, int]:
    """Find which two candidates of one sentence, with this number, are meant."""
    for place in (first, second):
        if place is not None and place >= len(scores):
            raise UsageError(f"sentence {number} has {len(scores)} candidates, and no number {place}")
    if len(scores) < 2:
        raise UsageError(f"sentence {number} has one candidate only, so that there is nothing to decide")
    order = sorted(range(len(scores)), key=lambda place: -scores[place])
    chosen = order[0] if first is None else first
    if second is None:
        base = int(candidates.base()[0])
        second = base if base != chosen else next(place for place in order if place != chosen)
    return chosen, second
