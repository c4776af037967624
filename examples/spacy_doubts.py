"""In a pipeline of spaCy, trust only what the parser is sure of: ``python examples/spacy_doubts.py``."""

import spacy
from spacy.tokens import Doc


def subjects(doc: Doc, least: float = 0.9) -> list[tuple[str, str]]:
    """List verbs and their subjects, but only those that are at least as probable."""
    return [
        (token.head.lemma_ or token.head.text, token.text)
        for token in doc
        if token.dep_ == "nsubj" and token._.head_probability * token._.label_probability >= least
    ]


def main() -> None:
    """Print the subjects in two texts."""
    nlp = spacy.blank("en")
    nlp.add_pipe("treewright", config={"model": "en", "at_most_one": ["nsubj"]})
    for doc in nlp.pipe(["The dog chased a cat, and the cat ran.", "She planted a tree that grows slowly."]):
        print(subjects(doc))


if __name__ == "__main__":
    main()
