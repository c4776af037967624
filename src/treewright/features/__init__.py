"""Features: scorers, with a sentence in and part scores out; gradients of parts in and a gradient of weights out."""

from treewright.features.dependency import DependencyFeatures, WeightedParts
from treewright.features.generative import GenerativeModels
from treewright.features.hashing import Hashed
from treewright.features.lexicon import Lexicon, WordClusters
from treewright.features.scorer import LinearScorer, Scorer
from treewright.features.settings import FeatureSettings
from treewright.features.weights import Weights

__all__ = [
    "DependencyFeatures",
    "FeatureSettings",
    "GenerativeModels",
    "Hashed",
    "Lexicon",
    "LinearScorer",
    "Scorer",
    "WeightedParts",
    "Weights",
    "WordClusters",
]
