"""``treewright rerank train`` and ``rerank mix``: rerankers from candidates with gold scores."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from treewright.cli.reranking import CandidateFile, Quiet, read_file, score_all
from treewright.errors import UsageError

if TYPE_CHECKING:
    from treewright.reranking import Candidates, Reranker
    from treewright.reranking.hidden import HiddenReranker, HiddenSettings, StochasticDescent

__all__ = ["mix", "train"]

#: In how many sentences a feature must occur, as the articles have it: of linear models, and of hidden-variable models.
CUTOFF, HIDDEN_CUTOFF = 5, 2

#: Epochs of hidden-variable models, and how many of them to wait for a better one.
EPOCHS, PATIENCE = 20, 3

Output = Annotated[Path, typer.Option(help="The model file to write.", show_default=False)]


def train(
    candidates: CandidateFile,
    output: Output,
    dev: Annotated[
        str | None, typer.Option(help="Candidates to find the best number of rounds on.", metavar="CANDIDATES")
    ] = None,
    learner: Annotated[
        Literal["boost", "log-bound", "log-selection", "log-linear", "perceptron", "hidden"],
        typer.Option(
            help="Boosting; the same on a bound of the log-loss; selection on the log-loss (slow); all features with "
            "a penalty; averaged perceptron; a hidden-variable model, which looks at the trees."
        ),
    ] = "boost",
    rounds: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Rounds at most; iterations of log-linear, epochs of perceptron and hidden. By default 100,000 for "
            "boost and log-bound, 1000 for log-selection and log-linear, 10 for perceptron, 20 for hidden.",
        ),
    ] = None,
    smoothing: Annotated[float, typer.Option(min=0.0, help="Epsilon of boosting.")] = 0.0025,
    importance: Annotated[
        Literal["score", "uniform"],
        typer.Option(help="Let pairs of candidates count by their difference in score, or the same."),
    ] = "score",
    alpha: Annotated[
        float | None, typer.Option(help="The weight of the base model; by default it is found.", show_default=False)
    ] = None,
    patience: Annotated[
        int | None,
        typer.Option(
            min=1, help="Stop when dev has not become better for so many rounds.", show_default="3 for hidden"
        ),
    ] = None,
    c: Annotated[
        float, typer.Option("--C", help="How much the data of log-linear and hidden count against the penalty.")
    ] = 1.0,
    cutoff: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="In how many sentences a feature must occur; an archive keeps its features.",
            show_default="5, and 2 for hidden",
        ),
    ] = None,
    domains: Annotated[
        str,
        typer.Option(
            help="Of hidden: the values of words: lexical, tag, highest, supersense, or such as tag:3+lexical."
        ),
    ] = "tag",
    structure: Annotated[
        Literal["head", "sibling"], typer.Option(help="Of hidden: which words are neighbours.")
    ] = "head",
    supersenses: Annotated[
        str | None, typer.Option(help="Of hidden: the table for values of the kind supersense.", metavar="FILE")
    ] = None,
    rate: Annotated[float, typer.Option(min=0.0, help="Of hidden: the size of the first step.")] = 0.1,
    seed: Annotated[int, typer.Option(min=0, help="Of the order of sentences, for perceptron and hidden.")] = 0,
    quiet: Quiet = False,
) -> None:
    """Train a reranker on lists of candidates with gold scores.

    **Examples**

    - `treewright rerank train train.jsonl.gz --dev dev.jsonl.gz --output my.tw`
    - `treewright rerank train train.npz --dev dev.npz --smoothing 0.001 --patience 20000 --output my.tw`
    - `treewright rerank train train.jsonl --learner log-linear --C 0.1 --output my.tw`
    - `treewright rerank train train.npz --dev dev.npz --learner hidden --domains lexical:3+tag:3 --output hidden.tw`
    """
    from treewright.cli.console import compiling, notice, share_done
    from treewright.cli.sources import refuse_missing
    from treewright.files import check_writable

    refuse_missing(*filter(None, (candidates, dev, supersenses)))
    check_writable(output)
    if patience is not None and dev is None:
        raise UsageError("--patience looks at dev data: add --dev CANDIDATES")
    if supersenses is not None and learner != "hidden":
        raise UsageError("--supersenses are hidden values: add --learner hidden")
    start = time.monotonic()
    model: Reranker
    if learner == "hidden":
        with compiling("rerank hidden"):
            from treewright.reranking.hidden import HiddenSettings, StochasticDescent

            settings = HiddenSettings(domains, structure, cutoff or HIDDEN_CUTOFF)
            descent = StochasticDescent(c, rate, seed=seed)
            epochs = rounds or EPOCHS, patience or PATIENCE
            model, training = _train_hidden(candidates, dev, settings, supersenses, descent, epochs, seed, quiet)
    else:
        with compiling("rerank"):
            from treewright.reranking import RerankingOptions, train_reranker

            options = RerankingOptions(learner, rounds, smoothing, importance, alpha, patience, c, seed)
            training = read_file(candidates, quiet, cutoff=cutoff or CUTOFF)
            held_out = None if dev is None else read_file(dev, quiet, training.names)
            with share_done("Training", quiet) as report:
                model = train_reranker(training, options, held_out, lambda done: report(done / options.number))
    model.save(output)
    if not quiet:
        if len(idle := training.undecided()):
            notice(
                f"In {len(idle):,} of {training.sentences:,} lists there is nothing to choose (one candidate only, or "
                f"all as good), the first of them number {idle[0] + 1:,}."
            )
        notice(f"Trained on {training.sentences:,} sentences in {time.monotonic() - start:.1f} s: {_summary(model)}.")


def _train_hidden(
    path: str,
    dev: str | None,
    settings: HiddenSettings,
    supersenses: str | None,
    learner: StochasticDescent,
    epochs: tuple[int, int],
    seed: int,
    quiet: bool,
) -> tuple[HiddenReranker, Candidates]:
    """Train a hidden-variable model, with the head rules that its candidates were listed with."""
    from dataclasses import replace

    from treewright.cli.console import share_done
    from treewright.reranking.hidden import Supersenses, TreeLists, train_hidden

    senses = None if supersenses is None else Supersenses.load(supersenses)
    training = read_file(path, quiet, ())
    if training.origin is not None:
        settings = replace(settings, rules=training.origin.rules)
    lists, held_out, total = TreeLists(training), None, training.sentences
    if dev is not None:
        others = read_file(dev, quiet, ())
        held_out, total = (TreeLists(others), others), total + others.sentences
    with share_done("Reading features", quiet) as read, share_done("Training", quiet) as report:
        model = train_hidden(
            lists,
            training,
            held_out,
            settings=settings,
            supersenses=senses,
            learner=learner,
            epochs=epochs[0],
            patience=epochs[1],
            seed=seed,
            on_sentence=lambda done: read(done / total),
            on_progress=lambda progress: report(progress.share),
        )
    return model, training


def mix(
    models: Annotated[
        list[str], typer.Argument(help="Models of rerank train.", show_default=False, metavar="MODEL...")
    ],
    dev: Annotated[
        str,
        typer.Option(help="Candidates to find the weights of the models on.", show_default=False, metavar="CANDIDATES"),
    ],
    output: Output,
    quiet: Quiet = False,
) -> None:
    """Mix rerankers with the base model, with the weights that are best on dev data.

    The result is one model file, with all of them in it, which other commands take like any reranker.

    **Examples**

    - `treewright rerank mix hidden-tag.tw hidden-lexical.tw --dev dev.npz --output mix.tw`
    - `treewright rerank mix hidden.tw boosted.tw --dev dev.npz --output mix.tw`
    """
    from treewright.cli.console import compiling, notice
    from treewright.cli.sources import refuse_missing
    from treewright.files import check_writable

    refuse_missing(*models, dev)
    check_writable(output)
    if len(set(models)) < len(models):
        raise UsageError("a model is named twice; name each once")
    with compiling("rerank mix"):
        import numpy as np

        from treewright.reranking import Reranker, mix_rerankers

        opened = {name: Reranker.open(name) for name in models}
        names: dict[str, None] = {}
        for model in opened.values():
            names.update(dict.fromkeys(model.vocabulary or ()))
        held_out = read_file(dev, quiet, list(names))
        scores = [score_all(model, held_out, quiet, Path(name).name) for name, model in opened.items()]
        mixed = mix_rerankers(opened, held_out, np.stack([held_out.log_probability, *scores]))
        mixed.save(output)
    if not quiet:
        weights = ", ".join(f"{name} {weight:.4g}" for name, weight in mixed.info["mixture"].items())
        notice(f"Mixed on {held_out.sentences:,} sentences: {weights}{_dev_summary(mixed)}.")


def _summary(model: Reranker) -> str:
    """Say what came out of training."""
    _, arrays = model.describe()
    said = f"{int((arrays['weights'] != 0).sum()):,} features have a weight"
    if "rounds" in model.info:
        said += f" after {model.info['rounds']:,} rounds"
    return said + _dev_summary(model)


def _dev_summary(model: Reranker) -> str:
    if "dev" not in model.info:
        return ""
    scores = model.info["dev"]
    return f"; dev {scores['chosen']:.4f}, base model {scores['base']:.4f}, best possible {scores['oracle']:.4f}"
