"""Dependency trees: CoNLL-U and CoNLL-X files.

- `blocks`, `layout`, `columns`, `diagnosis`, `reader`: from bytes to sentences, or to the reason why not
- `writer`: from sentences back to the same bytes
- `drawing`, `svg`, `latex`: trees in the terminal, for pages and for papers, from `arc_layout` and `doubts`
- `table`: a row for each word
- `projectivity`: which trees are projective, and the nearest projective tree of those that are not
"""
