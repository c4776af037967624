"""Trees for other libraries, and theirs for Treewright: one module a library, which is imported only where it is used.

- `pandas`: data frames
- `spacy`: a component for pipelines, and documents both ways
- `nltk`: dependency graphs and trees both ways
- `stanza`: the dictionaries of its documents both ways
- `conllu`: the token lists of the library conllu both ways
"""
