"""Draw the arc probabilities of a sentence under the embedded English model into ``docs/arc-probabilities.png``."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np

import treewright

matplotlib.use("Agg")
from matplotlib import pyplot

parser = treewright.load("en")
[sentence] = parser.parse("She saw the man with the telescope.")
scores = parser.scorer.score(sentence)
probabilities = parser.trees.marginals(scores).arc[:, 1:]

figure, axes = pyplot.subplots(figsize=(6.5, 5.5))
axes.imshow(probabilities, cmap="Blues", vmin=0, vmax=1)
for h, m in np.argwhere(probabilities > 0.005):
    color = "white" if probabilities[h, m] > 0.5 else "black"
    axes.text(m, h, f"{probabilities[h, m]:.2f}", ha="center", va="center", fontsize=8, color=color)
axes.set_xticks(range(len(sentence)), sentence.forms, rotation=45, ha="right")
axes.set_yticks(range(len(sentence) + 1), ["ROOT", *sentence.forms])
axes.set(xlabel="modifier", ylabel="head", title="Probability of each arc")
figure.tight_layout()
figure.savefig(Path(__file__).parents[1] / "docs" / "arc-probabilities.png", dpi=100)
