"""``treewright constituents grammar``: a treebank in, the model file of a PCFG out."""

from __future__ import annotations

import os
import time
from typing import Annotated, Literal

import typer

from treewright.cli.options import ModelFile, Quiet
from treewright.errors import UsageError

__all__ = ["grammar"]


def grammar(
    treebank: Annotated[
        str,
        typer.Argument(help="The training trees, bracketed, plain or .gz/.xz.", metavar="TRAIN", show_default=False),
    ],
    output: ModelFile,
    vertical: Annotated[int, typer.Option(min=1, help="Labels remember this number less one of those above.")] = 2,
    horizontal: Annotated[int, typer.Option(min=0, help="A child depends on so many before it.")] = 2,
    empty: Annotated[
        Literal["penn", "historical", "keep"], typer.Option(help="What counts as an empty element, and is removed.")
    ] = "penn",
    quiet: Quiet = False,
) -> None:
    """Read a PCFG off a treebank, in seconds: the base parser of rerank candidates.

    **Examples**

    - `treewright constituents grammar train.mrg --output pcfg.tw`
    - `treewright constituents parse article.txt --model pcfg.tw --rerank my-reranker.tw`
    """
    from treewright.cli.console import compiling, notice, share_done
    from treewright.cli.sources import refuse_missing
    from treewright.files import check_writable

    refuse_missing(treebank)
    check_writable(output)
    start = time.monotonic()
    with compiling("pcfg"):
        from treewright.constituency.pcfg import PcfgTrainer
        from treewright.treebank import read_trees, simplify

        simple = (simplify(tree, empty=empty) for tree in read_trees(treebank, spaces="keep"))
        trees = [tree for tree in simple if tree is not None]
        if not trees:
            raise UsageError(f"{treebank} has no trees with words in them")
        with share_done("Counting rules", quiet) as report:
            model = PcfgTrainer(vertical, horizontal).train(trees, report)
        model.save(output)
    if not quiet:
        size, seconds = os.path.getsize(output) / 1e6, time.monotonic() - start
        rules = f"{len(model.grammar.weight):,} rules of {len(trees):,} trees"
        notice(f"Saved {output} ({size:.1f} MB), {rules}, in {seconds:.1f} s.")
