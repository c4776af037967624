"""The baseline of constituent parsing: an unlexicalised PCFG, Markovised and annotated with parents."""

from treewright.constituency.pcfg.estimation import train_pcfg
from treewright.constituency.pcfg.model import Pcfg, ScoredTree
from treewright.constituency.pcfg.transformation import Annotation, Symbol, restore, transform

__all__ = ["Annotation", "Pcfg", "ScoredTree", "Symbol", "restore", "train_pcfg", "transform"]
