"""``treewright constituents evaluate``: how well constituent trees agree with a gold standard."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.cli.command import command
from treewright.cli.options import AsJson
from treewright.options import Options, option, required

__all__ = ["evaluate"]


@dataclass(frozen=True)
class EvaluationOptions(Options):
    """What is scored, and what is shown of it."""

    gold: str = required("The gold standard: bracketed trees.", positional=True, metavar="GOLD")
    system: str = required("What is to be judged: the same words, parsed.", positional=True, metavar="SYSTEM")
    by_label: bool = option(False, "Also precision and recall of each label.")
    by_length: bool = option(False, "Also all scores by length of the sentence.")


@command
def evaluate(options: EvaluationOptions, as_json: AsJson = False) -> None:
    """Score constituents against a gold standard, as EVALB does with COLLINS.prm.

    **Examples**

    - `treewright constituents evaluate dev.mrg dev.parsed.mrg`
    - `treewright constituents evaluate dev.mrg dev.parsed.mrg --by-length --by-label`
    """
    from treewright.cli.evaluate import show_brackets
    from treewright.cli.sources import refuse_missing

    refuse_missing(options.gold, options.system)
    show_brackets(options.gold, options.system, by_label=options.by_label, by_length=options.by_length, as_json=as_json)
