"""``treewright parse``: text or treebanks in, trees out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from treewright.cli.reranking import CandidateCount, RerankModel
from treewright.errors import UsageError

__all__ = ["parse"]


def parse(
    files: Annotated[
        list[str] | None,
        typer.Argument(help="Files to parse, plain or .gz/.xz; - is standard input.", metavar="FILES"),
    ] = None,
    text: Annotated[str | None, typer.Option(help="Parse this text instead of files.")] = None,
    model: Annotated[str, typer.Option(help="The name of an embedded model, or a model file.")] = "en",
    from_: Annotated[
        Literal["text", "conllu", "conllx", "brackets"] | None,
        typer.Option("--from", help="What the input is; told by the names of the files unless given."),
    ] = None,
    to: Annotated[
        Literal["conllu", "conllx", "json", "tree"] | None,
        typer.Option(help="What to write; unless given, trees on a terminal and CoNLL-U otherwise."),
    ] = None,
    keep_tags: Annotated[
        bool, typer.Option("--keep-tags", help="Use the tags in the CoNLL-U input instead of the model's own.")
    ] = False,
    fix_heads: Annotated[
        bool, typer.Option("--fix-heads", help="Keep the heads in the CoNLL-U input, and find only the others.")
    ] = False,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Write the probability of each arc into MISC: Confidence=0.97.")
    ] = False,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Search on until every tree is proved to be the best (non-projective models of larger parts).",
        ),
    ] = False,
    k_best: Annotated[
        int, typer.Option(min=1, help="Write so many trees of each sentence, best first, with their probabilities.")
    ] = 1,
    rerank: RerankModel = None,
    candidates: CandidateCount = None,
    output: Annotated[
        Path | None, typer.Option(help="Write to this file instead of standard output; .gz and .xz compress.")
    ] = None,
    workers: Annotated[int, typer.Option(min=0, help="Processes to use; 0 is one for each core.")] = 0,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Parse on a Ray cluster: ray://host:port, or auto for one on this machine, started if need be.",
            metavar="ADDRESS",
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            help="Keep what is done in this folder until all is; after a crash the same command goes on from there.",
            metavar="FOLDER",
        ),
    ] = None,
    on_error: Annotated[
        Literal["stop", "skip"], typer.Option(help="At a malformed sentence: stop, or skip it and count it.")
    ] = "stop",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing on standard error but errors.")] = False,
) -> None:
    """Parse text or treebanks.

    Reads the files, or standard input when there are none. Text is split into sentences and words, tagged and parsed.
    From CoNLL-U, everything but tags, heads and relations passes through untouched.

    **Examples**

    - `treewright parse --text "The dog chased a cat."`
    - `treewright parse book.txt --output book.conllu`
    - `zcat news.txt.gz | treewright parse --to json > news.jsonl`
    - `treewright parse dev.conllu --keep-tags --model my.tw > dev.parsed.conllu`
    - `treewright parse book.txt --confidence --output book.conllu`
    - `treewright parse --text "I saw her duck." --k-best 3`
    - `treewright parse book.txt --model my.tw --rerank my-reranker.tw --output book.conllu`
    - `treewright parse corpus.txt.xz --output corpus.conllu.xz --resume corpus.done`
    - `treewright parse corpus.txt.xz --output corpus.conllu.xz --cluster ray://head:10001`
    """
    from treewright.cli.console import compiling
    from treewright.cli.sources import Sources
    from treewright.registry import find_model

    path = find_model(model)
    source = Sources(files or [], text, from_, on_error == "skip")
    if keep_tags and "text" in source.formats:
        raise UsageError("--keep-tags needs tags: give CoNLL-U files, or say --from conllu")
    if exact and k_best > 1:
        raise UsageError("--exact and --k-best do not go together: the k best trees are exact in any case")
    if rerank is not None and (exact or k_best > 1):
        raise UsageError("--rerank chooses one of the k best trees: leave out --exact and --k-best")
    if fix_heads and "text" in source.formats:
        raise UsageError("--fix-heads needs heads: give CoNLL-U files, or say --from conllu")
    target = to or ("tree" if output is None and sys.stdout.isatty() else "conllu")
    with compiling("parse"):
        from treewright.cli.formats import FORMATS
        from treewright.cli.parsing import ParsingRun
        from treewright.cli.reranking import with_reranker
        from treewright.corpus import ParseShard
        from treewright.parser import Parser

        parser = Parser.open(path)
        options = {"keep_tags": keep_tags, "fix_heads": fix_heads, "confidence": confidence}
        if exact:
            options["exact"] = True
        run = ParsingRun("parse", output, workers, cluster, resume, quiet)
        chooser = with_reranker(parser, rerank, candidates, quiet)
        task = ParseShard(chooser, k_best if k_best > 1 else None, options)
        run.parse(source, parser.info.get("language", ""), task, FORMATS[target], target)
