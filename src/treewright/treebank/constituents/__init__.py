"""Constituent trees: bracketed files, as of the Penn Treebank.

- `blocks`, `brackets`, `diagnosis`, `reader`: from bytes to trees, or to the reason why not
- `tree`: a tree in memory; `writer`: and back to bytes
- `drawing`, `svg`, `latex`: trees in the terminal, for pages and for papers
- `simplification`: trees without traces and function tags
- `heads`, `head_learning`, `dependencies`: head rules, and the dependency trees that they lead to
"""
