"""Write a dependency tree in LaTeX, for the package tikz-dependency."""

from __future__ import annotations

from treewright.treebank.conllu.columns import checked_heads
from treewright.treebank.conllu.doubts import caption_of, is_weak, noted
from treewright.treebank.latex import escape_latex
from treewright.treebank.sentence import Sentence

__all__ = ["sentence_to_latex"]


def sentence_to_latex(sentence: Sentence, *, confidence: bool = True, caption: str | None = None) -> str:
    r"""Write the tree of a sentence as an environment of tikz-dependency.

    The less probable the head of a word, the paler its arc; below 0.8 it is dashed, and its probability stands beside
    its relation.  The caption is a comment; unless given, it is what comments say of the probability of the tree.

    Raises
    ------
    UsageError
        If the heads do not form a tree.

    Examples
    --------
    >>> sentence = Sentence.from_forms(["Trees", "grow"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> print(sentence_to_latex(sentence), end="")
    \begin{dependency}
    \begin{deptext}[column sep=1em]
    {Trees} \& {grow} \\
    \end{deptext}
    \depedge{2}{1}{nsubj}
    \deproot{2}{root}
    \end{dependency}
    """
    heads = checked_heads(sentence)
    if not heads:
        return ""
    if caption is None:
        caption = caption_of(sentence) if confidence else ""
    rows = [sentence.forms]
    if any(tag != "_" for tag in sentence.upos):
        rows.append(["" if tag == "_" else tag for tag in sentence.upos])
    lines = [f"% {escape_latex(caption)}"] if caption else []
    lines += [r"\begin{dependency}", r"\begin{deptext}[column sep=1em]"]
    lines += [r" \& ".join(f"{{{escape_latex(text)}}}" for text in row) + r" \\" for row in rows]
    lines.append(r"\end{deptext}")
    for m, (head, deprel, one) in enumerate(zip(heads, sentence.deprels, noted(sentence, confidence), strict=True), 1):
        label, style = escape_latex(deprel), ""
        if one.head is not None:
            dashed = ", dashed" if is_weak(one) else ""
            style = f"[edge style={{black!{35 + round(65 * one.head)}{dashed}}}]"
            label += f" {one.head:.2f}" if is_weak(one) else ""
        if head > 0:
            lines.append(rf"\depedge{style}{{{head}}}{{{m}}}{{{label}}}")
        elif head == 0:
            lines.append(rf"\deproot{style}{{{m}}}{{{label}}}")
    return "\n".join([*lines, r"\end{dependency}", ""])
