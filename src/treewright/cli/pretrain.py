"""``treewright pretrain``: raw text in, an encoder out."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path

from treewright.cli.command import command
from treewright.cli.options import Quiet
from treewright.neural.options import PretrainingOptions
from treewright.options import Options, option, required

__all__ = ["pretrain"]


@dataclass(frozen=True)
class PretrainingFiles(Options):
    """What an encoder is trained on, and where it goes."""

    raw: tuple[str, ...] = required(
        "Text, plain or .gz/.xz: a sentence on each line, spaces between its words.", metavar="RAW...", positional=True
    )
    output: Path = required("The encoder to write.")
    treebank: str | None = option(
        None, "The treebank that parsers will be trained on: its words count five times, and are text, too."
    )
    resume: Path | None = option(
        None,
        "Keep checkpoints in this folder; after Ctrl-C or a crash the same command goes on from there.",
        metavar="FOLDER",
    )


@command
def pretrain(files: PretrainingFiles, options: PretrainingOptions, quiet: Quiet = False) -> None:
    """Train an encoder on raw text, for parsers with neural scorers.

    Words are masked, and the encoder learns to tell which they were. Needs PyTorch; a GPU makes it a matter of minutes.
    Ctrl-C ends training early and keeps the encoder as it is.

    **Examples**

    - `treewright pretrain en.txt.xz --output encoder.tw`
    - `treewright pretrain news.txt web.txt.xz --treebank train.conllu --output encoder.tw --resume checkpoints`
    - `treewright pretrain en.txt.xz --output small.tw --layers 4 --epochs 5 --batch 64 --device cpu`
    """
    from treewright.cli.console import notice, share_done
    from treewright.cli.sources import refuse_missing
    from treewright.cli.training import show_interrupted
    from treewright.dependency.network_training import refuse_without_torch
    from treewright.files import check_writable

    refuse_missing(*files.raw, *filter(None, [files.treebank]))
    check_writable(files.output)
    refuse_without_torch()
    from treewright.neural.learning.corpus import read_corpus
    from treewright.neural.learning.pretraining import pretrain as train
    from treewright.neural.trained import TrainedNetwork
    from treewright.neural.words import WordInputs

    with share_done("Reading", quiet) as report:
        corpus = read_corpus(files.raw, files.treebank, report)
    inputs = WordInputs.of(corpus.counts())
    if files.resume is not None:
        files.resume.mkdir(parents=True, exist_ok=True)
    path = files.resume and files.resume / "encoder.checkpoint"
    with share_done("Training the encoder", quiet) as report:
        encoder, loop = train(corpus, inputs, options, checkpoint=path, report=lambda status: report(status.share))
    arrays = {name: one.numpy() for name, one in encoder.arrays().items()}
    info = {"name": files.output.stem, "options": asdict(options), "trained on": {"words": len(corpus)}}
    TrainedNetwork(encoder.settings, inputs, arrays, info).save(files.output)
    show_interrupted({"interrupted": loop.interrupted}, files.resume)
    if path is not None and not loop.interrupted:
        path.unlink(missing_ok=True)
    if not quiet:
        size = os.path.getsize(files.output) / 1e6
        notice(f"Saved {files.output} ({size:.1f} MB): {len(corpus):,} words, {loop.optimizer.steps:,} steps.")
