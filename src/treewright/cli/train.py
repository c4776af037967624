"""``treewright train``: a treebank in, a model out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from treewright.cli.options import (
    Attribution,
    Folds,
    Language,
    Licence,
    ModelFile,
    ModelName,
    OnError,
    Seed,
    Threads,
    TreebankName,
)
from treewright.errors import UsageError

if TYPE_CHECKING:
    from treewright.treebank import Sentence

__all__ = ["train"]


def train(
    treebank: Annotated[
        str,
        typer.Argument(
            help="The training treebank, CoNLL-U or CoNLL-X, plain or .gz/.xz.", metavar="TRAIN", show_default=False
        ),
    ],
    dev: Annotated[str, typer.Option(help="The dev treebank, which chooses the best epoch.", show_default=False)],
    output: ModelFile,
    trees: Annotated[
        Literal["projective", "nonprojective"], typer.Option(help="Whether arcs may cross.")
    ] = "projective",
    roots: Annotated[
        Literal["single", "multi"], typer.Option(help="Whether exactly one word hangs from the root.")
    ] = "single",
    factorization: Annotated[
        Literal["arc", "sibling", "grandchild", "carreras", "grand-sibling", "tri-sibling"],
        typer.Option(help="Which parts of a tree are scored: larger ones are more accurate, and slower."),
    ] = "arc",
    non_local: Annotated[
        str,
        typer.Option(
            help="More features, by branch and bound: siblings, tri-siblings, grandchildren, great-grandchildren, "
            "combs; several with commas.",
            show_default=False,
        ),
    ] = "",
    without: Annotated[
        Literal["third-order", "grandchild"] | None,
        typer.Option(help="Features to leave out, to see what they are worth.", show_default=False),
    ] = None,
    labels: Annotated[bool, typer.Option("--labels/--no-labels", help="Predict relations, or heads alone.")] = True,
    learner: Annotated[
        Literal["mira", "perceptron", "log-linear", "max-margin"],
        typer.Option(help="What turns the treebank into weights."),
    ] = "mira",
    optimizer: Annotated[
        Literal["sgd", "eg", "l-bfgs", "cg"] | None,
        typer.Option(
            help="How a log-linear model is optimised: online, by stochastic or exponentiated gradient; or in batches.",
            show_default="sgd, and l-bfgs with raw text",
        ),
    ] = None,
    learn_from: Annotated[
        Literal["automata", "trees"],
        typer.Option(
            help="With larger parts of non-projective trees: learn from what head automata choose by themselves, or "
            "from whole trees, which is slower."
        ),
    ] = "automata",
    C: Annotated[
        float | None,
        typer.Option(
            "--C",
            min=1e-9,
            help="How much the data count against the size of the weights (the largest step of MIRA).",
            show_default="by learner",
        ),
    ] = None,
    beam: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Prune arcs less likely than this share of the best head of a word, in a first-order model; 0 prunes "
            "nothing.",
            show_default="0.0001, and 0 for arc",
        ),
    ] = None,
    max_heads: Annotated[int, typer.Option(min=0, help="Prune all but so many heads of a word; 0 for any number.")] = 0,
    tags: Annotated[
        Literal["predicted", "gold", "none"],
        typer.Option(
            help="Learn from the tags of a tagger of its own (by jackknifing), to parse raw text; or from the tags and "
            "lemmas of the treebank, to parse input that has them (parse --keep-tags); or do without any."
        ),
    ] = "predicted",
    clusters: Annotated[
        str | None,
        typer.Option(
            help="Word clusters, as treewright cluster writes them: adds features of them.", show_default=False
        ),
    ] = None,
    top_words: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="How many words, the most frequent, have features of their form.",
            show_default="all, and 800 together with clusters",
        ),
    ] = None,
    min_count: Annotated[
        int, typer.Option(min=1, max=255, help="Features seen less often in the treebank are not learned.")
    ] = 1,
    unlabeled: Annotated[
        list[str] | None,
        typer.Option(
            help="Raw text to learn from as well, a tokenized sentence on each line, plain or .gz/.xz; can be given "
            "several times.",
            show_default=False,
        ),
    ] = None,
    rounds: Annotated[
        int, typer.Option(min=1, help="With raw text: how often to go through it, each time with a better model.")
    ] = 1,
    B: Annotated[
        float,
        typer.Option("--B", min=1e-9, help="With raw text: what generative models are multiplied by."),
    ] = 0.03,
    resume: Annotated[
        Path | None,
        typer.Option(
            help="With raw text: a folder for what is finished, so that the same command goes on after a crash.",
            show_default=False,
        ),
    ] = None,
    folds: Folds = 10,
    epochs: Annotated[
        int | None,
        typer.Option(min=1, help="Passes over the treebank at most.", show_default="10, and 100 in batches"),
    ] = None,
    patience: Annotated[
        int | None,
        typer.Option(
            min=1, help="Epochs without a better dev LAS before it stops.", show_default="3, and 10 in batches"
        ),
    ] = None,
    seed: Seed = 1,
    threads: Threads = 0,
    workers: Annotated[
        int | None,
        typer.Option(
            min=0, help="Processes for the gradients of l-bfgs and cg; 0 is one for each core.", show_default="0"
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Compute these gradients on a Ray cluster: ray://host:port, or auto for one on this machine, started "
            "if need be.",
            metavar="ADDRESS",
        ),
    ] = None,
    language: Language = "",
    name: ModelName = None,
    treebank_name: TreebankName = "",
    licence: Licence = "",
    attribution: Attribution = "",
    on_error: OnError = "stop",
) -> None:
    """Train a parser on a treebank.

    Ctrl-C ends training early and keeps the best model so far. The file is written whole or not at all.

    **Examples**

    - `treewright train train.conllu --dev dev.conllu --output my.tw --language en`
    - `treewright train train.conllu --dev dev.conllu --output best.tw --factorization grand-sibling`
    - `treewright train train.conllu --dev dev.conllu --output my.tw --tags gold --learner log-linear`
    - `treewright train train.conllu --dev dev.conllu --output my.tw --clusters en.paths`
    - `treewright train train.conllu --dev dev.conllu --output my.tw --unlabeled raw.txt.xz --factorization carreras`
    - `treewright train t.conllu --dev dev.conllu --output b.tw --learner log-linear --optimizer l-bfgs --workers 8`
    - `treewright train train.conllu.gz --dev dev.conllu.gz --output free.tw --trees nonprojective --roots multi`
    - `treewright train t.conllu --dev dev.conllu --output d.tw --trees nonprojective --factorization grand-sibling`
    """
    from treewright.cli.console import compiling, notice
    from treewright.cli.sources import refuse_missing
    from treewright.cli.training import show_training
    from treewright.files import check_writable

    refuse_missing(treebank, dev, *([clusters] if clusters else []), *(unlabeled or []))
    check_writable(output)
    with compiling("train"):
        from treewright.clustering import Clusters
        from treewright.dependency.options import TrainingOptions
        from treewright.dependency.training import train_parser
        from treewright.execution import Keep, make_executor
        from treewright.treebank import RawText

        sentences, held_out = (_read(path, on_error == "skip") for path in (treebank, dev))
        about = {
            "name": name or output.name.partition(".")[0],
            "language": language,
            "treebank": treebank_name,
            "licence": licence,
            "attribution": attribution,
        }
        options = TrainingOptions(
            trees=trees,
            roots=roots,
            factorization=factorization,
            non_local=tuple(filter(None, non_local.replace(" ", "").split(","))),
            without=(without,) if without else (),
            labels=labels,
            learner=learner,
            optimizer=optimizer,
            learn_from=learn_from,
            C=C,
            beam=beam,
            max_heads=max_heads,
            tags=tags,
            top_words=top_words,
            min_count=min_count,
            rounds=rounds,
            B=B,
            folds=folds,
            epochs=epochs,
            patience=patience,
            seed=seed,
            threads=threads,
        )
        is_large = options.is_batch or unlabeled
        if not is_large and (workers is not None or cluster is not None):
            raise UsageError(
                "--workers and --cluster are for gradients in batches and for raw text: choose --optimizer l-bfgs or "
                "cg, or give --unlabeled"
            )
        with ExitStack() as stack:
            parser = train_parser(
                sentences,
                held_out,
                options,
                clusters=Clusters.read(clusters) if clusters else None,
                unlabeled=RawText(unlabeled) if unlabeled else None,
                info=about,
                report=stack.enter_context(show_training(options.most_epochs)),
                executor=stack.enter_context(make_executor(workers or 0, cluster)) if is_large else None,
                keep=stack.enter_context(Keep(resume)) if resume is not None else None,
            )
        parser.save(output)
    scores = ", ".join(f"{key} {score:.2f}" for key, score in parser.info["dev"].items())
    notice(f"Saved {output} ({os.path.getsize(output) / 1e6:.1f} MB), epoch {parser.info['epoch']}: dev {scores}.")


def _read(path: str, skip_errors: bool) -> Iterator[Sentence]:
    """Read a treebank as training asks for it, and say what had to be skipped."""
    from treewright.cli.console import notice
    from treewright.cli.sources import treebank_format
    from treewright.treebank import read

    mode: Literal["skip", "raise"] = "skip" if skip_errors else "raise"
    reader = read(path, treebank_format(path), mode, lambda error: notice(f"{error} (sentence skipped)"))
    yield from reader
    if reader.skipped:
        notice(f"{path}: skipped {reader.skipped:,} malformed sentences")
