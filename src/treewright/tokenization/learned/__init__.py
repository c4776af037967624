"""Tokenization learned from a treebank: where sentences end, where tokens end, and which words they are.

The rules of the language stay as the prior: what they say is a feature of every decision, and what a treebank never
shows, such as addresses or emoji, is left to them.
"""
