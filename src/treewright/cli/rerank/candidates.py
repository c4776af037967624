"""``treewright rerank candidates``: a treebank in, lists of candidates with features out."""

from __future__ import annotations

import itertools
import os
from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from treewright.cli.command import command
from treewright.cli.options import Quiet, check_language
from treewright.errors import UsageError
from treewright.options import EmptyElements, Options, option, required
from treewright.reranking.options import Distinct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treewright.parsing import Trainer
    from treewright.reranking import Candidates, CandidatesBuilder
    from treewright.reranking.candidates.kinds import Kind
    from treewright.reranking.candidates.origin import TreeKind

__all__ = ["candidates"]

#: In the lists of how many sentences a feature must occur (Collins and Koo 2005, section 5.2).
CUTOFF = 5


@dataclass(frozen=True)
class ListingFiles(Options):
    """What candidates are listed for, and where they go."""

    treebank: str = required(
        "The gold trees of the sentences to parse: brackets (.mrg) or CoNLL-U, plain or .gz/.xz.",
        metavar="TREEBANK",
        positional=True,
    )
    output: Path = required("The candidates to write: .npz, or JSON lines (.gz, .xz compress).")
    train: str | None = option(
        None,
        "Parse with one model trained on this treebank, as for dev; without it, TREEBANK is cut into chunks, and each "
        "parsed with a model trained on the others.",
    )
    features_of: str | None = option(
        None, "Candidates whose features to use, as for dev those of train; all others are left out."
    )


@dataclass(frozen=True)
class BaseParser(Options):
    """The parser that candidates come from."""

    parser: Literal["pcfg", "tag"] = option(
        "pcfg", "Of brackets: the base parser, a PCFG (quick), or that of treewright constituents train."
    )
    rules: str = option("collins", "Head rules of constituents: as for treewright convert.")
    empty: EmptyElements = option("penn", "Empty elements to remove from brackets: as for treewright convert.")
    order: Literal["first", "second"] = option("second", "Of --parser tag: as for treewright constituents train.")
    factorization: Literal["arc", "sibling", "grandchild", "carreras", "grand-sibling", "tri-sibling"] = option(
        "arc", "Of dependencies: which parts of a tree the base parser scores."
    )
    tags: Literal["predicted", "gold", "none"] = option(
        "predicted", "Of dependencies: whose tags the base parser sees; as for treewright train."
    )
    language: str = option(
        "", "The language of the treebank, as an ISO 639 code.", validate=check_language, shown="guessed from its words"
    )
    score: Literal["las", "uas"] = option("las", "Of dependencies: whether the best candidate has the right relations.")


@dataclass(frozen=True)
class ListingOptions(Options):
    """How candidates are listed."""

    k: int = option(50, "The number of candidates for each sentence at most.", min=1, flags=("--k", "-k"))
    within: float | None = option(
        None, "Leave out candidates whose log-probability is lower than the best by more than this.", min=0.0
    )
    distinct: Distinct = option(
        "scored",
        "Leave out candidates whose scored brackets (or arcs) equal a more probable one's, or equal trees only.",
    )
    chunks: int = option(20, "Into how many chunks to cut the treebank.", min=2)
    cutoff: int | None = option(
        None, "Leave out features of the lists of fewer sentences than this.", min=1, shown="5, and 1 with --train"
    )
    without: Collection[str] = option((), "Kinds of features to leave out, such as distance,closed-class.")
    trees: bool = option(True, "Write the trees themselves too.")
    resume: Path | None = option(
        None, "Keep finished chunks in this folder; after a crash the same command goes on from there."
    )
    workers: int = option(1, "Processes, each for one chunk; 0 is one for each core.", min=0)


@command
def candidates(files: ListingFiles, base: BaseParser, options: ListingOptions, quiet: Quiet = False) -> None:
    """List the k best trees of each sentence, with features of each and how good it is, to train a reranker on.

    No sentence is parsed by a model that saw it. Brackets are parsed by a PCFG, or by spines with --parser tag, and
    scored by F1 (EVALB, COLLINS.prm); CoNLL-U is parsed by a dependency parser and scored by right words.

    **Examples**

    - `treewright rerank candidates train.mrg.gz --output train.npz`
    - `treewright rerank candidates dev.mrg.gz --train train.mrg.gz --features-of train.npz --output dev.npz`
    - `treewright rerank candidates train.mrg.gz --parser tag --output train.npz -k 20 --resume parts`
    - `treewright rerank candidates train.conllu --output train.npz -k 20 --chunks 10 --workers 0 --resume parts`
    """
    from treewright.cli.console import compiling, notice
    from treewright.cli.sources import refuse_missing
    from treewright.files import check_writable

    refuse_missing(*filter(None, (files.treebank, files.train, files.features_of)))
    check_writable(files.output)
    with compiling("rerank candidates"), ExitStack() as stack:
        from treewright.reranking import write_candidates

        made = _list(files, base, options, stack, quiet)
        write_candidates(files.output, made)
    if not quiet:
        notice(f"{_describe(made)}: {files.output} ({os.path.getsize(files.output) / 1e6:.1f} MB).")


