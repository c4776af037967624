"""Spanning trees: trees of any shape under arc scores."""
