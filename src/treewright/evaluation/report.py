"""Evaluations, comparisons and calibrations as tables for a terminal of 80 columns.

The tables are Rich renderables: print them with ``rich.console.Console().print``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from treewright.evaluation.attachment import Evaluation
from treewright.evaluation.calibration import Calibration
from treewright.evaluation.punctuation import Punctuation
from treewright.evaluation.score import Score
from treewright.evaluation.significance import Comparison, PairedTest

if TYPE_CHECKING:
    from rich.console import Group, RenderableType
    from rich.table import Table
    from rich.text import Text

__all__ = ["make_table", "render_calibration", "render_comparison", "render_evaluation"]

_NOT_GIVEN: Final = "–"

# The width of a bar that stands for 1, and its colours.
_BAR: Final = 30
_BOTH: Final = "blue"
_TOO_SURE: Final = "red"
_TOO_MODEST: Final = "yellow"

_RULES: Final[dict[Punctuation, str]] = {
    "keep": "punctuation counted",
    "ud": "without punctuation (UPOS PUNCT)",
    "penn": "without punctuation (Penn tags `` '' : , .)",
    "unicode": "without punctuation (Unicode P*)",
}


def render_evaluation(evaluation: Evaluation, *, by_relation: bool = False, by_length: bool = False) -> Group:
    """Lay out an evaluation: the summary first, then the tables asked for.

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

    parts: list[RenderableType] = [_heading(evaluation), _summary(evaluation)]
    if by_relation:
        parts.append(_breakdown("Relation", "head and relation correct", evaluation.by_relation))
    if by_length:
        parts.append(_breakdown("Length", "head correct", evaluation.by_length))
    return Group(*parts)


def render_comparison(comparison: Comparison, names: tuple[str, str] = ("a", "b")) -> Group:
    """Lay out a comparison of two systems, called by the names given.

    Examples
    --------
    >>> from rich.console import Console
    >>> from treewright.evaluation import compare
    >>> from treewright.treebank import Sentence
    >>> gold = [Sentence.from_forms(["Trees", "grow"], heads=[2, 0], deprels=["nsubj", "root"])]
    >>> Console(width=80).print(render_comparison(compare(gold, gold, gold)))  # doctest: +ELLIPSIS
    <BLANKLINE>
    1 sentence, 2 words
    punctuation counted; relations with subtypes
    ...
    """
    from rich.console import Group
    from rich.text import Text

    table = make_table("")
    for column in (*names, "difference"):
        table.add_column(Text(column), justify="right", overflow="ellipsis", no_wrap=True, max_width=24)
    tests = make_table("", "better", "worse", "tied", "sign test", "Wilcoxon")
    rows = (
        ("UAS", comparison.uas_a, comparison.uas_b, comparison.uas),
        ("LAS", comparison.las_a, comparison.las_b, comparison.las),
    )
    for label, a, b, test in rows:
        given = a.given and b.given
        change = f"{a.f1 - b.f1:+.2f}" if given else _NOT_GIVEN
        table.add_row(label, _percent(a), _percent(b), change)
        tests.add_row(label, *(_outcome(test) if given else [_NOT_GIVEN] * 5))
    caption = Text(
        f"Sentences in which {names[0]} has more correct words than {names[1]}, fewer, as many; two-sided p-values."
    )
    return Group(_heading(comparison), table, tests, caption)


def render_calibration(calibration: Calibration) -> Group:
    """Lay out a calibration: two bars for each bin, one on top of the other, and three numbers beneath.

    The upper half of a line is the mean confidence and the lower half the share of right heads.  Where the parser is
    too sure the upper half is longer, and where it is too modest the lower half.

    Examples
    --------
    >>> from rich.console import Console
    >>> from treewright.evaluation import measure_calibration
    >>> from treewright.treebank import Sentence
    >>> gold = Sentence.from_forms(["Trees", "grow"], heads=[2, 0])
    >>> system = gold.replace(heads=[2, 1], misc=["Confidence=0.9", "Confidence=0.9"])
    >>> Console(width=80).print(render_calibration(measure_calibration([gold], [system])))  # doctest: +ELLIPSIS
    <BLANKLINE>
    1 sentence, 2 words
    ...
     0.9–1.0          2   0.900   0.500   ███████████████▀▀▀▀▀▀▀▀▀▀▀▀...
    """
    from rich.console import Group
    from rich.text import Text

    table = make_table("Confidence", "words", "mean", "right")
    table.add_column(f"0{'0.5':^{_BAR - 2}}1", no_wrap=True)
    for group in calibration.bins:
        bars = _bars(group.confidence, group.accuracy)
        table.add_row(f"{group.low:.1f}–{group.high:.1f}", f"{group.words:,}", *bars)
    table.add_section()
    table.add_row("all", f"{calibration.scored:,}", *_bars(calibration.confidence, calibration.accuracy))
    legend = Text.assemble(
        " Upper half: mean confidence. Lower half: share of right heads.\n ",
        ("▀", _TOO_SURE),
        " too sure: fewer heads are right than it says   ",
        ("▄", _TOO_MODEST),
        " too modest: more are",
    )
    numbers = make_table("", "")
    numbers.show_header = False
    numbers.add_column("", style="dim")
    numbers.add_row("ECE", f"{calibration.ece:.4f}", "distance from confidence to right heads, mean over words")
    numbers.add_row("Brier", f"{calibration.brier:.4f}", "squared distance from confidence to 1 (right) or 0 (wrong)")
    numbers.add_row("Log loss", f"{calibration.log_loss:.4f}", "-ln(probability of what happened), at most 9.9 a word")
    return Group(_heading(calibration), table, legend, numbers)


