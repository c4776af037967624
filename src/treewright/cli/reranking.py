"""What the commands share that rerank: reading candidates and rerankers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from treewright.errors import UsageError

if TYPE_CHECKING:
    from treewright.arrays import Floats
    from treewright.parsing import TreeParser
    from treewright.reranking import Candidates, Reranker

__all__ = [
    "CandidateCount",
    "CandidateFile",
    "Quiet",
    "RerankModel",
    "open_both",
    "read_file",
    "score_all",
    "with_reranker",
]

T = TypeVar("T")

#: How many sentences have their trees in memory at a time.
BATCH = 100

_CANDIDATES = "Candidates: JSON lines (.gz and .xz too) or a NumPy archive (.npz); see docs/reranking.md."
CandidateFile = Annotated[str, typer.Argument(help=_CANDIDATES, show_default=False, metavar="CANDIDATES")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing on standard error but errors.")]

RerankModel = Annotated[
    str | None,
    typer.Option(
        help="Choose the tree with this model of treewright rerank train, from the k best of the parser.",
        metavar="MODEL",
        show_default=False,
    ),
]
CandidateCount = Annotated[
    int | None, typer.Option(min=1, help="From how many trees --rerank chooses.", show_default="as it was trained")
]


def read_file(path: str, quiet: bool, vocabulary: Sequence[str] | None = None, cutoff: int = 1) -> Candidates:
    """Read candidates, and show how far it is."""
    from treewright.cli.console import share_done
    from treewright.cli.sources import refuse_missing
    from treewright.reranking import read_candidates

    refuse_missing(path)
    size = os.path.getsize(path) or 1
    with share_done(f"Reading {Path(path).name}", quiet) as report:
        return read_candidates(path, vocabulary, cutoff, lambda place: report(place / size))


def open_both(model: str, candidates: str, quiet: bool) -> tuple[Reranker, Candidates]:
    """Open a reranker, and candidates with its features."""
    from treewright.cli.sources import refuse_missing
    from treewright.reranking import Reranker

    refuse_missing(model, candidates)
    reranker = Reranker.open(model)
    return reranker, read_file(candidates, quiet, reranker.vocabulary)


def score_all(reranker: Reranker, candidates: Candidates, quiet: bool, name: str = "") -> Floats:
    """Score candidates, some sentences at a time where their trees have to be read, and show how far it is."""
    import numpy as np

    from treewright.cli.console import share_done
    from treewright.reranking.hidden import TreeLists

    if not reranker.needs_trees:
        return reranker.scores(candidates)
    found = []
    with share_done(f"Scoring {name}".strip(), quiet) as report:
        for begin in range(0, candidates.sentences, BATCH):
            end = min(begin + BATCH, candidates.sentences)
            part = candidates.take(np.arange(begin, end))
            found.append(reranker.scores(part, list(TreeLists(part))))
            report(end / candidates.sentences)
    return np.concatenate(found)


def with_reranker(parser: TreeParser[T], rerank: str | None, candidates: int | None, quiet: bool) -> TreeParser[T]:
    """Let a reranker choose from the trees of a parser, if there is to be one.

    Parameters
    ----------
    parser : TreeParser
    rerank : str, optional
        The model file of the reranker.
    candidates : int, optional
        From how many trees it chooses.
    quiet : bool
        Whether not to say that it was trained on the trees of another parser.
    """
    if rerank is None:
        if candidates is not None:
            raise UsageError("--candidates is from how many trees a reranker chooses: add --rerank MODEL")
        return parser
    from treewright.cli.console import notice
    from treewright.cli.sources import refuse_missing
    from treewright.reranking import Reranker
    from treewright.reranking.parser import RerankedParser

    refuse_missing(rerank)
    reranker = Reranker.open(rerank)
    chooser = RerankedParser(parser, reranker, candidates)
    origin, own = reranker.origin, "pcfg" if parser.KIND == "pcfg" else "tag"
    if origin is not None and origin.trees == "constituents" and origin.parser != own and not quiet:
        notice(f"{rerank} was trained on the trees of another parser ({origin.parser}); this one is {own}.")
    return chooser
