"""Write a constituent tree in LaTeX, for the package forest."""

from __future__ import annotations

from treewright.treebank.constituents.tree import ConstituentTree
from treewright.treebank.latex import escape_latex

__all__ = ["tree_to_latex"]


def tree_to_latex(tree: ConstituentTree, *, caption: str = "") -> str:
    r"""Write a tree as an environment of forest, with the caption in a comment.

    Examples
    --------
    >>> print(tree_to_latex(ConstituentTree.from_string("(NP (DT a) (NN tree))")), end="")
    \begin{forest}
    [{NP}[{DT}[{\itshape a}]][{NN}[{\itshape tree}]]]
    \end{forest}
    """
    words = dict(zip(tree.leaves.tolist(), tree.words, strict=True))
    parts, depth = [], 0
    for node, (label, level) in enumerate(zip(tree.labels, tree.depths, strict=True)):
        parts.append("]" * (depth - level) + f"[{{{escape_latex(label)}}}")
        depth = level + 1
        if node in words:
            parts.append(rf"[{{\itshape {escape_latex(words[node])}}}]")
    about = [f"% {escape_latex(caption)}"] if caption else []
    return "\n".join([*about, r"\begin{forest}", "".join(parts) + "]" * depth, r"\end{forest}", ""])
