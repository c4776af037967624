"""Dependency parsing: tokenize, tag, prune, score, search."""
