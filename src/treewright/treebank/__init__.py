"""Sentences and trees, and the files that hold them."""

from treewright.treebank.conllu.confidence import expected_errors
from treewright.treebank.conllu.drawing import draw_text
from treewright.treebank.conllu.latex import sentence_to_latex
from treewright.treebank.conllu.projectivity import is_projective, projectivize
from treewright.treebank.conllu.reader import Reader, read, read_string
from treewright.treebank.conllu.svg import sentence_to_svg
from treewright.treebank.conllu.writer import format_sentence, write
from treewright.treebank.constituents.dependencies import to_dependencies
from treewright.treebank.constituents.drawing import draw_tree
from treewright.treebank.constituents.head_learning import learn_head_rules
from treewright.treebank.constituents.heads import HeadRules, find_head_children, find_head_words
from treewright.treebank.constituents.latex import tree_to_latex
from treewright.treebank.constituents.reader import TreeReader, read_trees, read_trees_string
from treewright.treebank.constituents.simplification import escape_brackets, simplify, unescape_brackets
from treewright.treebank.constituents.svg import tree_to_svg
from treewright.treebank.constituents.tree import ConstituentTree
from treewright.treebank.constituents.writer import format_tree, write_trees
from treewright.treebank.pictures import draw
from treewright.treebank.raw_text import RawText
from treewright.treebank.sentence import Sentence

__all__ = [
    "ConstituentTree",
    "HeadRules",
    "RawText",
    "Reader",
    "Sentence",
    "TreeReader",
    "draw",
    "draw_text",
    "draw_tree",
    "escape_brackets",
    "expected_errors",
    "find_head_children",
    "find_head_words",
    "format_sentence",
    "format_tree",
    "is_projective",
    "learn_head_rules",
    "projectivize",
    "read",
    "read_string",
    "read_trees",
    "read_trees_string",
    "sentence_to_latex",
    "sentence_to_svg",
    "simplify",
    "to_dependencies",
    "tree_to_latex",
    "tree_to_svg",
    "unescape_brackets",
    "write",
    "write_trees",
]
