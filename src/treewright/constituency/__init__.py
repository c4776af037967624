"""Constituent parsing: spines and adjunctions, TAG, and a PCFG."""
