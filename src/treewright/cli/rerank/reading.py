"""Reading candidates and rerankers, and scoring the one with the other."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from treewright.options import Option

if TYPE_CHECKING:
    from treewright.arrays import Floats
    from treewright.reranking import Candidates, Reranker

__all__ = ["CandidateFile", "RerankerFile", "open_both", "read_file", "score_all"]

#: How many sentences have their trees in memory at a time.
BATCH = 100

CandidateFile = Annotated[
    str,
    Option(
        "Candidates: JSON lines (.gz and .xz too) or a NumPy archive (.npz); see docs/reranking.md.",
        metavar="CANDIDATES",
        positional=True,
    ),
]
RerankerFile = Annotated[str, Option("A model of rerank train or rerank mix.", metavar="MODEL", positional=True)]


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
