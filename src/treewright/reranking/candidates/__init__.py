"""Lists of candidates, and where they come from."""
