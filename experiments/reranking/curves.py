"""Learning curves of boosting: scores, losses, Work and Savings (Collins and Koo 2005, section 5.4)."""

from __future__ import annotations

import numpy as np

from treewright.reranking.candidates.scoring import score_candidates
from treewright.reranking.learners.learning_curve import LearningCurve
from treewright.reranking.learners.losses import to_errors

#: At how many numbers of rounds scores are recorded, and losses.
POINTS, LOSS_POINTS = 120, 12
#: How many lists of train the score on train is measured on.
SOME = 400
#: Table 4 of the article.
RANGES = ((1, 10), (11, 100), (101, 1000), (1001, 10_000), (10_001, 50_000), (50_001, 100_000))


def record(material, boosted) -> dict:
    """Follow a model through its rounds."""
    points = _points(len(boosted), POINTS)
    some = np.linspace(0, material.train.sentences - 1, min(SOME, material.train.sentences)).astype(int)
    parts = {"train": material.train.take(some), "validation": material.validation, "dev": material.dev}
    found = {"points": points, "curves": {}}
    for name, part in parts.items():
        curve = LearningCurve(part, boosted.alpha)
        curve.extend(boosted.features, boosted.steps)
        base = float(part.score[part.base()].sum())
        found["curves"][name] = (100 * np.array(curve.scores)[points] / base).tolist()
    at = [point for point in _points(len(boosted), LOSS_POINTS) if point < len(boosted)]
    found["loss points"] = at
    for name in ("train", "validation"):
        found["curves"][f"log-likelihood {name}"] = [
            -log_loss(parts[name], score_candidates(parts[name], boosted.alpha, boosted.weights(n))) for n in at
        ]
    found["loss"] = (boosted.totals[at] / boosted.totals[0]).tolist()
    found["work"] = [boosted.passes(n) for n in points]
    found["savings"] = {f"{a}–{b}": boosted.savings(a, b) for a, b in RANGES if b <= len(boosted)}
    found["savings in all"] = boosted.savings()
    return found


def _points(rounds: int, count: int) -> list[int]:
    """Choose numbers of rounds, closer to each other in the beginning."""
    return sorted({0, *np.geomspace(1, max(rounds, 1), count).astype(int).tolist()})


def log_loss(candidates, scores) -> float:
    """Compute −log P of the best candidates, for a sentence on average (equation 9)."""
    return to_errors(candidates.offsets, candidates.is_best(), scores.copy()) / candidates.sentences
