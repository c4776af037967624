"""A tiny treebank, settings and inputs for the tests of learning."""

from collections import Counter

from treewright.neural.settings import NetworkSettings
from treewright.neural.words import WordInputs
from treewright.treebank import Sentence

SENTENCES = [
    Sentence.from_forms(
        ["The", "dogs", "barked", "."],
        heads=[2, 3, 0, 3],
        deprels=["det", "nsubj", "root", "punct"],
        upos=["DET", "NOUN", "VERB", "PUNCT"],
        lemmas=["the", "dog", "bark", "."],
    ),
    Sentence.from_forms(
        ["Trees", "grow", "."],
        heads=[2, 0, 2],
        deprels=["nsubj", "root", "punct"],
        upos=["NOUN", "VERB", "PUNCT"],
        lemmas=["tree", "grow", "."],
    ),
    Sentence.from_forms(
        ["The", "trees", "barked", "dogs", "."],
        heads=[2, 3, 0, 3, 3],
        deprels=["det", "nsubj", "root", "obj", "punct"],
        upos=["DET", "NOUN", "VERB", "NOUN", "PUNCT"],
        lemmas=["the", "tree", "bark", "dog", "."],
    ),
]

INPUTS = WordInputs.of(Counter(form for sentence in SENTENCES * 2 for form in sentence.forms))


def tiny_settings(**choices: object) -> NetworkSettings:
    """Return the settings of a network that trains in no time."""
    sizes = {"width": 16, "layers": 2, "heads": 2, "arc": 6, "label": 5, "rank": 3, "tag_width": 8}
    return NetworkSettings.of(SENTENCES * 2, **{**sizes, **choices})
