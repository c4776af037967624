"""The baseline of constituent parsing: an unlexicalised PCFG, Markovised and annotated with parents."""

from treewright.constituency.pcfg.estimation import PcfgTrainer, train_pcfg
from treewright.constituency.pcfg.parser import Pcfg
from treewright.constituency.pcfg.transformation import Annotation, Symbol, restore, transform

__all__ = ["Annotation", "Pcfg", "PcfgTrainer", "Symbol", "restore", "train_pcfg", "transform"]
