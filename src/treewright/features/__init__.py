"""Features: a sentence in, part scores out; and, for learning, parts in, gradient out."""

from treewright.features.dependency import DependencyFeatures, WeightedParts
from treewright.features.generative import GenerativeModels
from treewright.features.hashing import Hashed
from treewright.features.lexicon import Lexicon, WordClusters
from treewright.features.settings import FeatureSettings
from treewright.features.weights import Weights

__all__ = [
    "DependencyFeatures",
    "FeatureSettings",
    "GenerativeModels",
    "Hashed",
    "Lexicon",
    "WeightedParts",
    "Weights",
    "WordClusters",
]
