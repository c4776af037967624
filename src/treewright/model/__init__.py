"""Models and their files: what a file is, how a model describes and restores itself, and the embedded models."""

from treewright.model.base import Described, Manifest, Model, nest, part
from treewright.model.embedded import embedded_models, find_model

__all__ = ["Described", "Manifest", "Model", "embedded_models", "find_model", "nest", "part"]
