"""``treewright train``: a treebank in, a model out."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from treewright.cli.command import command
from treewright.cli.options import Execution, ModelInfo, OnError, ScorerOptions, TrainingFiles
from treewright.dependency.options import TrainingOptions
from treewright.errors import UsageError
from treewright.neural.options import EVALUATIONS, NetworkOptions
from treewright.options import Options, option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from treewright.clustering import Clusters
    from treewright.dependency.parser import Parser
    from treewright.treebank import Sentence

__all__ = ["train"]


@dataclass(frozen=True)
class RawData(Options):
    """What is learned from beside the treebank."""

    clusters: str | None = option(None, "Word clusters, as treewright cluster writes them, to add features of.")
    silver: tuple[str, ...] = option(
        (),
        "Trees of raw text by a better model, such as treewright parse writes: learned from like the "
        "treebank; can be given several times.",
    )
    unlabeled: tuple[str, ...] = option(
        (),
        "Raw text to learn from too, a tokenized sentence on each line, plain or .gz/.xz; can be given several times.",
    )


@dataclass(frozen=True)
class Parts(Options):
    """What of a model is learned."""

    only: Collection[Literal["tokenizer", "lemmas"]] = option(
        (), "Learn these parts of the model --base anew, and leave the rest of it as it is."
    )
    base: str | None = option(None, "With --only: the name of a model, or a model file.", metavar="MODEL")

    def __post_init__(self) -> None:
        """Check that both are given, or neither."""
        super().__post_init__()
        if bool(self.only) != (self.base is not None):
            raise UsageError("--only and --base belong together: which parts are learned anew, and of which model")

    def refuse_useless(self, is_neural: bool, data: RawData) -> None:
        """Refuse what parts that are learned anew would not heed."""
        if self.only and (is_neural or data.clusters or data.silver or data.unlabeled):
            raise UsageError(
                "--only learns from the treebank: leave out --scorer, --clusters, --silver and --unlabeled"
            )


@dataclass(frozen=True)
class BatchExecution(Execution):
    """Where batches and raw text are worked on."""

    workers: int | None = option(
        None, "With batches or raw text: processes to use; 0 is one for each core.", min=0, shown="0"
    )


@command
def train(
    files: TrainingFiles,
    options: TrainingOptions,
    scorer: ScorerOptions,
    data: RawData,
    parts: Parts,
    execution: BatchExecution,
    about: ModelInfo,
    errors: OnError,
) -> None:
    """Train a parser on a treebank.

    Ctrl-C ends training early and keeps the best model so far. The file is written whole or not at all.

    **Examples**

    - `treewright train train.conllu --dev dev.conllu --output my.tw --language en`
    - `treewright train train.conllu --dev dev.conllu --output best.tw --factorization grand-sibling`
    - `treewright train train.conllu --dev dev.conllu --output my.tw --tags gold --learner log-linear`
    - `treewright train train.conllu --dev dev.conllu --output my.tw --clusters en.paths`
    - `treewright train train.conllu --dev dev.conllu --output new.tw --only tokenizer --base my.tw`
    - `treewright train train.conllu --dev dev.conllu --output my.tw --silver silver.conllu.gz --folds 4`
    - `treewright train train.conllu --dev dev.conllu --output my.tw --unlabeled raw.txt.xz --factorization carreras`
    - `treewright train t.conllu --dev dev.conllu --output b.tw --learner log-linear --optimizer l-bfgs --workers 8`
    - `treewright train train.conllu.gz --dev dev.conllu.gz --output free.tw --trees nonprojective --roots multi`
    - `treewright train t.conllu --dev dev.conllu --output d.tw --trees nonprojective --factorization grand-sibling`
    - `treewright train train.conllu --dev dev.conllu --output my.tw --scorer neural --resume checkpoints`
    - `treewright train train.conllu --dev dev.conllu --output my.tw --scorer neural --encoder encoder.tw`
    """
    from treewright.cli.console import compiling
    from treewright.cli.sources import refuse_missing
    from treewright.cli.training import show_interrupted, show_result, show_training
    from treewright.files import check_writable
    from treewright.treebank import RawText

    refuse_missing(files.treebank, files.dev, *filter(None, [data.clusters]), *data.silver, *data.unlabeled)
    check_writable(files.output)
    is_neural = scorer.scorer == "neural"
    _refuse_useless(options, data, execution, is_neural)
    parts.refuse_useless(is_neural, data)
    learner = f"--learner {options.learner} --factorization {options.chosen_factorization}"
    task = "--only" if parts.only else "--scorer neural" if is_neural else learner
    with compiling(f"train {task}"), ExitStack() as stack:
        report = stack.enter_context(show_training(EVALUATIONS if is_neural else options.most_epochs))
        given: dict[str, Any] = {"options": options, "info": about.describe(files.output), "report": report}
        given |= {"treebank": read_treebank(files.treebank, errors), "dev": read_treebank(files.dev, errors)}
        raw: dict[str, Any] = {"unlabeled": RawText(data.unlabeled)} if data.unlabeled else {}
        if parts.base is not None:
            from treewright.dependency.parser import Parser
            from treewright.dependency.relearning import relearn

            parser = relearn(Parser.open(parts.base), only=parts.only, **given)
        elif is_neural:
            parser = _train_network(scorer.network, execution.resume, given | raw)
        else:
            from treewright.dependency.training import train_parser

            given["silver"] = chain.from_iterable(read_treebank(path, errors) for path in data.silver)
            given["clusters"] = data.clusters and _read_clusters(data.clusters, files.treebank, about.language)
            given["executor"] = stack.enter_context(execution.executor()) if options.is_batch or raw else None
            given["keep"] = stack.enter_context(execution.keep())
            parser = train_parser(**given, **raw)
        parser.save(files.output)
    show_result(files.output, parser.info)
    if is_neural:
        show_interrupted(parser.info, execution.resume)


def _train_network(network: NetworkOptions, folder: Path | None, given: dict[str, Any]) -> Parser:
    """Train a network; checkpoints are kept in a folder, if there is one."""
    from treewright.dependency.neural_training import train_neural_parser

    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    return train_neural_parser(network=network, folder=folder, **given)


def _refuse_useless(options: TrainingOptions, data: RawData, execution: BatchExecution, is_neural: bool) -> None:
    """Refuse options that nothing would heed."""
    is_spread = execution.workers is not None or execution.cluster is not None
    if is_neural and (data.clusters or data.silver or is_spread):
        raise UsageError("a neural scorer has no --clusters, --silver, --workers and --cluster: leave them out")
    if is_spread and not options.is_batch and not data.unlabeled:
        raise UsageError(
            "--workers and --cluster are for gradients in batches and for raw text: choose --optimizer l-bfgs or "
            "cg, or give --unlabeled"
        )


def _read_clusters(path: str, treebank: str, language: str) -> Clusters:
    """Read clusters, and refuse those of another language than the treebank's."""
    from treewright.cli.sources import treebank_format
    from treewright.clustering import Clusters
    from treewright.tokenization import differs, guess_language, name_of_language
    from treewright.treebank import read

    clusters = Clusters.read(path)
    sentences = islice(read(treebank, treebank_format(treebank), "skip"), 500)
    own = language or guess_language(word for sentence in sentences for word in sentence.forms)
    theirs = differs({word: clusters.count(word) for word in clusters}, own)
    if theirs:
        raise UsageError(
            f"{path} has clusters of {theirs}, and the treebank is {name_of_language(own)}: make some of text in the "
            "same language with treewright cluster"
        )
    return clusters


def read_treebank(path: str, errors: OnError) -> Iterator[Sentence]:
    """Read a treebank lazily, and report what is skipped."""
    from treewright.cli.sources import count_skipped, treebank_format
    from treewright.treebank import read

    return count_skipped(path, "sentence", lambda note: read(path, treebank_format(path), errors.mode, note))
