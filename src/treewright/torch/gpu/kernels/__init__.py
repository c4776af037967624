"""Kernels in Triton, which compiles them: their arguments are pointers and numbers, whatever Python calls them."""
