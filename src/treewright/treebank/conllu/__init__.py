"""Dependency treebanks: CoNLL-U and CoNLL-X."""
