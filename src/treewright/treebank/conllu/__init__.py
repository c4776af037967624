"""Dependency trees: CoNLL-U and CoNLL-X files.

- `blocks`, `layout`, `columns`, `diagnosis`, `reader`: from bytes to sentences, or to the reason why not
- `writer`: from sentences back to the same bytes
- `drawing`: trees in the terminal
- `projectivity`: which trees are projective, and the nearest projective tree of those that are not
"""
