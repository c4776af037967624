"""Learning: what turns a treebank into weights."""

from treewright.learning.online import Learner, Mira, Mistake, OnlineProblem, Perceptron
from treewright.learning.parsing import ParsingProblem
from treewright.learning.training import Epoch, Progress, Result, train

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
    "train",
]
