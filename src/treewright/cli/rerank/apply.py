"""``treewright rerank apply``: choose from candidates with a reranker."""

from __future__ import annotations

import json
from typing import Annotated

from treewright.cli.command import command
from treewright.cli.options import Output, Quiet
from treewright.cli.rerank.reading import CandidateFile, RerankerFile, open_both, score_all
from treewright.errors import UsageError
from treewright.options import Option

__all__ = ["apply"]


@command
def apply(
    model: RerankerFile,
    candidates: CandidateFile,
    output: Output = None,
    as_json: Annotated[
        bool, Option("Write the place of the chosen candidate, from 0, and all scores.", flags=("--json",))
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Choose a candidate for each sentence, and write its text on a line.

    **Examples**

    - `treewright rerank apply my.tw test.jsonl.gz > test.mrg`
    - `treewright rerank apply my.tw test.npz --json --output choices.jsonl`
    """
    from treewright.cli.formats import destination
    from treewright.files import check_writable

    if output is not None:
        check_writable(output)
    reranker, read = open_both(model, candidates, quiet)
    if read.ids is None and not as_json:
        raise UsageError(f'{candidates} has no "text" of candidates to write; use --json')
    scores = score_all(reranker, read, quiet)
    with destination(output) as stream:
        for i, c in enumerate(read.best(scores).tolist()):
            begin, end = read.offsets[i : i + 2].tolist()
            line = "" if read.ids is None else read.ids[c]
            if as_json:
                line = json.dumps({"chosen": c - begin, "scores": scores[begin:end].tolist()})
            stream.write(f"{line}\n".encode())
        stream.flush()
