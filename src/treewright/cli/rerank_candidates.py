"""``treewright rerank candidates``: a treebank in, lists of candidates with features out."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from treewright.cli.options import Quiet
from treewright.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treewright.parsing import Trainer
    from treewright.reranking import Candidates, CandidatesBuilder
    from treewright.reranking.candidates.kinds import Kind
    from treewright.reranking.candidates.origin import TreeKind
    from treewright.treebank.constituents.simplification import EmptyElements

__all__ = ["candidates"]

#: In the lists of how many sentences a feature must occur (Collins and Koo 2005, section 5.2).
CUTOFF = 5


def candidates(
    treebank: Annotated[
        str,
        typer.Argument(
            help="The gold trees of the sentences to parse: brackets (.mrg) or CoNLL-U, plain or .gz/.xz.",
            metavar="TREEBANK",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(help="The candidates to write: .npz, or JSON lines (.gz, .xz compress).", show_default=False),
    ],
    train: Annotated[
        str | None,
        typer.Option(
            help="Parse with one model trained on this treebank, as for dev; without, TREEBANK is cut into chunks, and "
            "each parsed with a model trained on the others.",
            show_default=False,
        ),
    ] = None,
    parser: Annotated[
        Literal["pcfg", "tag"],
        typer.Option(help="Of brackets: the base parser, a PCFG (quick), or that of treewright constituents train."),
    ] = "pcfg",
    k: Annotated[
        int, typer.Option("--k", "-k", min=1, help="The number of candidates for each sentence at most.")
    ] = 50,
    chunks: Annotated[int, typer.Option(min=2, help="Into how many chunks to cut the treebank.")] = 20,
    features_of: Annotated[
        str | None,
        typer.Option(
            help="Candidates whose features to use, as for dev those of train; all others are left out.",
            show_default=False,
        ),
    ] = None,
    cutoff: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Leave out features of the lists of fewer sentences than this.",
            show_default="5, and 1 with --train",
        ),
    ] = None,
    without: Annotated[
        str,
        typer.Option(help="Kinds of features to leave out, such as distance,closed-class.", show_default=False),
    ] = "",
    rules: Annotated[str, typer.Option(help="Head rules of constituents: as for treewright convert.")] = "collins",
    empty: Annotated[
        Literal["penn", "historical", "keep"],
        typer.Option(help="Empty elements to remove from brackets: as for treewright convert."),
    ] = "penn",
    order: Annotated[
        Literal["first", "second"], typer.Option(help="Of --parser tag: as for treewright constituents train.")
    ] = "second",
    factorization: Annotated[
        Literal["arc", "sibling", "grandchild", "carreras", "grand-sibling", "tri-sibling"],
        typer.Option(help="Of dependencies: which parts of a tree the base parser scores."),
    ] = "arc",
    tags: Annotated[
        Literal["predicted", "gold", "none"],
        typer.Option(help="Of dependencies: whose tags the base parser sees; as for treewright train."),
    ] = "predicted",
    score: Annotated[
        Literal["las", "uas"], typer.Option(help="Of dependencies: whether the best candidate has the right relations.")
    ] = "las",
    trees: Annotated[bool, typer.Option("--trees/--no-trees", help="Write the trees themselves as well.")] = True,
    resume: Annotated[
        Path | None,
        typer.Option(
            help="A folder for chunks that are finished, so that the same command goes on after a crash.",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=0, help="Processes, each for one chunk; 0 is one for each core.")] = 1,
    quiet: Quiet = False,
) -> None:
    """List the k best trees of each sentence, with features of each and how good it is, to train a reranker on.

    No sentence is parsed by a model that saw it. Brackets are parsed by a PCFG, or by spines with --parser tag, and
    scored by F1 (EVALB, COLLINS.prm); CoNLL-U is parsed by a dependency parser and scored by right words.

    **Examples**

    - `treewright rerank candidates train.mrg.gz --output train.npz`
    - `treewright rerank candidates dev.mrg.gz --train train.mrg.gz --features-of train.npz --output dev.npz`
    - `treewright rerank candidates train.mrg.gz --parser tag --output train.npz -k 20 --resume parts`
    - `treewright rerank candidates train.conllu --output train.npz -k 20 --chunks 10 --workers 0 --resume parts`
    """
    from treewright.cli.console import compiling, notice, share_done
    from treewright.cli.sources import refuse_missing
    from treewright.files import check_writable

    refuse_missing(*(path for path in (treebank, train, features_of) if path is not None))
    check_writable(output)
    with compiling("candidates"), ExitStack() as stack:
        from treewright.execution import Keep, make_executor
        from treewright.reranking import CandidatesBuilder, Origin, read_candidates, write_candidates
        from treewright.reranking.candidates.listing import list_candidates
        from treewright.reranking.candidates.scored_lists import add_lists
        from treewright.treebank import HeadRules

        found: _Brackets | _Dependencies
        threads = 0 if workers == 1 else 1
        if _is_bracketed(treebank, train):
            found = _Brackets(parser, order, rules, empty, threads)
        elif parser == "tag":
            raise UsageError(f"--parser tag finds constituents, and {treebank} has dependencies; leave it out")
        else:
            found = _Dependencies(factorization, tags, score == "las", threads)
        origin = Origin(found.trees, found.parser, k, tuple(_kinds(without)), HeadRules.describe(rules))
        gold, learned = found.read(treebank), None if train is None else found.read(train)
        vocabulary = None if features_of is None else read_candidates(features_of).names
        builder = CandidatesBuilder(vocabulary, origin)
        lists = list_candidates(
            found.trainer,
            found.kind,
            gold if learned is None else learned,
            None if learned is None else gold,
            k=k,
            chunks=min(chunks, len(gold)),
            executor=stack.enter_context(make_executor(workers)),
            keep=None if resume is None else stack.enter_context(Keep(resume)),
            on_progress=stack.enter_context(share_done("Parsing", quiet)),
        )
        add_lists(builder, gold, lists, found.kind, origin.features(), texts=trees)
        made = _build(builder, cutoff or (CUTOFF if train is None else 1))
        write_candidates(output, made)
    if not quiet:
        notice(f"{_summary(made)}: {output} ({os.path.getsize(output) / 1e6:.1f} MB).")


class _Brackets:
    """Constituent trees, parsed by a PCFG or by spines."""

    trees: TreeKind = "constituents"

    def __init__(
        self, parser: str, order: Literal["first", "second"], rules: str, empty: EmptyElements, threads: int
    ) -> None:
        from treewright.constituency.pcfg import PcfgTrainer
        from treewright.constituency.tag.options import ConstituentOptions
        from treewright.constituency.tag.training import TagTrainer
        from treewright.reranking.candidates.kinds import Constituents

        self.parser, self.empty = parser, empty
        self.kind: Kind[Any] = Constituents()
        options = ConstituentOptions(order=order, rules=rules, empty=empty, threads=threads)
        self.trainer: Trainer[Any] = PcfgTrainer() if parser == "pcfg" else TagTrainer(options)

    def read(self, path: str) -> Sequence[Any]:
        """Read trees, without what is not parsed."""
        from treewright.treebank import read_trees, simplify

        trees = [simplify(tree, empty=self.empty) for tree in read_trees(path, spaces="keep")]
        return _some([tree for tree in trees if tree is not None], path)


class _Dependencies:
    """Dependency trees."""

    trees: TreeKind = "dependencies"
    parser = "dependencies"

    def __init__(self, factorization: str, tags: Literal["predicted", "gold", "none"], las: bool, threads: int) -> None:
        from treewright.dependency.options import TrainingOptions
        from treewright.dependency.training import DependencyTrainer
        from treewright.reranking.candidates.kinds import Dependencies

        self.kind: Kind[Any] = Dependencies(relations=las)
        options = TrainingOptions(factorization=factorization, tags=tags, threads=threads)
        self.trainer: Trainer[Any] = DependencyTrainer(options)

    def read(self, path: str) -> Sequence[Any]:
        """Read sentences that have words."""
        from treewright.cli.sources import treebank_format
        from treewright.treebank import read

        return _some([sentence for sentence in read(path, treebank_format(path)) if len(sentence)], path)


def _is_bracketed(treebank: str, train: str | None) -> bool:
    from treewright.cli.sources import is_bracketed

    found = {is_bracketed(path) for path in (treebank, train) if path is not None}
    if len(found) > 1:
        raise UsageError(f"{treebank} and {train} are different kinds of trees; both must be brackets, or CoNLL-U")
    return found.pop()


def _some(trees: list[Any], path: str) -> list[Any]:
    if not trees:
        raise UsageError(f"{path} has no trees with words in them")
    return trees


def _kinds(without: str) -> list[str]:
    """Give the kinds of features that are left; what is left out must be there."""
    from treewright.reranking.features import KINDS, Extractor

    left_out = Extractor(filter(None, without.replace(" ", "").split(","))).kinds
    return [kind for kind in KINDS if kind not in left_out]


def _build(builder: CandidatesBuilder, cutoff: int) -> Candidates:
    made = builder.build(cutoff)
    if not made.feature_count:
        raise UsageError("no feature is left; lower --cutoff, or leave out fewer kinds of them")
    return made


def _summary(made: Candidates) -> str:
    """Tell how much there is, and how good: the mean accuracy of the first candidates, and of the best, by size."""
    total = 0.0 if made.size is None else made.size[made.offsets[:-1]].sum()
    first, best = (100 * made.score[chosen].sum() / max(total, 1.0) for chosen in (made.base(), made.oracle()))
    lists = f"{made.sentences:,} lists of {len(made) / made.sentences:.1f} candidates, {made.feature_count:,} features"
    return f"Wrote {lists}, score {first:.2f} of the most probable and {best:.2f} of the best"
