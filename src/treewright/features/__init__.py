"""Features: a sentence in, part scores out; and, for learning, parts in, gradient out."""
