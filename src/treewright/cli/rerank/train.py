"""``treewright rerank train``: a reranker from candidates with gold scores."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from treewright.cli.command import command
from treewright.cli.options import ModelFile, Quiet
from treewright.cli.rerank.reading import CandidateFile, read_file
from treewright.errors import UsageError
from treewright.options import option
from treewright.reranking.options import HiddenSettings, RerankingOptions

if TYPE_CHECKING:
    from treewright.reranking import Candidates, Reranker
    from treewright.reranking.hidden import HiddenReranker

__all__ = ["describe_dev", "train"]

#: In how many sentences a feature must occur, as the articles have it: of linear models, and of hidden-variable models.
CUTOFF, HIDDEN_CUTOFF = 5, 2

#: Epochs of stochastic and iterations of conjugate gradient descent, and how many of them to wait for a better one.
EPOCHS, PATIENCE = {"sgd": 20, "cg": 100}, {"sgd": 3, "cg": 10}


@dataclass(frozen=True)
class TrainOptions(RerankingOptions):
    """How a reranker is trained, hidden-variable models among them."""

    learner: Literal["boost", "log-bound", "log-selection", "log-linear", "perceptron", "hidden"] = option(  # type: ignore[assignment]
        "boost",
        "Boosting; the same on a bound of the log-loss; selection on the log-loss (slow); all features with a penalty; "
        "averaged perceptron; a hidden-variable model, which looks at the trees.",
    )
    rounds: int | None = option(
        None,
        "Rounds at most; iterations of log-linear, epochs of perceptron and hidden.",
        min=1,
        shown="100,000 for boost and log-bound, 1000 for log-selection and log-linear, 10 for perceptron, 20 for "
        "hidden, 100 with --optimizer cg",
    )
    patience: int | None = option(
        None,
        "Stop after this many rounds without a better score on dev.",
        min=1,
        shown="3 for hidden, 10 with --optimizer cg",
    )


@dataclass(frozen=True)
class HiddenOptions(HiddenSettings):
    """What a hidden-variable model looks at, and how it is trained."""

    cutoff: int | None = option(  # type: ignore[assignment]
        None,
        "In how many sentences a feature must occur; an archive keeps its features.",
        min=1,
        shown="5, and 2 for hidden",
    )
    dev: str | None = option(None, "Candidates to find the best number of rounds on.", metavar="CANDIDATES")
    supersenses: str | None = option(None, "Of hidden: the table for values of the kind supersense.", metavar="FILE")
    optimizer: Literal["sgd", "cg"] | None = option(
        None, "Of hidden: stochastic gradient descent, or conjugate gradient.", shown="sgd"
    )
    rate: float = option(0.1, "Of hidden with --optimizer sgd: the size of the first step.", min=0.0)


@command
def train(
    candidates: CandidateFile, output: ModelFile, options: TrainOptions, more: HiddenOptions, quiet: Quiet = False
) -> None:
    """Train a reranker on lists of candidates with gold scores.

    **Examples**

    - `treewright rerank train train.jsonl.gz --dev dev.jsonl.gz --output my.tw`
    - `treewright rerank train train.npz --dev dev.npz --smoothing 0.001 --patience 20000 --output my.tw`
    - `treewright rerank train train.jsonl --learner log-linear --C 0.1 --output my.tw`
    - `treewright rerank train train.npz --dev dev.npz --learner hidden --domains lexical:3+tag:3 --output hidden.tw`
    - `treewright rerank train train.npz --dev dev.npz --learner hidden --optimizer cg --no-base-feature --output cg.tw`
    """
    from treewright.cli.console import compiling, notice
    from treewright.cli.sources import refuse_missing
    from treewright.files import check_writable

    refuse_missing(*filter(None, (candidates, more.dev, more.supersenses)))
    check_writable(output)
    if options.patience is not None and more.dev is None:
        raise UsageError("--patience looks at dev data: add --dev CANDIDATES")
    if more.supersenses is not None and options.learner != "hidden":
        raise UsageError("--supersenses are hidden values: add --learner hidden")
    start, is_hidden = time.monotonic(), options.learner == "hidden"
    if more.optimizer is not None and not is_hidden:
        raise UsageError(f"--optimizer {more.optimizer} is for hidden-variable models: add --learner hidden")
    with compiling(f"rerank train{' --learner hidden' if is_hidden else ''}"):
        model, training = (_train_hidden if is_hidden else _train_linear)(candidates, options, more, quiet)
    model.save(output)
    if quiet:
        return
    if len(idle := training.undecided()):
        notice(
            f"In {len(idle):,} of {training.sentences:,} lists there is nothing to choose (one candidate only, or all "
            f"as good), the first of them number {idle[0] + 1:,}."
        )
    notice(f"Trained on {training.sentences:,} sentences in {time.monotonic() - start:.1f} s: {_describe(model)}.")


def _train_linear(path: str, options: TrainOptions, more: HiddenOptions, quiet: bool) -> tuple[Reranker, Candidates]:
    from treewright.cli.console import share_done
    from treewright.reranking import train_reranker

    training = read_file(path, quiet, cutoff=more.cutoff or CUTOFF)
    held_out = None if more.dev is None else read_file(more.dev, quiet, training.names)
    with share_done("Training", quiet) as report:
        return train_reranker(training, options, held_out, lambda done: report(done / options.number)), training


def _train_hidden(
    path: str, options: TrainOptions, more: HiddenOptions, quiet: bool
) -> tuple[HiddenReranker, Candidates]:
    """Train a hidden-variable model, with the head rules that its candidates were listed with."""
    from treewright.cli.console import share_done
    from treewright.reranking.hidden import (
        ConjugateGradient,
        StochasticDescent,
        Supersenses,
        TreeLists,
        train_hidden,
    )

    senses = None if more.supersenses is None else Supersenses.load(more.supersenses)
    training = read_file(path, quiet, ())
    rules = "collins" if training.origin is None else training.origin.rules
    cutoff = more.cutoff or HIDDEN_CUTOFF
    settings = HiddenSettings(more.domains, more.structure, cutoff, rules, base_feature=more.base_feature)
    sgd = StochasticDescent(options.C, more.rate, seed=options.seed)
    cg = ConjugateGradient(options.C, seed=options.seed)
    lists, held_out, total = TreeLists(training), None, training.sentences
    if more.dev is not None:
        others = read_file(more.dev, quiet, ())
        held_out, total = (TreeLists(others), others), total + others.sentences
    with share_done("Reading features", quiet) as read, share_done("Training", quiet) as report:
        model = train_hidden(
            lists,
            training,
            held_out,
            settings=settings,
            supersenses=senses,
            learner=cg if more.optimizer == "cg" else sgd,
            epochs=options.rounds or EPOCHS[more.optimizer or "sgd"],
            patience=options.patience or PATIENCE[more.optimizer or "sgd"],
            seed=options.seed,
            ties=options.ties,
            on_sentence=lambda done: read(done / total),
            on_progress=lambda progress: report(progress.share),
        )
    return model, training


def _describe(model: Reranker) -> str:
    """Return what came out of training, in words."""
    _, arrays = model.describe()
    said = f"{int((arrays['weights'] != 0).sum()):,} features have a weight"
    if "rounds" in model.info:
        said += f" after {model.info['rounds']:,} rounds"
    return said + describe_dev(model)


def describe_dev(model: Reranker) -> str:
    """Return the scores of a model on dev data in words, if it has any."""
    if "dev" not in model.info:
        return ""
    scores = model.info["dev"]
    return f"; dev {scores['chosen']:.4f}, base model {scores['base']:.4f}, best possible {scores['oracle']:.4f}"
