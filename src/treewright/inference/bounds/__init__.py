"""Branch and bound: factors beyond the parts of a program (Qian & Liu 2013)."""
