"""Constituent trees: Penn brackets in and out, simplified, drawn, and turned into dependencies."""
