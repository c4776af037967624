"""``treewright constituents train``: bracketed trees in, a model out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from treewright.cli.command import command
from treewright.cli.options import ModelInfo, OnError, ScorerOptions, TrainingFiles
from treewright.constituency.tag.options import ConstituentOptions
from treewright.errors import UsageError
from treewright.neural.options import EVALUATIONS
from treewright.options import option, required

if TYPE_CHECKING:
    from collections.abc import Iterator

    from treewright.tagging import Tagger
    from treewright.treebank import ConstituentTree

__all__ = ["train"]


@dataclass(frozen=True)
class TreeFiles(TrainingFiles):
    """Constituent trees to learn from."""

    treebank: str = required("The training trees, bracketed, plain or .gz/.xz.", metavar="TRAIN", positional=True)
    tagger: str | None = option(
        None,
        "Take the tagger of this model (a name or a file), with its word clusters, instead of learning one from the "
        "trees; they must have the tags that it has as XPOS.",
    )
    resume: Path | None = option(
        None,
        "With --scorer neural: keep checkpoints in this folder; the same command goes on from them.",
        metavar="FOLDER",
    )


@command
def train(
    files: TreeFiles, options: ConstituentOptions, scorer: ScorerOptions, about: ModelInfo, errors: OnError
) -> None:
    """Train a parser of constituent trees.

    Function tags and empty elements are removed. Ctrl-C ends training early and keeps the best model so far.

    **Examples**

    - `treewright constituents train train.mrg --dev dev.mrg --output my.tw --language en`
    - `treewright constituents train train.mrg --dev dev.mrg --output fast.tw --order first --tags gold`
    - `treewright constituents train train.mrg --dev dev.mrg --output my.tw --tagger en`
    - `treewright constituents train ice.mrg --dev dev.mrg --output is.tw --rules default --empty historical`
    - `treewright constituents train train.mrg --dev dev.mrg --output my.tw --scorer neural --encoder en`
    """
    from treewright.cli.console import compiling
    from treewright.cli.sources import refuse_missing
    from treewright.cli.training import show_interrupted, show_result, show_training
    from treewright.files import check_writable

    if files.tagger and scorer.scorer == "neural":
        raise UsageError("a network predicts tags by itself: leave --tagger out")
    if files.tagger and options.tags == "gold":
        raise UsageError("--tagger predicts tags: leave it out, or --tags gold")
    refuse_missing(files.treebank, files.dev)
    check_writable(files.output)
    tagger = _tagger(files.tagger) if files.tagger else None
    about_model = about.describe(files.output)
    network = scorer.network if scorer.scorer == "neural" else None
    if files.resume is not None:
        files.resume.mkdir(parents=True, exist_ok=True)
    with compiling(f"constituents train --scorer {scorer.scorer}"):
        from treewright.constituency.tag.training import train_constituents

        with show_training(options.epochs if network is None else EVALUATIONS) as report:
            parser = train_constituents(
                _read(files.treebank, errors),
                _read(files.dev, errors),
                options,
                tagger=tagger,
                network=network,
                info=about_model,
                report=report,
                folder=files.resume,
            )
        parser.save(files.output)
    show_result(files.output, parser.info)
    if network is not None:
        show_interrupted(parser.info, files.resume)


def _tagger(model: str) -> Tagger:
    """Take the tagger out of a model, and refuse one that does not predict XPOS."""
    from treewright.model import Model
    from treewright.tagging import Tagger

    tagger = getattr(Model.open(model), "tagger", None)
    if not isinstance(tagger, Tagger) or all(column.name != "xpos" for column in tagger.columns):
        raise UsageError(f"{model} has no tagger of XPOS; leave --tagger out, and one is learned from the trees")
    return tagger


def _read(path: str, errors: OnError) -> Iterator[ConstituentTree]:
    """Read trees lazily, and report what is skipped."""
    from treewright.cli.sources import count_skipped
    from treewright.treebank import read_trees

    return count_skipped(path, "tree", lambda note: read_trees(path, spaces="keep", on_error=errors.mode, on_skip=note))
