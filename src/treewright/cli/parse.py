"""``treewright parse``: text or treebanks in, trees out."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from treewright.cli.command import command
from treewright.cli.options import Input, OnError, Parsing, Reranking
from treewright.errors import UsageError
from treewright.options import Options, option

if TYPE_CHECKING:
    from treewright.cli.parsing import ParsingRun
    from treewright.cli.sources import Sources
    from treewright.dependency.parser import Parser
    from treewright.parsing import ParsingOptions

__all__ = ["parse"]


@dataclass(frozen=True)
class ParseOptions(Options):
    """How to parse, and what to write."""

    model: str = option(
        "en",
        "The name of a model (see treewright models), or a model file; auto tells the language of each paragraph, and "
        "takes the model of that language.",
    )
    to: Literal["conllu", "conllx", "json", "tree", "svg", "html", "latex", "tsv"] | None = option(
        None,
        "What to write; unless given, as the name of --output says, drawings on a terminal, and CoNLL-U otherwise. "
        "svg, html and latex draw trees for people, and tsv is a table for spreadsheets.",
    )
    keep_tags: bool = option(False, "Keep the tags in the CoNLL-U input, and find those of words without any.")
    fix_heads: bool = option(False, "Keep the heads and relations in the CoNLL-U input, and find only the others.")
    complete: bool = option(
        False, "Keep all tags, heads and relations in the CoNLL-U input, and fill in every _ by what they suggest."
    )
    joint_tags: int = option(
        0,
        "Consider this many taggings of each sentence, such as 4, and find the best pair of tags and tree.",
        min=0,
    )
    confidence: bool = option(
        False,
        "Write probabilities: of heads, relations and tags (in MISC: Confidence, LabelConfidence, TagConfidence), and "
        "of the tree, and how many errors are expected.",
    )
    alternatives: int = option(
        0, "Of doubtful words, write this many other heads and relations, with their probabilities.", min=0
    )
    sort: Literal["doubt"] | None = option(
        None, "Write the sentences with the most expected errors first, when all are parsed; adds --confidence."
    )
    exact: bool = option(
        False, "Search on until every tree is proved to be the best (nonprojective models of higher order)."
    )
    at_most_one: Collection[str] = option(
        (),
        "Relations that at most one modifier of a head may have, such as nsubj,obj: the best tree that obeys is found.",
        metavar="RELATIONS",
    )
    obey: bool = option(
        False,
        'Obey the constraints in comments of the input: # constraints = {"required": [[2, 1]], "spans": [[3, 5]]}.',
    )
    ranges: bool = option(
        False,
        "Write where each token is in the text, in MISC: TokenRange=0:5, counted in characters from the beginning of "
        "the file.",
    )
    k_best: int = option(1, "Write this many trees of each sentence, best first, with their probabilities.", min=1)

    def refuse_contradictions(self, source: Sources, is_reranked: bool) -> None:
        """Refuse what does not go together."""
        needs = {"keep_tags": "tags", "fix_heads": "heads", "complete": "a draft", "obey": "comments"}
        for name, what in needs.items():
            if getattr(self, name) and source.is_text:
                flag = name.replace("_", "-")
                raise UsageError(f"--{flag} needs {what}: give CoNLL-U files, or say --from conllu")
        if self.exact and self.joint_tags > 1:
            raise UsageError(
                "--exact and --joint-tags do not go together: models that need --exact have no probabilities"
            )
        if self.exact and self.k_best > 1:
            raise UsageError("--exact and --k-best do not go together: the k best trees are exact in any case")
        if is_reranked and (self.exact or self.k_best > 1):
            raise UsageError("--rerank chooses one of the k best trees: leave out --exact and --k-best")
        if self.alternatives and is_reranked:
            raise UsageError("--alternatives are those of the parser: leave out --rerank")

    def for_parser(self) -> ParsingOptions:
        """Return the options of the parser."""
        from treewright.inference import Constraints

        chosen: ParsingOptions = {
            "keep_tags": self.keep_tags,
            "fix_heads": self.fix_heads,
            "confidence": self.confidence or self.sort is not None,
        }
        if self.complete:
            chosen["complete"] = True
        if self.joint_tags > 1:
            chosen["joint_tags"] = self.joint_tags
        if self.alternatives:
            chosen["alternatives"] = self.alternatives
        if self.exact:
            chosen["exact"] = True
        if self.at_most_one:
            chosen["constraints"] = Constraints(at_most_one=tuple(self.at_most_one))
        if self.obey:
            chosen["obey"] = True
        return chosen

    def kernels(self, parser: Parser) -> str:
        """Return what has to be compiled: the command, with all that decides it."""
        trees = parser.trees
        kind = f"({'' if trees.projective else 'non'}projective {trees.factorization} trees)"
        has_confidence = bool(self.confidence or self.sort or self.alternatives)
        flags = [flag for flag, on in (("--confidence", has_confidence), ("--k-best", self.k_best > 1)) if on]
        return " ".join(["parse", *flags, kind])

    def run(self, kernels: str | None, where: Parsing, to: str) -> ParsingRun:
        """Return how to parse everything and write it down in a format."""
        from treewright.cli.formats import WHOLES
        from treewright.cli.parsing import ParsingRun

        return ParsingRun(kernels, where, self.sort is not None, WHOLES.get(to, iter))


@command
def parse(input: Input, options: ParseOptions, reranking: Reranking, where: Parsing, errors: OnError) -> None:
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
    - `treewright parse --text "The dog barks." --joint-tags 4 --confidence`
    - `treewright parse draft.conllu --complete --output whole.conllu`
    - `treewright parse book.txt --at-most-one nsubj,obj --output book.conllu`
    - `treewright parse draft.conllu --obey --output whole.conllu`
    - `treewright parse book.txt --sort doubt --alternatives 2 --to tree | less`
    - `treewright parse --text "I saw her duck." --k-best 3 --output duck.svg`
    - `treewright parse book.txt --confidence --output book.html`
    - `treewright parse book.txt --confidence --output book.tsv`
    - `treewright parse book.txt --model my.tw --rerank my-reranker.tw --output book.conllu`
    - `treewright parse letters.txt --model auto --output letters.conllu`
    - `treewright parse corpus.txt.xz --output corpus.conllu.xz --resume corpus.done`
    - `treewright parse corpus.txt.xz --output corpus.conllu.xz --cluster ray://head:10001`
    """
    from treewright.cli.formats import FORMATS, choose_format, format_k_best
    from treewright.cli.parsing import with_reranker
    from treewright.cli.sources import Sources
    from treewright.dependency.parser import Parser
    from treewright.parsing import KBestShard, ParseShard

    source = Sources(input, errors, where.quiet, ranges=options.ranges)
    source.refuse_ranges()
    options.refuse_contradictions(source, reranking.rerank is not None)
    to, k = choose_format(options.to, where.output, tuple(FORMATS)), options.k_best
    if options.model == "auto":
        _parse_by_language(source, options, reranking, where, errors, to)
        return
    base = Parser.open(options.model)
    parser = with_reranker(base, reranking, where.quiet)
    run, how = options.run(options.kernels(base), where, to), options.for_parser()
    if k > 1:
        run.parse(source, parser.splitter, KBestShard(parser, how, k), partial(format_k_best, to), to)
    else:
        run.parse(source, parser.splitter, ParseShard(parser, how), FORMATS[to], to)


def _parse_by_language(
    source: Sources, options: ParseOptions, reranking: Reranking, where: Parsing, errors: OnError, to: str
) -> None:
    """Parse raw text in several languages."""
    from treewright.cli.formats import FORMATS, format_k_best
    from treewright.cli.languages import LanguageReader, Languages, tasks_by_language
    from treewright.tokenization import Rules

    if not source.is_only_text:
        raise UsageError("--model auto tells the language of raw text: name a model for treebanks")
    for name, given in (("rerank", reranking.rerank), ("resume", where.resume), ("cluster", where.cluster)):
        if given is not None:
            raise UsageError(f"--model auto and --{name} do not go together: name a model")
    if options.ranges:
        raise UsageError("--model auto and --ranges do not go together: name a model")
    task = tasks_by_language(options.for_parser(), options.k_best)
    languages = Languages(task, options.kernels, skips=errors.mode == "skip", quiet=where.quiet)
    source.make_reader = partial(LanguageReader, languages=languages)
    write = partial(format_k_best, to) if options.k_best > 1 else FORMATS[to]
    options.run(None, where, to).parse(source, Rules(""), task, write, to)
