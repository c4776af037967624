"""Treewright: exact, feature-rich syntactic parsing."""

__version__ = "0.1.0"
