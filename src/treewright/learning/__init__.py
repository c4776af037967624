"""Learning: what turns a treebank into weights."""

from treewright.learning.online import Mira, Mistake, OnlineProblem, Perceptron
from treewright.learning.parsing import ParsingProblem
from treewright.learning.training import Epoch, Learner, Progress, Result, Run, train

__all__ = [
    "Epoch",
    "Learner",
    "Mira",
    "Mistake",
    "OnlineProblem",
    "ParsingProblem",
    "Perceptron",
    "Progress",
    "Result",
    "Run",
    "train",
]
