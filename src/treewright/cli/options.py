"""Options that several commands have, each described once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

__all__ = [
    "Attribution",
    "Cluster",
    "Files",
    "Folds",
    "InputFormat",
    "Language",
    "Licence",
    "ModelFile",
    "ModelName",
    "OnError",
    "Output",
    "Quiet",
    "Resume",
    "Seed",
    "Text",
    "Threads",
    "TreebankName",
    "Workers",
]

# What is parsed, where, and where it goes.

Files = Annotated[
    list[str] | None,
    typer.Argument(help="Files to parse, plain or .gz/.xz; - is standard input.", metavar="FILES"),
]
Text = Annotated[str | None, typer.Option(help="Parse this text instead of files.")]
InputFormat = Annotated[
    Literal["text", "conllu", "conllx", "brackets"] | None,
    typer.Option("--from", help="What the input is; told by the names of the files unless given."),
]
Output = Annotated[
    Path | None, typer.Option(help="Write to this file instead of standard output; .gz and .xz compress.")
]
Workers = Annotated[int, typer.Option(min=0, help="Processes to use; 0 is one for each core.")]
Cluster = Annotated[
    str | None,
    typer.Option(
        help="Parse on a Ray cluster: ray://host:port, or auto for one on this machine, started if need be.",
        metavar="ADDRESS",
    ),
]
Resume = Annotated[
    Path | None,
    typer.Option(
        help="Keep what is done in this folder until all is; after a crash the same command goes on from there.",
        metavar="FOLDER",
    ),
]
OnError = Annotated[
    Literal["stop", "skip"], typer.Option(help="At a malformed sentence: stop, or skip it and count it.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing on standard error but errors.")]

# How parsers are trained, and what is noted in their files.

ModelFile = Annotated[Path, typer.Option(help="The model file to write.", show_default=False)]
Folds = Annotated[int, typer.Option(min=2, help="Folds of jackknifing.")]
Seed = Annotated[int, typer.Option(min=0, help="The order of the sentences; the same seed gives the same model.")]
Threads = Annotated[int, typer.Option(min=0, help="Threads to use; 0 is one for each core.")]
Language = Annotated[str, typer.Option(help="The language of raw text, as an ISO 639 code: how to tokenize.")]
ModelName = Annotated[str | None, typer.Option(help="A name for the model; that of the file unless given.")]
TreebankName = Annotated[str, typer.Option("--treebank", help="The name of the treebank, for treewright info.")]
Licence = Annotated[str, typer.Option(help="The licence of the model, for treewright info.")]
Attribution = Annotated[str, typer.Option(help="Whom to credit, for treewright info.")]
