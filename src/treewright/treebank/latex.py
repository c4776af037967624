"""What all pictures in LaTeX share: safe text, and a document around several pictures."""

from __future__ import annotations

from treewright.treebank.terminal import make_printable

__all__ = ["BEGIN", "END", "escape_latex"]

#: Before and after the pictures of a document; XeLaTeX and LuaLaTeX set every script that their font has.
BEGIN = r"""\documentclass[multi={dependency,forest},border=6pt]{standalone}
\usepackage{iftex}
\iftutex\usepackage{fontspec}\else\usepackage[T1]{fontenc}\fi
\usepackage{tikz-dependency}
\usepackage{forest}
\begin{document}
"""
END = "\\end{document}\n"

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\symbol{38}",  # in pictures, a backslash and an ampersand separate words
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",
    "-": r"{-}",  # two are no dash
    "`": r"{`}",  # nor quotes
    "'": r"{'}",
}
_TABLE = str.maketrans(_SPECIAL)


def escape_latex(text: str) -> str:
    r"""Make text safe in LaTeX; control characters are replaced by question marks.

    Examples
    --------
    >>> print(escape_latex("100%_\\input{x}"))
    100\%\_\textbackslash{}input\{x\}
    """
    return make_printable(text, "?").translate(_TABLE)
