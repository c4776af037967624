"""``treewright evaluate``: how well trees agree with a gold standard."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from treewright.cli.command import command
from treewright.cli.options import AsJson
from treewright.errors import TreebankError, UsageError
from treewright.options import EmptyElements, Options, option, required

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from rich.console import RenderableType

    from treewright.evaluation import Calibration, Subject
    from treewright.evaluation.result import Plain
    from treewright.treebank import ConstituentTree, Sentence

__all__ = ["evaluate", "show_brackets"]


@dataclass(frozen=True)
class EvaluationOptions(Options):
    """What is scored, how, and what is shown of it."""

    gold: str = required(
        "The gold standard: CoNLL-U, CoNLL-X, or bracketed trees (.mrg).", metavar="GOLD", positional=True
    )
    system: str = required("What is to be judged: the same text, parsed.", metavar="SYSTEM", positional=True)
    against: str | None = option(None, "Another system: test whether the difference is significant.", metavar="OTHER")
    punctuation: Literal["keep", "ud", "penn", "unicode"] = option(
        "keep",
        "Count all words, or leave out punctuation: by the UD tag PUNCT, by the Penn tags that the papers ignore, or "
        "words of Unicode punctuation alone (CoNLL-X).",
    )
    subtypes: bool = option(
        True, "Compare whole relations such as nmod:poss, or only nmod, as the official UD scorer does."
    )
    empty: EmptyElements = option("penn", "Empty elements to remove from bracketed trees: as for treewright convert.")
    by_relation: bool = option(False, "Also precision and recall of each relation, or label of constituents.")
    by_length: bool = option(False, "Also precision and recall by length of the arc, or sentence.")
    calibration: bool = option(
        False,
        "Also how far to trust probabilities: those of parse --confidence, of heads, relations, tags and trees; or of "
        "constituent trees, if SYSTEM is the JSON of constituents parse --k-best 1.",
    )
    figure: Path | None = option(None, "Draw the calibration (SVG). Implies --calibration.", metavar="FILE")

    @property
    def is_judged(self) -> bool:
        """Whether the calibration is asked for."""
        return self.calibration or self.figure is not None


@command
def evaluate(options: EvaluationOptions, as_json: AsJson = False) -> None:
    """Score trees against a gold standard.

    UAS and LAS count words with the right head, and with the right head and relation; CLAS counts content words alone,
    MLAS also asks for tags and features, BLEX for lemmas. If SYSTEM cuts the same text into other words or sentences,
    they are aligned as in the shared task of CoNLL 2018; --no-subtypes gives its scores to the last digit.
    Bracketed trees are scored by precision and recall of their constituents, as EVALB does with COLLINS.prm.

    **Examples**

    - `treewright evaluate dev.conllu dev.parsed.conllu`
    - `treewright evaluate dev.conllu dev.from-raw-text.conllu --no-subtypes`
    - `treewright evaluate dev.conllu a.conllu --against b.conllu --punctuation ud`
    - `treewright evaluate dev.conllu a.conllu --by-relation --json > scores.json`
    - `treewright evaluate dev.conllu dev.confident.conllu --calibration --figure dev.svg`
    - `treewright evaluate dev.mrg a.mrg --against b.mrg --by-length`
    - `treewright evaluate dev.mrg dev.json --calibration`
    """
    from treewright.cli.sources import is_bracketed

    figure = options.figure
    if figure is not None and figure.suffix != ".svg":
        raise UsageError(f"--figure writes a picture (.svg), not {figure.name}")
    if is_bracketed(options.gold) or is_bracketed(options.system):
        files, is_judged = (options.gold, options.system, options.against), options.is_judged
        tables = {"by_label": options.by_relation, "by_length": options.by_length}
        show_brackets(files, options.empty, as_json, calibration=is_judged, figure=figure, **tables)
    else:
        _show_dependencies(options, as_json)


def _show_dependencies(options: EvaluationOptions, as_json: bool) -> None:
    """Score dependency trees, and show the scores."""
    from treewright import evaluation

    trees, punctuation = (_read(options.gold), _read(options.system)), options.punctuation
    outcome = evaluation.evaluate(*trees, punctuation, subtypes=options.subtypes)
    if options.by_length and not outcome.same_words:
        raise UsageError("--by-length needs the same words in GOLD and SYSTEM: lengths of arcs are counted in words")
    comparison = None
    if options.against is not None:
        comparison = evaluation.compare(*trees, _read(options.against), punctuation, subtypes=options.subtypes)
    reliability = evaluation.measure_calibrations(*trees, punctuation) if options.is_judged else {}

    def render() -> Iterator[RenderableType]:
        yield evaluation.render_evaluation(outcome, by_relation=options.by_relation, by_length=options.by_length)
        if comparison is not None:
            names = Path(options.system).name, Path(str(options.against)).name
            yield evaluation.render_comparison(comparison, names)

    _show(as_json, outcome, comparison, reliability, options.figure, render)


def show_brackets(
    files: tuple[str, str, str | None],
    empty: EmptyElements,
    as_json: bool,
    *,
    calibration: bool = False,
    figure: Path | None = None,
    **tables: bool,
) -> None:
    """Score bracketed trees, and show the scores.

    ``files`` are the gold standard, the system, and another system to compare it with; ``tables`` are those of
    `render_brackets`.
    """
    from treewright import evaluation

    (_, system, other), rules = files, evaluation.BracketRules(empty=empty)
    (gold, _), (first, stated), *second = (_trees(path) for path in files if path is not None)
    if second or calibration:  # both are read once and scored repeatedly
        gold, first = list(gold), list(first)
    outcome = evaluation.evaluate_brackets(gold, first, rules)
    comparison = evaluation.compare_brackets(gold, first, second[0][0], rules) if second else None
    reliability: dict[Subject, Calibration] = {}
    if calibration:
        if stated is None:
            raise UsageError(f"{system} has no probabilities: write it with constituents parse --k-best 1 --to json")
        reliability["trees"] = evaluation.measure_tree_calibration(gold, first, stated, empty)

    def render() -> Iterator[RenderableType]:
        yield evaluation.render_brackets(outcome, **tables)
        if comparison is not None:
            names = Path(system).name, Path(str(other)).name
            yield evaluation.render_bracket_comparison(comparison, names)

    _show(as_json, outcome, comparison, reliability, figure, render)


def _show(
    as_json: bool,
    outcome: Plain,
    comparison: Plain | None,
    reliability: Mapping[Subject, Calibration],
    figure: Path | None,
    render: Callable[[], Iterable[RenderableType]],
) -> None:
    """Write scores as JSON, or as tables, and draw the calibration."""
    from treewright.evaluation import draw_calibrations, render_calibration

    if figure is not None:
        figure.write_text(draw_calibrations(reliability), encoding="utf-8")
    if as_json:
        described = outcome.to_dict()
        if comparison is not None:
            described["comparison"] = comparison.to_dict()
        if reliability:
            described["calibration"] = {of: calibration.to_dict() for of, calibration in reliability.items()}
        typer.echo(json.dumps(described, indent=2, ensure_ascii=False))
        return
    from rich.console import Console

    console = Console()
    for table in (*render(), *map(render_calibration, reliability.values())):
        console.print(table)


def _trees(path: str) -> tuple[Iterable[ConstituentTree], list[float] | None]:
    """Read bracketed trees, or the JSON of constituents parse: the best tree of each sentence, with probabilities."""
    from treewright.files import open_input
    from treewright.treebank import ConstituentTree, read_trees

    if Path(path).suffix not in (".json", ".jsonl"):
        return read_trees(path, spaces="keep"), None
    trees, stated = [], []
    with open_input(path) as lines:
        for number, line in enumerate(lines, 1):
            try:
                about = json.loads(line)
                if about.get("rank", 1) == 1:
                    trees.append(ConstituentTree.from_string(about["tree"]))
                    stated.append(float(about["tree_p"]))
            except (TreebankError, ValueError, KeyError, TypeError, AttributeError) as error:
                raise UsageError(
                    f"{path}:{number}: this is not a tree with its probability ({error}): "
                    "write the file with constituents parse --k-best 1 --to json"
                ) from None
    return trees, stated


def _read(path: str) -> list[Sentence]:
    from treewright.cli.sources import treebank_format
    from treewright.treebank import read

    return [sentence for sentence in read(path, treebank_format(path)) if len(sentence)]