def _bars(confidence: float | None, accuracy: float | None) -> tuple[str, str, Text]:
    """Give two shares as numbers, and as two bars in one line: the upper half and the lower half of the characters."""
    from rich.text import Text

    if confidence is None or accuracy is None:
        return _NOT_GIVEN, _NOT_GIVEN, Text()
    upper, lower = round(_BAR * confidence), round(_BAR * accuracy)
    text = Text.assemble(
        ("█" * min(upper, lower), _BOTH), ("▀" * (upper - lower), _TOO_SURE), ("▄" * (lower - upper), _TOO_MODEST)
    )
    return f"{confidence:.3f}", f"{accuracy:.3f}", text


def _heading(result: Evaluation | Comparison | Calibration) -> Text:
    from rich.text import Text

    sentences = f"{result.sentences:,} sentence{'s' * (result.sentences != 1)}"
    words = f"{result.words:,} word{'s' * (result.words != 1)}"
    scored = "" if result.scored == result.words else f", {result.scored:,} scored"
    rules = _RULES[result.punctuation]
    if not isinstance(result, Calibration):
        rules += "; relations with subtypes" if result.subtypes else "; relations without subtypes"
    return Text(f"\n{sentences}, {words}{scored}\n{rules}")


def _summary(evaluation: Evaluation) -> Table:
    table = make_table("", "%", "correct", "of")
    table.add_column("", style="dim")
    rows = [
        ("UAS", evaluation.uas, "heads"),
        ("LAS", evaluation.las, "heads and relations"),
        ("CLAS", evaluation.clas, "the same for content relations, F1"),
        ("Exact, heads", evaluation.exact_heads, "sentences with all heads"),
        ("Exact, trees", evaluation.exact_trees, "and all relations"),
        ("UPOS", evaluation.upos, "tags of all words"),
        ("XPOS", evaluation.xpos, "tags of all words"),
        ("FEATS", evaluation.feats, "features of all words"),
    ]
    for label, score, meaning in rows:
        counts = (f"{score.correct:,}", f"{score.gold:,}") if score.given else (_NOT_GIVEN, _NOT_GIVEN)
        table.add_row(label, _percent(score), *counts, meaning)
    return table


def _breakdown(label: str, meaning: str, scores: Mapping[str, Score]) -> Table:
    from rich.text import Text

    table = make_table(label, "gold", "system", "precision", "recall", "F1")
    table.caption = f"Arcs with {meaning}."
    table.caption_justify = "left"
    for name, score in scores.items():
        precision = f"{score.precision:.2f}" if score.system else _NOT_GIVEN
        recall = f"{score.recall:.2f}" if score.gold else _NOT_GIVEN
        f1 = f"{score.f1:.2f}" if score.gold or score.system else _NOT_GIVEN
        table.add_row(Text(name), f"{score.gold:,}", f"{score.system:,}", precision, recall, f1)
    return table


def make_table(label: str, *numbers: str) -> Table:
    """Make a table with a column of names and columns of numbers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    table.add_column(label, overflow="fold")
    for number in numbers:
        table.add_column(number, justify="right", no_wrap=True)
    return table


def _percent(score: Score) -> str:
    return f"{score.f1:.2f}" if score.given else _NOT_GIVEN


def _outcome(test: PairedTest) -> list[str]:
    counts = [f"{number:,}" for number in (test.better, test.worse, test.tied)]
    return [*counts, _p_value(test.sign_p), _p_value(test.wilcoxon_p)]


def _p_value(p: float) -> str:
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}"
