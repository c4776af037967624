"""``treewright cluster``: text in, word clusters out."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.cli.options import Quiet

if TYPE_CHECKING:
    from treewright.clustering import CorpusReader

__all__ = ["cluster"]


def cluster(
    corpus: Annotated[
        list[str],
        typer.Argument(
            help="Text, plain or .gz/.xz: a sentence on each line, spaces between its words; - is standard input.",
            metavar="CORPUS...",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path, typer.Option(help="The file of clusters to write; .gz and .xz compress.", show_default=False)
    ],
    clusters: Annotated[int, typer.Option(min=2, help="How many clusters: different bit strings.")] = 1000,
    min_count: Annotated[int, typer.Option(min=1, help="Leave out words seen less often than this.")] = 2,
    quiet: Quiet = False,
) -> None:
    """Cluster words by the company they keep.

    Brown clustering: every word gets a bit string, its path in a hierarchy of clusters. Words that share the first bits
    occur next to the same words. The output has a line for each word: bits, word, count, with tabs between them.

    **Examples**

    - `treewright cluster en.txt.xz --output en.paths`
    - `treewright cluster news.txt.gz books.txt --clusters 500 --min-count 10 --output en.paths`
    - `zcat text.gz | treewright cluster - --output en.paths.gz`
    """
    from treewright.cli.console import compiling, notice, share_done
    from treewright.cli.sources import refuse_missing
    from treewright.files import check_writable

    refuse_missing(*(path for path in corpus if path != "-"))
    check_writable(output)
    start = time.monotonic()
    with compiling("cluster"):
        from treewright.clustering import brown_clusters

        with share_done("Reading", quiet) as report:
            reader = _read(corpus, report)
        sentences, words = reader.sentences, reader.words
        bigrams = reader.count(min_count)
        del reader  # and with it the text
        with share_done("Clustering", quiet) as report:
            found = brown_clusters(bigrams, clusters, report)
        found.save(output)
    if not quiet:
        made = f"{len(found):,} words into {clusters:,} clusters in {time.monotonic() - start:.1f} s"
        notice(f"Read {sentences:,} sentences ({words:,} words), put {made}: {output}.")


def _read(corpus: list[str], report: Callable[[float], None]) -> CorpusReader:
    """Read all files, and tell how far it is where their sizes say so."""
    from treewright.cli.console import notice
    from treewright.clustering import CorpusReader

    reader = CorpusReader()
    sizes = [os.path.getsize(path) if os.path.isfile(path) else 0 for path in corpus]
    before = 0

    def report_place(place: int) -> None:
        if all(sizes):
            report((before + place) / sum(sizes))

    for path, size in zip(corpus, sizes, strict=True):
        if path == "-" and sys.stdin.isatty():
            notice("Reading from the terminal; end with Ctrl-D.")
        reader.read(path, report_place)
        before += size
    return reader
