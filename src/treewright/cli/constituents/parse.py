"""``treewright constituents parse``: text or treebanks in, constituent trees out."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from treewright.cli.command import command
from treewright.cli.options import Input, OnError, Parsing, Reranking
from treewright.errors import UsageError
from treewright.options import Options, option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treewright.constituency.parser import ConstituentTreeParser
    from treewright.parsing import Ranked
    from treewright.treebank import ConstituentTree

__all__ = ["parse"]

#: The model that is used unless another is chosen.
DEFAULT = "en-constituents"


@dataclass(frozen=True)
class ParseOptions(Options):
    """How to find constituents, and what to write of them."""

    model: str | None = option(None, "An embedded model, or a model file (a PCFG too).", shown="en-constituents")
    to: Literal["brackets", "tree", "json", "svg", "html", "latex"] | None = option(
        None,
        "What to write; unless given, as the name of --output says, drawings on a terminal, and brackets otherwise. "
        "svg, html and latex draw trees for people.",
    )
    keep_tags: bool = option(False, "Use the tags in the input (XPOS) instead of the model's own.")
    k_best: int | None = option(
        None, "Write this many trees of each sentence, best first, with their probabilities.", min=1
    )
    beam: float | None = option(
        None, "How much less likely than the best a link may be to be searched.", min=0, max=1, shown="the model's"
    )


@command
def parse(input: Input, options: ParseOptions, reranking: Reranking, where: Parsing, errors: OnError) -> None:
    """Find the constituents of text or of treebanks.

    Reads the files, or standard input when there are none. Of bracketed trees only the words are read, and the tags
    with --keep-tags. With --k-best, drawings and JSON have the rank and probability of each tree; bracketed trees
    follow each other, with a blank line after those of a sentence.

    **Examples**

    - `treewright constituents parse --text "The mice were fed a diet."`
    - `treewright constituents parse article.txt --output article.mrg`
    - `treewright constituents parse dev.mrg --keep-tags --model my.tw > dev.parsed.mrg`
    - `treewright constituents parse --text "Cells divide rapidly." --k-best 3 --to json`
    - `treewright constituents parse --text "Cells divide rapidly." --output cells.svg`
    - `treewright constituents parse article.txt --model my.tw --rerank my-reranker.tw`
    """
    from treewright.cli.formats import WHOLES, choose_format
    from treewright.cli.parsing import ParsingRun, with_reranker
    from treewright.cli.sources import Sources
    from treewright.parsing import KBestShard, ParseShard, ParsingOptions

    source, k = Sources(input, errors, where.quiet), options.k_best
    if options.keep_tags and source.is_text:
        raise UsageError("--keep-tags needs tags: give CoNLL-U files or bracketed trees, or say --from")
    if reranking.rerank is not None and k is not None:
        raise UsageError("--rerank chooses one of the k best trees: leave out --k-best")
    to, how = (
        choose_format(options.to, where.output, ("brackets", "tree", "json", "svg", "html", "latex")),
        ParsingOptions(keep_tags=options.keep_tags),
    )
    base = _open(options)
    source.empty, parser = base.empty, with_reranker(base, reranking, where.quiet)
    kernels = f"constituents parse {'' if k is None else '--k-best '}({base.KIND})"
    run, write = ParsingRun(kernels, where, whole=WHOLES.get(to, iter)), _Writer(to, k)
    if k is None:
        run.parse(source, parser.splitter, ParseShard(parser, how), write.one, to)
    else:
        run.parse(source, parser.splitter, KBestShard(parser, how, k), write.all, f"{to} {k}")


def _open(options: ParseOptions) -> ConstituentTreeParser:
    """Open the parser, with the beam that is asked for."""
    from treewright.constituency.parser import ConstituentTreeParser
    from treewright.constituency.tag.parser import ConstituentParser

    parser = ConstituentTreeParser.open(options.model or DEFAULT)
    if options.beam is not None:
        if not isinstance(parser, ConstituentParser):
            raise UsageError(f"--beam is for parsers that prune, and {options.model} is a PCFG: leave it out")
        parser.pruner = replace(parser.pruner, beam=options.beam)
    return parser


class _Writer:
    """Writes trees down."""

    def __init__(self, to: str, k: int | None) -> None:
        self._to, self._k = to, k
        self._end = "\n\n" if to == "tree" else ""

    def all(self, trees: Sequence[Ranked[ConstituentTree]]) -> str:
        """Write the k best trees of a sentence, with their ranks and probabilities."""
        return "".join(self.one(ranked.tree, rank, ranked.probability) for rank, ranked in enumerate(trees, 1))

    def one(self, tree: ConstituentTree, rank: int = 1, probability: float | None = None) -> str:
        """Write a tree."""
        from treewright.treebank import format_tree
        from treewright.treebank.pictures import draw_one

        if self._to == "json":
            about: dict[str, Any] = {"text": " ".join(tree.words), "tree": format_tree(tree)}
            if probability is not None:
                about |= {"rank": rank, "tree_p": round(probability, 6)}
            return json.dumps(about, ensure_ascii=False) + "\n"
        if self._to == "brackets":
            return format_tree(tree) + ("\n\n" if rank == self._k else "\n")
        title = "" if probability is None else f"tree {rank}, probability {probability:.4f}"
        return draw_one(tree, "text" if self._to == "tree" else self._to, caption=title) + self._end
