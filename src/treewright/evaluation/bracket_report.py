"""Bracket scores as tables for a terminal of 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from treewright.evaluation.brackets import BracketEvaluation, BracketScores
from treewright.evaluation.report import make_table
from treewright.evaluation.score import Score

if TYPE_CHECKING:
    from rich.console import Group, RenderableType
    from rich.table import Table

__all__ = ["render_brackets"]

_NOT_GIVEN: Final = "–"


def render_brackets(evaluation: BracketEvaluation, *, by_label: bool = False, by_length: bool = False) -> Group:
    """Lay out bracket scores: all sentences and those of at most 40 words, then the tables asked for.

    Examples
    --------
    >>> from rich.console import Console
    >>> from treewright.evaluation import evaluate_brackets
    >>> from treewright.treebank import ConstituentTree
    >>> gold = [ConstituentTree.from_string("(S (NP (NNS Trees)) (VP (VBP grow)))")]
    >>> Console(width=80).print(render_brackets(evaluate_brackets(gold, gold)))  # doctest: +ELLIPSIS
    <BLANKLINE>
    1 sentence, 2 words
    rules of COLLINS.prm...
    """
    from rich.console import Group
    from rich.text import Text

    scores = evaluation.all
    sentences = f"{scores.sentences:,} sentence{'s' * (scores.sentences != 1)}"
    heading = f"\n{sentences}, {scores.words:,} word{'s' * (scores.words != 1)}\nrules of COLLINS.prm: no punctuation"
    parts: list[RenderableType] = [Text(heading), _summary(evaluation)]
    if by_label:
        parts.append(_by_label(evaluation.by_label))
    if by_length:
        parts.append(_by_length(evaluation.by_length))
    return Group(*parts)


def _summary(evaluation: BracketEvaluation) -> Table:
    table = make_table("", "all", "≤ 40 words")
    table.add_column("", style="dim")
    sides = evaluation.all, evaluation.up_to_40
    rows = [
        ("Precision", [_share(one.brackets.system, one.brackets.precision) for one in sides], "brackets"),
        ("Recall", [_share(one.brackets.gold, one.brackets.recall) for one in sides], "brackets"),
        ("F1", [_f1(one.brackets) for one in sides], "brackets"),
        ("Exact", [_f1(one.exact) for one in sides], "sentences with all brackets, and no others"),
        ("CB", [f"{one.average_crossing:.2f}" for one in sides], "crossing brackets for each sentence"),
        ("0 CB", [_f1(one.no_crossing) for one in sides], "sentences without a crossing bracket"),
        ("≤ 2 CB", [_f1(one.few_crossing) for one in sides], "sentences with at most two"),
        ("Tags", [_f1(one.tags) for one in sides], "words"),
        ("", [f"{one.sentences:,}" for one in sides], "sentences"),
    ]
    for name, cells, meaning in rows:
        table.add_row(name, *cells, meaning)
    return table


def _by_label(scores: dict[str, Score]) -> Table:
    from rich.text import Text

    table = make_table("Label", "gold", "system", "precision", "recall", "F1")
    for name, score in scores.items():
        cells = _share(score.system, score.precision), _share(score.gold, score.recall), f"{score.f1:.2f}"
        table.add_row(Text(name), f"{score.gold:,}", f"{score.system:,}", *cells)
    return table


def _by_length(scores: dict[str, BracketScores]) -> Table:
    table = make_table("Words", "sentences", "precision", "recall", "F1", "exact", "CB")
    for name, one in scores.items():
        brackets = one.brackets
        cells = _share(brackets.system, brackets.precision), _share(brackets.gold, brackets.recall), _f1(brackets)
        table.add_row(name, f"{one.sentences:,}", *cells, _f1(one.exact), f"{one.average_crossing:.2f}")
    return table


def _share(items: int, percentage: float) -> str:
    return f"{percentage:.2f}" if items else _NOT_GIVEN


def _f1(score: Score) -> str:
    return f"{score.f1:.2f}" if score.gold or score.system else _NOT_GIVEN
