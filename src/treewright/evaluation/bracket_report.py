"""Bracket scores as tables for a terminal of 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.evaluation.bracket_comparison import BracketComparison
from treewright.evaluation.brackets import BracketEvaluation, BracketScores
from treewright.evaluation.report import (
    format_p,
    format_test,
    make_breakdown,
    make_table,
    percentages,
    sizes,
    table_of_systems,
)

if TYPE_CHECKING:
    from rich.console import Group, RenderableType
    from rich.table import Table

__all__ = ["render_bracket_comparison", "render_brackets"]


def render_brackets(evaluation: BracketEvaluation, *, by_label: bool = False, by_length: bool = False) -> Group:
    """Lay out bracket scores: all sentences and those of at most 40 words, then the tables asked for."""
    from rich.console import Group
    from rich.text import Text

    scores = evaluation.all
    heading = f"\n{sizes(scores.sentences, scores.words)}\nrules of COLLINS.prm: no punctuation"
    parts: list[RenderableType] = [Text(heading), _summary(evaluation)]
    if by_label:
        parts.append(make_breakdown("Label", evaluation.by_label))
    if by_length:
        parts.append(_by_length(evaluation.by_length))
    return Group(*parts)


def render_bracket_comparison(comparison: BracketComparison, names: tuple[str, str] = ("a", "b")) -> Group:
    """Lay out a comparison of two systems; ``names`` are what to call them."""
    from rich.console import Group
    from rich.text import Text

    drawn, table = comparison.bootstrap, table_of_systems(names)
    table.add_column("95 %", justify="right", no_wrap=True)
    scores = (percentages(score)[2] for score in (comparison.a, comparison.b))
    table.add_row("F1", *scores, f"{drawn.difference:+.2f}", f"{drawn.low:+.2f} to {drawn.high:+.2f}")
    tests = make_table("", "better", "worse", "tied", "sign test", "Wilcoxon", "bootstrap")
    tests.add_row("F1", *format_test(comparison.f1), format_p(drawn.p))
    caption = Text(
        f"Sentences in which {names[0]} has a higher F1 than {names[1]}, a lower one, the same; two-sided p-values. "
        "The bootstrap tests the F1 of the whole."
    )
    return Group(table, tests, caption)


def _summary(evaluation: BracketEvaluation) -> Table:
    table = make_table("", "all", "≤ 40 words")
    table.add_column("", style="dim")
    sides = evaluation.all, evaluation.up_to_40
    rows = [
        ("Precision", [percentages(one.brackets)[0] for one in sides], "brackets"),
        ("Recall", [percentages(one.brackets)[1] for one in sides], "brackets"),
        ("F1", [percentages(one.brackets)[2] for one in sides], "brackets"),
        ("Exact", [percentages(one.exact)[2] for one in sides], "sentences with all brackets, and no others"),
        ("CB", [f"{one.average_crossing:.2f}" for one in sides], "crossing brackets for each sentence"),
        ("0 CB", [percentages(one.no_crossing)[2] for one in sides], "sentences without a crossing bracket"),
        ("≤ 2 CB", [percentages(one.few_crossing)[2] for one in sides], "sentences with at most two"),
        ("Tags", [percentages(one.tags)[2] for one in sides], "words"),
        ("", [f"{one.sentences:,}" for one in sides], "sentences"),
    ]
    for name, cells, meaning in rows:
        table.add_row(name, *cells, meaning)
    return table


def _by_length(scores: dict[str, BracketScores]) -> Table:
    table = make_table("Words", "sentences", "precision", "recall", "F1", "exact", "CB")
    for name, one in scores.items():
        exact, crossing = percentages(one.exact)[2], f"{one.average_crossing:.2f}"
        table.add_row(name, f"{one.sentences:,}", *percentages(one.brackets), exact, crossing)
    return table
