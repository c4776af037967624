"""Training neural scorers with PyTorch: masked words, treebanks, distillation."""
