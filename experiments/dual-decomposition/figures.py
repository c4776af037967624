"""Figures 3 and 4 of Koo et al. (2010), and the accuracy of the models beside them."""

from __future__ import annotations

import numpy as np
from models import MODELS
from searches import BIN, FACTORIZATIONS, LIMITS
from tables import shown_treebank


def draw(results, pyplot):
    """Draw the models' UAS, Figure 3 and Figure 4."""
    figure, axes = pyplot.subplots(1, 3, figsize=(15, 4.5))
    names = [treebank.title for treebank in reversed(results.treebanks)]
    for mark, model in zip("o^s", MODELS, strict=True):
        axes[0].plot([results.uas(one, model) for one in reversed(results.treebanks)], names, mark, label=model)
    axes[0].grid(axis="y", linewidth=0.3)
    axes[0].set(title="Models (Table 1)", xlabel="UAS on dev")
    treebank = shown_treebank(results)
    for model in (model for model in FACTORIZATIONS if results.has(treebank, model)):
        curve = results.of(treebank, model, "search")["curves"]["DD-5000"]
        known = np.array(curve["running"]) > 0
        places = BIN * (np.arange(len(known)) + 0.5)
        axes[1].plot(places[known], np.array(curve["recomputed"])[known], label=model)
    axes[1].set(title=f"Lazy decoding (Figure 3), {treebank.title}", xlabel="iteration", ylabel="% of automata decoded")
    axes[1].set_ylim(bottom=0)
    draw_limits(results, treebank, axes[2])
    for axis in axes:
        axis.legend(fontsize=8)
    return figure


def draw_limits(results, treebank, axis):
    """Draw Figure 4: the steps of the paper with full lines, aimed steps with dashes."""
    curves = results.of(treebank, "Sib", "search")["curves"]
    words, sentences = sum(map(len, treebank.dev)), len(treebank.dev)
    for style, way in (("-", "DD-5000"), ("--", "aimed-5000")):
        within = np.array(curves[way]["within"])
        for column, (name, total) in enumerate(
            (("UAS", words), ("certificates", sentences), ("same as K = 5000", sentences))
        ):
            label = f"% {name}" + (", aimed" if way != "DD-5000" else "")
            axis.plot(LIMITS, 100 * within[:, column] / total, style, color=f"C{column}", label=label)
    axis.set(title=f"Early stopping (Figure 4), Sib, {treebank.title}", xlabel="K, the most iterations", ylabel="%")
