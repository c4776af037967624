"""Learning: what turns a treebank into weights."""
