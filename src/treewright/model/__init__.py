"""Models and their files: what a file is, how a model describes itself and is made smaller, the embedded models."""

from treewright.model.base import Described, Manifest, Model, nest, part
from treewright.model.catalogue import FROM_RAW_TEXT, FROM_TOKENS, Catalogue, find_model, read_catalogue
from treewright.model.embedded import embedded_models
from treewright.model.slimming import slim

__all__ = [
    "FROM_RAW_TEXT",
    "FROM_TOKENS",
    "Catalogue",
    "Described",
    "Manifest",
    "Model",
    "embedded_models",
    "find_model",
    "nest",
    "part",
    "read_catalogue",
    "slim",
]
