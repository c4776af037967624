"""``treewright rerank mix``: one reranker from several."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from treewright.cli.command import command
from treewright.cli.options import ModelFile, Quiet
from treewright.cli.rerank.reading import read_file, score_all
from treewright.cli.rerank.train import describe_dev
from treewright.errors import UsageError
from treewright.options import Option

__all__ = ["mix"]


@command
def mix(
    models: Annotated[tuple[str, ...], Option("Models of rerank train.", metavar="MODEL...", positional=True)],
    dev: Annotated[str, Option("Candidates to find the weights of the models on.", metavar="CANDIDATES")],
    output: ModelFile,
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
        notice(f"Mixed on {held_out.sentences:,} sentences: {weights}{describe_dev(mixed)}.")
