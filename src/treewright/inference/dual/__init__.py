"""Dual decomposition: non-projective head automata (Koo et al. 2010)."""
