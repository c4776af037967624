"""``treewright constituents grammar``: a treebank in, the model file of a PCFG out."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from treewright.cli.command import command
from treewright.cli.options import ModelFile, ModelInfo, Quiet
from treewright.errors import UsageError
from treewright.options import EmptyElements, Options, option, required

__all__ = ["grammar"]


@dataclass(frozen=True)
class GrammarOptions(Options):
    """How to read a PCFG off a treebank."""

    treebank: str = required("The training trees, bracketed, plain or .gz/.xz.", metavar="TRAIN", positional=True)
    vertical: int = option(2, "How many labels from a node upwards its symbol remembers, its own included.", min=1)
    horizontal: int = option(2, "How many children before it a child depends on.", min=0)
    empty: EmptyElements = option("penn", "What counts as an empty element, and is removed.")


@command
def grammar(options: GrammarOptions, about: ModelInfo, output: ModelFile, quiet: Quiet = False) -> None:
    """Read a PCFG off a treebank, in seconds: the base parser of rerank candidates.

    **Examples**

    - `treewright constituents grammar train.mrg --output pcfg.tw --language en`
    - `treewright constituents parse article.txt --model pcfg.tw --rerank my-reranker.tw`
    """
    from treewright.cli.console import compiling, notice, share_done
    from treewright.cli.sources import refuse_missing
    from treewright.files import check_writable

    refuse_missing(options.treebank)
    check_writable(output)
    start = time.monotonic()
    with compiling("constituents grammar"):
        from treewright.constituency.pcfg import train_pcfg
        from treewright.treebank import read_trees, simplify

        simple = (simplify(tree, empty=options.empty) for tree in read_trees(options.treebank, spaces="keep"))
        trees = [tree for tree in simple if tree is not None]
        if not trees:
            raise UsageError(f"{options.treebank} has no trees with words in them")
        with share_done("Counting rules", quiet) as report:
            parser = train_pcfg(
                trees,
                vertical=options.vertical,
                horizontal=options.horizontal,
                info=about.describe(output),
                on_progress=lambda number: report(number / len(trees)),
            )
        parser.info["options"]["empty"] = options.empty
        parser.save(output)
    if not quiet:
        size, seconds = os.path.getsize(output) / 1e6, time.monotonic() - start
        rules = f"{len(parser.grammar.weight):,} rules of {len(trees):,} trees"
        notice(f"Saved {output} ({size:.1f} MB), {rules}, in {seconds:.1f} s.")
