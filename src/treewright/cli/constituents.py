"""``treewright constituents``: train parsers of constituent trees, parse with them, and score what they find."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from treewright.cli.options import (
    Attribution,
    Cluster,
    Files,
    Folds,
    InputFormat,
    Language,
    Licence,
    ModelFile,
    ModelName,
    OnError,
    Output,
    Quiet,
    Resume,
    Seed,
    Text,
    Threads,
    TreebankName,
    Workers,
)
from treewright.cli.reranking import CandidateCount, RerankModel
from treewright.errors import UsageError

if TYPE_CHECKING:
    from treewright.parsing import Ranked
    from treewright.treebank import ConstituentTree

__all__ = ["constituents"]

constituents = typer.Typer(
    name="constituents",
    help="Constituent trees, by spines (Carreras, Collins and Koo 2008): train, parse, evaluate.",
    no_args_is_help=True,
)


@constituents.command()
def parse(
    files: Files = None,
    text: Text = None,
    model: Annotated[str, typer.Option(help="An embedded model, or a model file (a PCFG too).")] = "en-craft",
    from_: InputFormat = None,
    to: Annotated[
        Literal["brackets", "tree", "json"] | None,
        typer.Option(help="What to write; unless given, drawings on a terminal and bracketed trees otherwise."),
    ] = None,
    keep_tags: Annotated[
        bool, typer.Option("--keep-tags", help="Use the tags in the input (XPOS) instead of the model's own.")
    ] = False,
    k_best: Annotated[
        int | None,
        typer.Option(min=1, help="Write so many trees of each sentence, best first, with their probabilities."),
    ] = None,
    beam: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="How much less likely than the best a link may be to be searched.",
            show_default="model's",
        ),
    ] = None,
    rerank: RerankModel = None,
    candidates: CandidateCount = None,
    output: Output = None,
    workers: Workers = 0,
    cluster: Cluster = None,
    resume: Resume = None,
    on_error: OnError = "stop",
    quiet: Quiet = False,
) -> None:
    """Find the constituents of text or of treebanks.

    Reads the files, or standard input when there are none. Of bracketed trees only the words are read, and the tags
    with --keep-tags. With --k-best, drawings and JSON have the rank and probability of each tree; bracketed trees
    follow each other, with a blank line after those of a sentence.

    **Examples**

    - `treewright constituents parse --text "The mice were fed a diet."`
    - `treewright constituents parse article.txt --output article.mrg`
    - `treewright constituents parse dev.mrg --keep-tags --model my.tw > dev.parsed.mrg`
    - `treewright constituents parse --text "Cells divide rapidly." --k-best 3 --to json`
    - `treewright constituents parse article.txt --model my.tw --rerank my-reranker.tw`
    """
    from treewright.cli.console import compiling
    from treewright.cli.sources import Sources
    from treewright.model.embedded import find_model

    find_model(model)  # before anything is compiled
    source = Sources(files or [], text, from_, on_error == "skip")
    if keep_tags and "text" in source.formats:
        raise UsageError("--keep-tags needs tags: give CoNLL-U files or bracketed trees, or say --from")
    if rerank is not None and k_best is not None:
        raise UsageError("--rerank chooses one of the k best trees: leave out --k-best")
    target = to or ("tree" if output is None and sys.stdout.isatty() else "brackets")
    with compiling("constituents"):
        from dataclasses import replace

        from treewright.cli.parsing import ParsingRun
        from treewright.cli.reranking import with_reranker
        from treewright.constituency.parser import ConstituentTreeParser
        from treewright.constituency.tag.parser import ConstituentParser
        from treewright.parsing import KBestShard, ParseShard

        base = ConstituentTreeParser.open(model)
        if beam is not None:
            if not isinstance(base, ConstituentParser):
                raise UsageError(f"--beam is for parsers that prune, and {model} is a PCFG: leave it out")
            base.pruner = replace(base.pruner, beam=beam)
        parser, options = with_reranker(base, rerank, candidates, quiet), {"keep_tags": keep_tags}
        run, write = ParsingRun("constituents", output, workers, cluster, resume, quiet), _Writer(target, k_best)
        if k_best is None:
            run.parse(source, parser.language, ParseShard(parser, options), write.one, target)
        else:
            run.parse(source, parser.language, KBestShard(parser, options, k_best), write.all, f"{target} {k_best}")


class _Writer:
    """Writes trees down."""

    def __init__(self, to: str, k: int | None) -> None:
        self._to, self._k = to, k

    def all(self, trees: Sequence[Ranked[ConstituentTree]]) -> str:
        """Write the k best trees of a sentence, with their ranks and probabilities."""
        return "".join(self.one(ranked.tree, rank, ranked.probability) for rank, ranked in enumerate(trees, 1))

    def one(self, tree: ConstituentTree, rank: int = 1, probability: float | None = None) -> str:
        """Write a tree."""
        from treewright.treebank import draw_tree, format_tree

        if self._to == "json":
            about: dict[str, Any] = {"text": " ".join(tree.words), "tree": format_tree(tree)}
            if probability is not None:
                about |= {"rank": rank, "probability": round(probability, 6)}
            return json.dumps(about, ensure_ascii=False) + "\n"
        if self._to == "tree":
            title = "" if probability is None else f"tree {rank}, probability {probability:.4f}\n"
            return f"{title}{draw_tree(tree)}\n\n"
        return format_tree(tree) + ("\n\n" if rank == self._k else "\n")


@constituents.command()
def train(
    treebank: Annotated[
        str,
        typer.Argument(help="The training trees, bracketed, plain or .gz/.xz.", metavar="TRAIN", show_default=False),
    ],
    dev: Annotated[str, typer.Option(help="The dev trees, which choose the best epoch.", show_default=False)],
    output: ModelFile,
    order: Annotated[
        Literal["first", "second"],
        typer.Option(help="Score dependencies alone, or with siblings and grandchildren: more accurate, and slower."),
    ] = "second",
    rules: Annotated[str, typer.Option(help="Head rules: collins, yamada-matsumoto, default, or a file.")] = "collins",
    levels: Annotated[
        Literal["flat", "all"],
        typer.Option(help="Levels that adjunction cannot bring back: give them up, or make them nodes of spines."),
    ] = "flat",
    empty: Annotated[
        Literal["penn", "historical", "keep"], typer.Option(help="What counts as an empty element, and is removed.")
    ] = "penn",
    tags: Annotated[
        Literal["predicted", "gold"],
        typer.Option(
            help="Learn from the tags of a tagger of its own (by jackknifing), to parse raw text; or from those of the "
            "treebank, to parse input that has them (parse --keep-tags)."
        ),
    ] = "predicted",
    beam: Annotated[
        float,
        typer.Option(min=0, max=1, help="Links less likely than this share of the best of a word are not searched."),
    ] = 1e-4,
    longest: Annotated[int, typer.Option(min=1, help="Trees of more words are not learned from.")] = 100,
    folds: Folds = 10,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the treebank at most.")] = 10,
    patience: Annotated[int, typer.Option(min=1, help="Epochs without a better dev F1 before it stops.")] = 3,
    seed: Seed = 1,
    threads: Threads = 0,
    language: Language = "",
    name: ModelName = None,
    treebank_name: TreebankName = "",
    licence: Licence = "",
    attribution: Attribution = "",
    on_error: OnError = "stop",
) -> None:
    """Train a parser of constituent trees.

    Function tags and empty elements are removed. Ctrl-C ends training early and keeps the best model so far.

    **Examples**

    - `treewright constituents train train.mrg --dev dev.mrg --output my.tw --language en`
    - `treewright constituents train train.mrg --dev dev.mrg --output fast.tw --order first --tags gold`
    - `treewright constituents train ice.mrg --dev dev.mrg --output is.tw --rules default --empty historical`
    """
    from treewright.cli.console import compiling, notice
    from treewright.cli.sources import refuse_missing
    from treewright.cli.training import show_training
    from treewright.files import check_writable

    refuse_missing(treebank, dev)
    check_writable(output)
    with compiling("constituents train"):
        from treewright.constituency.tag.options import ConstituentOptions
        from treewright.constituency.tag.training import train_constituents

        options = ConstituentOptions(
            order=order,
            rules=rules,
            levels=levels,
            empty=empty,
            tags=tags,
            beam=beam,
            longest=longest,
            folds=folds,
            epochs=epochs,
            patience=patience,
            seed=seed,
            threads=threads,
        )
        about = {
            "name": name or output.name.partition(".")[0],
            "language": language,
            "treebank": treebank_name,
            "licence": licence,
            "attribution": attribution,
        }
        trees, held_out = (_read(path, on_error == "skip") for path in (treebank, dev))
        with show_training(epochs) as report:
            parser = train_constituents(trees, held_out, options, info=about, report=report)
        parser.save(output)
    scores = ", ".join(f"{key} {score:.2f}" for key, score in parser.info["dev"].items())
    notice(f"Saved {output} ({os.path.getsize(output) / 1e6:.1f} MB), epoch {parser.info['epoch']}: dev {scores}.")


def _read(path: str, skip_errors: bool) -> Iterator[ConstituentTree]:
    """Read trees as training asks for them, and say what had to be skipped."""
    from treewright.cli.console import notice
    from treewright.treebank import read_trees

    skipped = 0

    def note(error: Exception) -> None:
        nonlocal skipped
        skipped += 1
        notice(f"{error} (tree skipped)")

    yield from read_trees(path, spaces="keep", on_error="skip" if skip_errors else "raise", on_skip=note)
    if skipped:
        notice(f"{path}: skipped {skipped:,} malformed trees")


@constituents.command()
def evaluate(
    gold: Annotated[str, typer.Argument(help="The gold standard: bracketed trees.", show_default=False)],
    system: Annotated[str, typer.Argument(help="What is to be judged: the same words, parsed.", show_default=False)],
    by_label: Annotated[bool, typer.Option("--by-label", help="Also precision and recall of each label.")] = False,
    by_length: Annotated[bool, typer.Option("--by-length", help="Also all scores by length of the sentence.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write everything as JSON.")] = False,
) -> None:
    """Score constituents against a gold standard, as EVALB does with COLLINS.prm.

    **Examples**

    - `treewright constituents evaluate dev.mrg dev.parsed.mrg`
    - `treewright constituents evaluate dev.mrg dev.parsed.mrg --by-length --by-label`
    """
    from treewright.cli.evaluate import show_brackets
    from treewright.cli.sources import refuse_missing

    refuse_missing(gold, system)
    show_brackets(gold, system, by_label=by_label, by_length=by_length, as_json=as_json)
