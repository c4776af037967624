"""``treewright distil``: neural parsers and raw text in, a student out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from treewright.cli.command import command
from treewright.cli.options import ModelInfo, OnError, Quiet
from treewright.errors import UsageError
from treewright.neural.options import DistillationOptions
from treewright.options import Options, option, required

__all__ = ["distil"]


@dataclass(frozen=True)
class DistillationFiles(Options):
    """What a student is trained on, and where it goes."""

    teachers: tuple[str, ...] = required("A neural parser to learn from; can be given several times.", metavar="MODEL")
    raw: tuple[str, ...] = required(
        "Raw text, a tokenized sentence on each line, plain or .gz/.xz; can be given several times.", metavar="FILE"
    )
    encoder: str = required("The encoder that the student begins with, of treewright pretrain.", metavar="FILE")
    dev: str = required("The dev treebank, which chooses when the student was best.")
    output: Path = required("The model file to write.")
    train: str | None = option(None, "A treebank to learn from now and then.", metavar="TREEBANK")
    resume: Path | None = option(
        None,
        "Keep checkpoints in this folder; after Ctrl-C or a crash the same command goes on from there.",
        metavar="FOLDER",
    )


@command
def distil(
    files: DistillationFiles, options: DistillationOptions, about: ModelInfo, errors: OnError, quiet: Quiet = False
) -> None:
    """Train a small parser on what large ones make of raw text.

    The student learns the distributions of its teachers over heads, relations and tags, averaged. Needs PyTorch.
    Ctrl-C ends training early and keeps the best student so far.

    **Examples**

    - `treewright distil --teachers a.tw --teachers b.tw --raw en.txt --encoder small.tw --dev d.conllu --output en.tw`
    """
    from treewright.cli.console import share_done
    from treewright.cli.sources import refuse_missing
    from treewright.cli.train import read_treebank
    from treewright.cli.training import show_interrupted, show_result
    from treewright.files import check_writable

    refuse_missing(*files.teachers, *files.raw, files.encoder, files.dev, *filter(None, [files.train]))
    check_writable(files.output)
    from treewright.dependency.neural_distillation import distil_parser, network_of
    from treewright.neural.trained import TrainedNetwork
    from treewright.treebank import RawText

    if not files.teachers:
        raise UsageError("there is no teacher: give --teachers MODEL")
    if files.resume is not None:
        files.resume.mkdir(parents=True, exist_ok=True)
    with share_done("Training the student", quiet) as report:
        parser = distil_parser(
            [network_of(teacher) for teacher in files.teachers],
            TrainedNetwork.open(files.encoder),
            RawText(files.raw),
            read_treebank(files.dev, errors),
            options,
            treebank=read_treebank(files.train, errors) if files.train else None,
            info=about.describe(files.output),
            report=lambda status: report(status.share),
            folder=files.resume,
        )
    parser.save(files.output)
    show_result(files.output, parser.info)
    show_interrupted(parser.info, files.resume)
