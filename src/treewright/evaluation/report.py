"""Comparisons and calibrations as tables for a terminal of 80 columns.

The tables are Rich renderables: print them with ``rich.console.Console().print``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from treewright.evaluation.attachment import Evaluation
from treewright.evaluation.punctuation import Punctuation
from treewright.evaluation.reliability import Calibration, Subject
from treewright.evaluation.score import Score
from treewright.evaluation.significance import Comparison, PairedTest

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

__all__ = [
    "NOT_GIVEN",
    "format_p",
    "format_test",
    "heading",
    "make_breakdown",
    "make_table",
    "percent",
    "percentages",
    "render_calibration",
    "render_comparison",
    "sizes",
    "table_of_systems",
]

#: Shown for a number that does not exist.
NOT_GIVEN: Final = "–"

# The width of a full bar, and the colours of bars.
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


_CASES: Final[dict[Subject, str]] = {
    "heads": "heads",
    "relations": "relations of words whose head is right",
    "arcs": "arcs: head and relation",
    "tags": "tags (UPOS)",
    "trees": "trees: everything in a sentence is right, tags aside",
}


def render_comparison(comparison: Comparison, names: tuple[str, str] = ("a", "b")) -> Group:
    """Lay out a comparison of two systems; ``names`` are what to call them."""
    from rich.console import Group
    from rich.text import Text

    table = table_of_systems(names)
    tests = make_table("", "better", "worse", "tied", "sign test", "Wilcoxon")
    rows = (
        ("UAS", comparison.uas_a, comparison.uas_b, comparison.uas),
        ("LAS", comparison.las_a, comparison.las_b, comparison.las),
    )
    for label, a, b, test in rows:
        given = a.given and b.given
        change = f"{a.f1 - b.f1:+.2f}" if given else NOT_GIVEN
        table.add_row(label, percent(a), percent(b), change)
        tests.add_row(label, *(format_test(test) if given else [NOT_GIVEN] * 5))
    caption = Text(
        f"Sentences in which {names[0]} has more correct words than {names[1]}, fewer, as many; two-sided p-values."
    )
    return Group(heading(comparison), table, tests, caption)


def table_of_systems(names: tuple[str, str]) -> Table:
    """Make a table with a column for each of two systems, and one for the difference."""
    from rich.text import Text

    table = make_table("")
    for column in (*names, "difference"):
        table.add_column(Text(column), justify="right", overflow="ellipsis", no_wrap=True, max_width=24)
    return table


def render_calibration(calibration: Calibration) -> Group:
    """Lay out a calibration: two bars for each bin, one above the other, and three numbers below.

    The upper half of a line is the mean confidence, and the lower half the share that is correct.  The upper half is
    longer if the parser is too sure, and the lower half if it is too modest.

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
    punctuation counted
    heads
    ...
     0.9–1.0          2   0.900   0.500   ███████████████▀▀▀▀▀▀▀▀▀▀▀▀...
    """
    from rich.console import Group
    from rich.text import Text

    noun = _CASES[calibration.of]
    table = make_table("Confidence", "sentences" if calibration.of == "trees" else "words", "mean", "right")
    table.add_column(f"0{'0.5':^{_BAR - 2}}1", no_wrap=True)
    for group in calibration.bins:
        bars = _bars(group.confidence, group.accuracy)
        table.add_row(f"{group.low:.1f}–{group.high:.1f}", f"{group.cases:,}", *bars)
    table.add_section()
    table.add_row("all", f"{calibration.cases:,}", *_bars(calibration.confidence, calibration.accuracy))
    legend = Text.assemble(
        f" Upper half: mean confidence. Lower half: share of right {calibration.of}.\n ",
        ("▀", _TOO_SURE),
        f" too sure: fewer {calibration.of} are right than it says   ",
        ("▄", _TOO_MODEST),
        " too modest: more are",
    )
    numbers = make_table("", "")
    numbers.show_header = False
    numbers.add_column("", style="dim")
    numbers.add_row(
        "ECE", f"{calibration.ece:.4f}", f"distance from confidence to right {calibration.of}, mean over cases"
    )
    ceiling = f"the ECE of a calibrated parser; 95 % of draws: up to {calibration.ece_ceiling:.4f}"
    numbers.add_row("  chance", f"{calibration.ece_floor:.4f}", ceiling)
    numbers.add_row("Brier", f"{calibration.brier:.4f}", "squared distance from confidence to 1 (right) or 0 (wrong)")
    numbers.add_row("Log loss", f"{calibration.log_loss:.4f}", "-ln(probability of what happened), at most 9.9 a case")
    return Group(heading(calibration), Text(noun), table, legend, numbers)


def _bars(confidence: float | None, accuracy: float | None) -> tuple[str, str, Text]:
    """Format two shares as numbers, and as two bars in one line: the upper and the lower half of the characters."""
    from rich.text import Text

    if confidence is None or accuracy is None:
        return NOT_GIVEN, NOT_GIVEN, Text()
    upper, lower = round(_BAR * confidence), round(_BAR * accuracy)
    text = Text.assemble(
        ("█" * min(upper, lower), _BOTH), ("▀" * (upper - lower), _TOO_SURE), ("▄" * (lower - upper), _TOO_MODEST)
    )
    return f"{confidence:.3f}", f"{accuracy:.3f}", text


def heading(result: Evaluation | Comparison | Calibration) -> Text:
    """Say what was counted."""
    from rich.text import Text

    scored = "" if result.scored == result.words else f", {result.scored:,} scored"
    rules = _RULES[result.punctuation]
    if not isinstance(result, Calibration):
        rules += "; relations with subtypes" if result.subtypes else "; relations without subtypes"
    return Text(f"\n{sizes(result.sentences, result.words)}{scored}\n{rules}")


def sizes(sentences: int, words: int) -> str:
    """Format the numbers of sentences and words.

    Examples
    --------
    >>> sizes(1, 1000)
    '1 sentence, 1,000 words'
    """
    return f"{sentences:,} sentence{'s' * (sentences != 1)}, {words:,} word{'s' * (words != 1)}"


def make_breakdown(label: str, scores: Mapping[str, Score], meaning: str = "") -> Table:
    """Make a table of scores by name; ``meaning`` says which arcs are correct."""
    from rich.text import Text

    table = make_table(label, "gold", "system", "precision", "recall", "F1")
    if meaning:
        table.caption = f"Arcs with {meaning}."
        table.caption_justify = "left"
    for name, score in scores.items():
        table.add_row(Text(name), f"{score.gold:,}", f"{score.system:,}", *percentages(score))
    return table


def percentages(score: Score) -> tuple[str, str, str]:
    """Format precision, recall and F1, as far as they are defined."""
    return (
        f"{score.precision:.2f}" if score.system else NOT_GIVEN,
        f"{score.recall:.2f}" if score.gold else NOT_GIVEN,
        f"{score.f1:.2f}" if score.gold or score.system else NOT_GIVEN,
    )


def make_table(label: str, *numbers: str) -> Table:
    """Make a table with a column of names and columns of numbers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    table.add_column(label, overflow="fold")
    for number in numbers:
        table.add_column(number, justify="right", no_wrap=True)
    return table


def percent(score: Score) -> str:
    """Format the F1 if both sides have items."""
    return f"{score.f1:.2f}" if score.given else NOT_GIVEN


def format_test(test: PairedTest) -> list[str]:
    """Format the counts and the p-values of a test."""
    counts = [f"{number:,}" for number in (test.better, test.worse, test.tied)]
    return [*counts, format_p(test.sign_p), format_p(test.wilcoxon_p)]


def format_p(p: float) -> str:
    """Format a p-value."""
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}"
