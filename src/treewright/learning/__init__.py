"""Learning: from a treebank to weights."""

from treewright.learning.exponentiated_gradient import LogLinearEG, MaxMargin
from treewright.learning.log_linear import LogLinear
from treewright.learning.online import Mira, Mistake, OnlineProblem, Perceptron
from treewright.learning.stochastic import StochasticGradient
from treewright.learning.training import Epoch, Learner, Progress, Result, Run, train

__all__ = [
    "Epoch",
    "Learner",
    "LogLinear",
    "LogLinearEG",
    "MaxMargin",
    "Mira",
    "Mistake",
    "OnlineProblem",
    "Perceptron",
    "Progress",
    "Result",
    "Run",
    "StochasticGradient",
    "train",
]
