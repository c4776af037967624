"""How good the trees are: attachment scores, breakdowns, significance tests and calibration.

Everything here takes sentences and gives numbers: it knows neither models nor files.
"""

from treewright.evaluation.attachment import Evaluation, evaluate
from treewright.evaluation.calibration import Calibration, ReliabilityBin, measure_calibration
from treewright.evaluation.punctuation import PUNCTUATION_RULES, Punctuation, is_punctuation
from treewright.evaluation.report import render_calibration, render_comparison, render_evaluation
from treewright.evaluation.score import Score
from treewright.evaluation.significance import Comparison, PairedTest, compare, paired_test

__all__ = [
    "PUNCTUATION_RULES",
    "Calibration",
    "Comparison",
    "Evaluation",
    "PairedTest",
    "Punctuation",
    "ReliabilityBin",
    "Score",
    "compare",
    "evaluate",
    "is_punctuation",
    "measure_calibration",
    "paired_test",
    "render_calibration",
    "render_comparison",
    "render_evaluation",
]
