"""``treewright rerank explain``: see why a reranker chose."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from treewright.cli.command import command
from treewright.cli.options import Quiet
from treewright.cli.rerank.reading import CandidateFile, RerankerFile, open_both
from treewright.errors import UsageError
from treewright.options import Options, option

if TYPE_CHECKING:
    from treewright.reranking import Candidates, Reranker
    from treewright.reranking.hidden import HiddenReranker

__all__ = ["explain"]


@dataclass(frozen=True)
class ExplainOptions(Options):
    """What to explain."""

    sentence: int | None = option(None, "Which sentence, from 1; for hidden-variable models all, unless given.", min=1)
    first: int | None = option(None, "A candidate, from 0; by default the chosen one.", min=0)
    second: int | None = option(None, "Another; by default that of the base model, or the next best.", min=0)
    most: int = option(20, "How many features, words or examples to show.", min=1)
    words: Collection[str] = option(
        (), "Of hidden-variable models: show the values of these words, such as share,stock."
    )


@command
def explain(model: RerankerFile, candidates: CandidateFile, options: ExplainOptions, quiet: Quiet = False) -> None:
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
    if options.words and (hidden is None or options.sentence is not None):
        raise UsageError("--words is for the report of a hidden-variable model: leave it out, or --sentence")
    if hidden is not None and options.sentence is None:
        return _report_values(hidden, read, options, quiet)
    number = options.sentence or 1
    if number > read.sentences:
        raise UsageError(f"{candidates} has {read.sentences} sentences, and no number {number}")
    return _report_reasons(reranker, read.take([number - 1]), options)


def _report_reasons(reranker: Reranker, candidates: Candidates, options: ExplainOptions) -> None:
    """Show what decides between two candidates of one sentence, and their hidden values if they have any."""
    from treewright.reranking.hidden import HiddenReranker, TreeLists, best_assignment

    lists = TreeLists(candidates) if reranker.needs_trees else None
    scores = reranker.scores(candidates, lists)
    a, b = _find_two(candidates, scores.tolist(), options)
    for name, c in (("first", a), ("second", b)):
        text = "" if candidates.ids is None else f"  {candidates.ids[c]}"
        typer.echo(f"{name}: candidate {c}, score {scores[c]:.4f}, gold {candidates.gold[c]:g}{text}")
        if isinstance(reranker, HiddenReranker) and lists is not None:
            trees = reranker.read(lists, candidates)
            typer.echo(f"    {best_assignment(reranker, trees, 0, c, lists[0][c])}")
    reasons, most = reranker.explain(candidates, a, b, lists), options.most
    typer.echo(f"\n{'difference':>12} {'weight':>9} {'adds':>9}  feature")
    for reason in reasons[:most]:
        typer.echo(f"{reason.difference:12g} {reason.weight:9.4f} {reason.contribution:+9.4f}  {reason.name}")
    if len(reasons) > most:
        left = sum(reason.contribution for reason in reasons[most:])
        typer.echo(f"{'':22} {left:+9.4f}  {len(reasons) - most:,} more")


def _report_values(model: HiddenReranker, candidates: Candidates, options: ExplainOptions, quiet: bool) -> None:
    """Show what hidden values stand for (Koo and Collins 2005, section 6.3)."""
    from treewright.cli.console import share_done
    from treewright.reranking.hidden import TreeLists, annotate, describe_values, describe_words

    with share_done("Reading trees", quiet) as report:
        total = candidates.sentences
        annotations = annotate(model, TreeLists(candidates), candidates, lambda done: report(done / total))
    if not options.words:
        typer.echo(describe_values(annotations, options.most) + "\n")
    typer.echo(describe_words(annotations, list(options.words), options.most))


def _find_two(candidates: Candidates, scores: list[float], options: ExplainOptions) -> tuple[int, int]:
    """Return the places of the two candidates of one sentence that are meant."""
    number, first, second = options.sentence or 1, options.first, options.second
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
