"""``treewright parse``: text or treebanks in, trees out."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from treewright.cli.options import Cluster, Files, InputFormat, OnError, Output, Quiet, Resume, Text, Workers
from treewright.cli.reranking import CandidateCount, RerankModel
from treewright.errors import UsageError

__all__ = ["parse"]


def parse(
    files: Files = None,
    text: Text = None,
    model: Annotated[str, typer.Option(help="The name of an embedded model, or a model file.")] = "en",
    from_: InputFormat = None,
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
    output: Output = None,
    workers: Workers = 0,
    cluster: Cluster = None,
    resume: Resume = None,
    on_error: OnError = "stop",
    quiet: Quiet = False,
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
    from treewright.model.embedded import find_model

    find_model(model)  # before anything is compiled
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
        from functools import partial

        from treewright.cli.formats import FORMATS, format_k_best
        from treewright.cli.parsing import ParsingRun
        from treewright.cli.reranking import with_reranker
        from treewright.dependency.parser import Parser
        from treewright.parsing import KBestShard, ParseShard

        parser = with_reranker(Parser.open(model), rerank, candidates, quiet)
        options = {"keep_tags": keep_tags, "fix_heads": fix_heads, "confidence": confidence}
        if exact:
            options["exact"] = True
        run = ParsingRun("parse", output, workers, cluster, resume, quiet)
        if k_best > 1:
            run.parse(
                source, parser.language, KBestShard(parser, options, k_best), partial(format_k_best, target), target
            )
        else:
            run.parse(source, parser.language, ParseShard(parser, options), FORMATS[target], target)
