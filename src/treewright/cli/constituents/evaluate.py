"""``treewright constituents evaluate``: how well constituent trees agree with a gold standard."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.cli.command import command
from treewright.cli.options import AsJson
from treewright.options import EmptyElements, Options, option, required

__all__ = ["evaluate"]


@dataclass(frozen=True)
class EvaluationOptions(Options):
    """What is scored, and what is shown of it."""

    gold: str = required("The gold standard: bracketed trees.", positional=True, metavar="GOLD")
    system: str = required("What is to be judged: the same words, parsed.", positional=True, metavar="SYSTEM")
    against: str | None = option(None, "Another system: test whether the difference is significant.", metavar="OTHER")
    empty: EmptyElements = option("penn", "Empty elements to remove: as for treewright constituents train.")
    by_label: bool = option(False, "Also precision and recall of each label.")
    by_length: bool = option(False, "Also all scores by length of the sentence.")


@command
def evaluate(options: EvaluationOptions, as_json: AsJson = False) -> None:
    """Score constituents against a gold standard, as EVALB does with COLLINS.prm.

    **Examples**

    - `treewright constituents evaluate dev.mrg dev.parsed.mrg`
    - `treewright constituents evaluate dev.mrg dev.parsed.mrg --by-length --by-label`
    - `treewright constituents evaluate dev.mrg a.mrg --against b.mrg`
    - `treewright constituents evaluate ice.mrg ice.parsed.mrg --empty historical`
    """
    from treewright.cli.evaluate import show_brackets
    from treewright.cli.sources import refuse_missing

    files = options.gold, options.system, options.against
    refuse_missing(*(path for path in files if path is not None))
    show_brackets(files, options.empty, as_json, by_label=options.by_label, by_length=options.by_length)
