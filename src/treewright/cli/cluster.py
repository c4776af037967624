"""``treewright cluster``: text in, word clusters out."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from treewright.cli.command import command
from treewright.cli.options import Quiet
from treewright.options import Options, option, required

if TYPE_CHECKING:
    from treewright.clustering import CorpusReader

__all__ = ["cluster"]


@dataclass(frozen=True)
class ClusterOptions(Options):
    """What to cluster, and how."""

    corpus: tuple[str, ...] = required(
        "Text, plain or .gz/.xz: a sentence on each line, spaces between its words; - is standard input.",
        metavar="CORPUS...",
        positional=True,
    )
    output: Path = required("The file of clusters to write; .gz and .xz compress.")
    clusters: int = option(1000, "How many clusters to make.", min=2)
    min_count: int = option(2, "Leave out words seen less often than this.", min=1)


@command
def cluster(options: ClusterOptions, quiet: Quiet = False) -> None:
    """Cluster words by the company they keep.

    Brown clustering: every word gets a bit string, its path in a hierarchy of clusters. Words that share the first bits
    occur next to the same words. The output has a line for each word: bits, word, count, with tabs between them.

    **Examples**

    - `treewright cluster en.txt.xz --output en.paths`
    - `treewright cluster news.txt.gz books.txt --clusters 500 --min-count 10 --output en.paths`
    - `zcat text.gz | treewright cluster - --output en.paths.gz`
    """
    from treewright.cli.console import compiling, counted, notice, share_done
    from treewright.cli.sources import refuse_missing
    from treewright.files import check_writable

    refuse_missing(*(path for path in options.corpus if path != "-"))
    check_writable(options.output)
    start = time.monotonic()
    with compiling("cluster"):
        from treewright.clustering import brown_clusters

        with share_done("Reading", quiet) as report:
            reader = _read(options.corpus, report)
        sentences, words = reader.sentences, reader.words
        bigrams = reader.count(options.min_count)
        del reader  # and with it the text
        with share_done("Clustering", quiet) as report:
            found = brown_clusters(bigrams, options.clusters, report)
        found.save(options.output)
    if not quiet:
        made = f"{len(found):,} words into {options.clusters:,} clusters in {time.monotonic() - start:.1f} s"
        notice(f"Read {counted(sentences, 'sentence')} ({counted(words, 'word')}), put {made}: {options.output}.")


def _read(corpus: tuple[str, ...], report: Callable[[float], None]) -> CorpusReader:
    """Read all files, and report the share done where their sizes are known."""
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
