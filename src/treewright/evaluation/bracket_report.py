"""Bracket scores as tables for a terminal of 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.evaluation.brackets import BracketEvaluation, BracketScores
from treewright.evaluation.report import make_breakdown, make_table, percentages, sizes

if TYPE_CHECKING:
    from rich.console import Group, RenderableType
    from rich.table import Table

__all__ = ["render_brackets"]


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
