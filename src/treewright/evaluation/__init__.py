"""Evaluation: attachment scores, bracket scores, breakdowns, significance tests and calibration.

Everything here takes sentences or trees and returns numbers; it knows neither models nor files.
"""

from treewright.evaluation.alternatives import score_alternatives
from treewright.evaluation.attachment import Evaluation, evaluate
from treewright.evaluation.bootstrap import Bootstrap, paired_bootstrap
from treewright.evaluation.bracket_comparison import BracketComparison, compare_brackets
from treewright.evaluation.bracket_report import render_bracket_comparison, render_brackets
from treewright.evaluation.brackets import (
    COLLINS,
    BracketEvaluation,
    BracketRules,
    BracketScores,
    count_brackets,
    evaluate_brackets,
)
from treewright.evaluation.calibration import measure_calibration, measure_calibrations
from treewright.evaluation.evaluation_report import render_evaluation
from treewright.evaluation.figure import draw_calibrations
from treewright.evaluation.punctuation import PUNCTUATION_RULES, Punctuation, is_punctuation
from treewright.evaluation.reliability import Calibration, ReliabilityBin, Subject
from treewright.evaluation.report import render_calibration, render_comparison
from treewright.evaluation.score import Score
from treewright.evaluation.significance import Comparison, PairedTest, compare, paired_test
from treewright.evaluation.tree_calibration import has_same_phrases, measure_tree_calibration

__all__ = [
    "COLLINS",
    "PUNCTUATION_RULES",
    "Bootstrap",
    "BracketComparison",
    "BracketEvaluation",
    "BracketRules",
    "BracketScores",
    "Calibration",
    "Comparison",
    "Evaluation",
    "PairedTest",
    "Punctuation",
    "ReliabilityBin",
    "Score",
    "Subject",
    "compare",
    "compare_brackets",
    "count_brackets",
    "draw_calibrations",
    "evaluate",
    "evaluate_brackets",
    "has_same_phrases",
    "is_punctuation",
    "measure_calibration",
    "measure_calibrations",
    "measure_tree_calibration",
    "paired_bootstrap",
    "paired_test",
    "render_bracket_comparison",
    "render_brackets",
    "render_calibration",
    "render_comparison",
    "render_evaluation",
    "score_alternatives",
]