def _list(files: ListingFiles, base: BaseParser, options: ListingOptions, stack: ExitStack, quiet: bool) -> Candidates:
    """List the candidates, with their features and scores; what is finished is kept until the stack is left."""
    from treewright.cli.console import share_done
    from treewright.execution import Keep, make_executor
    from treewright.reranking import CandidatesBuilder, Origin, read_candidates
    from treewright.reranking.candidates.listing import list_candidates
    from treewright.reranking.candidates.scored_lists import add_lists
    from treewright.treebank import HeadRules

    found = _choose(files, base, threads=0 if options.workers == 1 else 1)
    gold, learned = found.read(files.treebank), None if files.train is None else found.read(files.train)
    origin = Origin(
        found.trees,
        found.parser,
        options.k,
        tuple(_kinds(options.without)),
        HeadRules.describe(base.rules),
        options.within,
        base.language or _guess([*gold, *(learned or ())]),
    )
    vocabulary = None if files.features_of is None else read_candidates(files.features_of).names
    builder = CandidatesBuilder(vocabulary, origin)
    lists = list_candidates(
        found.trainer,
        found.kind,
        gold if learned is None else learned,
        None if learned is None else gold,
        k=options.k,
        within=options.within,
        chunks=min(options.chunks, len(gold)),
        executor=stack.enter_context(make_executor(options.workers)),
        keep=None if options.resume is None else stack.enter_context(Keep(options.resume)),
        on_progress=stack.enter_context(share_done("Parsing", quiet)),
    )
    add_lists(builder, gold, lists, found.kind, origin.features(), texts=options.trees, distinct=options.distinct)
    return _build(builder, options.cutoff or (CUTOFF if files.train is None else 1))


def _choose(files: ListingFiles, base: BaseParser, threads: int) -> _Brackets | _Dependencies:
    """Return what to do with the trees of the files, by their names."""
    from treewright.cli.sources import is_bracketed

    found = {is_bracketed(path) for path in (files.treebank, files.train) if path is not None}
    if len(found) > 1:
        raise UsageError(
            f"{files.treebank} and {files.train} are different kinds of trees; both must be brackets, or CoNLL-U"
        )
    if found.pop():
        return _Brackets(base, threads)
    if base.parser == "tag":
        raise UsageError(f"--parser tag finds constituents, and {files.treebank} has dependencies; leave it out")
    return _Dependencies(base, threads)


class _Brackets:
    """Constituent trees, parsed by a PCFG or by spines."""

    trees: TreeKind = "constituents"

    def __init__(self, base: BaseParser, threads: int) -> None:
        from treewright.constituency.pcfg import PcfgTrainer
        from treewright.constituency.tag.options import ConstituentOptions
        from treewright.constituency.tag.training import TagTrainer
        from treewright.evaluation import BracketRules
        from treewright.reranking.candidates.kinds import Constituents

        self.parser, self.empty = base.parser, base.empty
        self.kind: Kind[Any] = Constituents(BracketRules(empty="keep"))  # as `read` left them
        options = ConstituentOptions(order=base.order, rules=base.rules, empty=base.empty, threads=threads)
        self.trainer: Trainer[Any] = PcfgTrainer() if base.parser == "pcfg" else TagTrainer(options)

    def read(self, path: str) -> Sequence[Any]:
        """Read trees, without what is not parsed."""
        from treewright.treebank import read_trees, simplify

        trees = [simplify(tree, empty=self.empty) for tree in read_trees(path, spaces="keep")]
        return _some([tree for tree in trees if tree is not None], path)


class _Dependencies:
    """Dependency trees."""

    trees: TreeKind = "dependencies"
    parser = "dependencies"

    def __init__(self, base: BaseParser, threads: int) -> None:
        from treewright.dependency.options import TrainingOptions
        from treewright.dependency.training import DependencyTrainer
        from treewright.reranking.candidates.kinds import Dependencies

        self.kind: Kind[Any] = Dependencies(relations=base.score == "las")
        options = TrainingOptions(factorization=base.factorization, tags=base.tags, threads=threads)
        self.trainer: Trainer[Any] = DependencyTrainer(options)

    def read(self, path: str) -> Sequence[Any]:
        """Read sentences that have words."""
        from treewright.cli.sources import treebank_format
        from treewright.treebank import read

        return _some([sentence for sentence in read(path, treebank_format(path)) if len(sentence)], path)


def _guess(trees: Sequence[Any]) -> str:
    """Guess the language of trees, from their words."""
    from treewright.tokenization import guess_language

    words = (tree.forms if hasattr(tree, "forms") else tree.words for tree in trees[:1_000])
    return guess_language(itertools.chain.from_iterable(words))


def _some(trees: list[Any], path: str) -> list[Any]:
    if not trees:
        raise UsageError(f"{path} has no trees with words in them")
    return trees


def _kinds(without: Collection[str]) -> list[str]:
    """Return the kinds of features that are left; what is left out must be there."""
    from treewright.reranking.features import KINDS, Extractor

    left_out = Extractor(without).kinds
    return [kind for kind in KINDS if kind not in left_out]


def _build(builder: CandidatesBuilder, cutoff: int) -> Candidates:
    made = builder.build(cutoff)
    if not made.feature_count:
        raise UsageError("no feature is left; lower --cutoff, or leave out fewer kinds of them")
    return made


def _describe(made: Candidates) -> str:
    """Return how much there is, and how good: the mean accuracy of the first candidates, and of the best, by size."""
    total = 0.0 if made.size is None else made.size[made.offsets[:-1]].sum()
    first, best = (100 * made.score[chosen].sum() / max(total, 1.0) for chosen in (made.base(), made.oracle()))
    lists = f"{made.sentences:,} lists of {len(made) / made.sentences:.1f} candidates, {made.feature_count:,} features"
    return f"Wrote {lists}, score {first:.2f} of the most probable and {best:.2f} of the best"
