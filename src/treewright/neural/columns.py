"""The columns of a sentence that a network predicts word by word: tags, and lemmas as edit scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from treewright.arrays import Heads
from treewright.neural.lemmas import edit_script
from treewright.treebank import Sentence

__all__ = ["COLUMNS", "column_numbers", "column_texts", "column_values"]

#: What a network calls a column → what a `Sentence` calls it.
COLUMNS = {"upos": "upos", "xpos": "xpos", "feats": "feats", "lemma": "lemmas"}

#: How often an edit script must be seen to be a value: a script seen once seldom suits another word.
MINIMUM = 2


def column_texts(sentence: Sentence, name: str) -> Sequence[str]:
    """Return what stands in a column of a sentence, word by word: tags, or the edit scripts of lemmas."""
    texts: Sequence[str] = getattr(sentence, COLUMNS[name])
    if name != "lemma":
        return texts
    return [
        edit_script(form, lemma) if lemma != "_" or form == "_" else "_"
        for form, lemma in zip(sentence.forms, texts, strict=True)
    ]


def column_values(sentences: Iterable[Sentence]) -> dict[str, list[str]]:
    """List the values of each column in a treebank, in order; columns that a treebank does not have are left out.

    Of edit scripts, those seen twice are values.
    """
    counts = {name: Counter[str]() for name in COLUMNS}
    for sentence in sentences:
        for name, count in counts.items():
            count.update(column_texts(sentence, name))
    found = {}
    for name, count in counts.items():
        if name != "feats":
            del count["_"]  # in FEATS it is a value: no features
        values = [value for value, times in count.items() if name != "lemma" or times >= MINIMUM]
        if len(values) > 1:
            found[name] = sorted(values)
    return found


def column_numbers(sentence: Sentence, columns: Mapping[str, Sequence[str]]) -> dict[str, Heads]:
    """Return the number of the value of each word in each column; -1 for one that is not among them."""
    found = {}
    for name, values in columns.items():
        number = {value: index for index, value in enumerate(values)}
        found[name] = np.array([number.get(text, -1) for text in column_texts(sentence, name)], np.int32)
    return found
