"""Neural scorers: words are encoded by a small transformer, parts of trees scored by what it makes of them.

Run time needs NumPy and Numba alone; `treewright.neural.learning`, where networks are trained, needs PyTorch.
"""
