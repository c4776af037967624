"""Annotating a treebank sentence by sentence, with a parser's suggestions, and nothing lost.

- `document`: a CoNLL-U file as it was, and as it is after changes
- `state`, `actions`: what an annotator has said about a sentence, and how it changes
- `journal`: every change, on disk before it is acknowledged
- `inventory`, `validation`: which tags, relations and features there are, and what is wrong with a tree
- `suggestions`, `doubts`: the best tree around what is known, and which sentences a parser is least sure of
- `adviser`: what a parser says, kept until something changes
- `session`: all of that for one file; `retraining`: a better parser, trained on what has been annotated
- `routes`: the same over HTTP
"""
