"""Evaluations as tables for a terminal of 80 columns, as `treewright.evaluation.report` makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.evaluation.attachment import Evaluation
from treewright.evaluation.report import NOT_GIVEN, heading, make_breakdown, make_table, percent, percentages
from treewright.evaluation.score import Score

if TYPE_CHECKING:
    from rich.console import Group, RenderableType
    from rich.table import Table

__all__ = ["render_evaluation"]


def render_evaluation(evaluation: Evaluation, *, by_relation: bool = False, by_length: bool = False) -> Group:
    """Lay out an evaluation: the summary, then the tables asked for.

    Examples
    --------
    >>> from rich.console import Console
    >>> from treewright.evaluation import evaluate
    >>> from treewright.treebank import Sentence
    >>> gold = [Sentence.from_forms(["Trees", "grow"], heads=[2, 0], deprels=["nsubj", "root"])]
    >>> Console(width=80).print(render_evaluation(evaluate(gold, gold)))  # doctest: +ELLIPSIS
    <BLANKLINE>
    1 sentence, 2 words
    punctuation counted; relations with subtypes
    ...
    """
    from rich.console import Group

    is_cut_alike = all(score.f1 == 100 for score in evaluation.segmentation.values() if score.given)
    summary = _summary(evaluation) if is_cut_alike else _aligned_summary(evaluation)
    parts: list[RenderableType] = [heading(evaluation), summary]
    if by_relation:
        parts.append(make_breakdown("Relation", evaluation.by_relation, "head and relation correct"))
    if by_length and evaluation.by_length:
        parts.append(make_breakdown("Length", evaluation.by_length, "head correct"))
    return Group(*parts)


def _summary(evaluation: Evaluation) -> Table:
    """Make a table of the scores of words that both sides have."""
    table = make_table("", "%", "correct", "of")
    table.add_column("", style="dim")
    rows = [
        ("UPOS", evaluation.upos, "tags of all words"),
        ("XPOS", evaluation.xpos, "tags of all words"),
        ("FEATS", evaluation.feats, "features of all words"),
        ("UFeats", evaluation.ufeats, "universal features alone"),
        ("Lemmas", evaluation.lemmas, "lemmas of all words"),
        ("UAS", evaluation.uas, "heads"),
        ("LAS", evaluation.las, "heads and relations"),
        ("CLAS", evaluation.clas, "the same for content relations, F1"),
        ("MLAS", evaluation.mlas, "and tags and function words, F1"),
        ("BLEX", evaluation.blex, "CLAS with lemmas, F1"),
        ("Exact, heads", evaluation.exact_heads, "sentences with all heads"),
        ("Exact, trees", evaluation.exact_trees, "and all relations"),
    ]
    for label, score, meaning in rows:
        counts = (f"{score.correct:,}", f"{score.gold:,}") if score.given else (NOT_GIVEN, NOT_GIVEN)
        table.add_row(label, percent(score), *counts, meaning)
    return table


def _aligned_summary(evaluation: Evaluation) -> Table:
    """Make a table of the scores of words that are aligned through the text."""
    table = make_table("", "gold", "system", "precision", "recall", "F1", "aligned")
    table.caption = "Words are aligned through the text; aligned: percent of the words that both sides have."
    table.caption_justify = "left"
    for name, score in evaluation.segmentation.items():
        table.add_row(name.capitalize(), *_totals(score), *percentages(score), "")
    table.add_section()
    rows = [
        ("UPOS", evaluation.upos),
        ("XPOS", evaluation.xpos),
        ("FEATS", evaluation.feats),
        ("UFeats", evaluation.ufeats),
        ("AllTags", evaluation.all_tags),
        ("Lemmas", evaluation.lemmas),
        ("UAS", evaluation.uas),
        ("LAS", evaluation.las),
        ("CLAS", evaluation.clas),
        ("MLAS", evaluation.mlas),
        ("BLEX", evaluation.blex),
        ("Exact, heads", evaluation.exact_heads),
        ("Exact, trees", evaluation.exact_trees),
    ]
    for name, score in rows:
        is_of_sentences = name.startswith("Exact")
        if score.given:
            aligned = "" if is_of_sentences else f"{score.aligned_accuracy:.2f}"
            table.add_row(name, *_totals(score), *percentages(score), aligned)
        else:
            table.add_row(name, *[NOT_GIVEN] * 6)
    return table


def _totals(score: Score) -> tuple[str, str]:
    return f"{score.gold:,}", f"{score.system:,}"
