"""The columns of a sentence that a network predicts word by word: tags, and lemmas as edit scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from treewright.arrays import Heads
from treewright.tagging.lemmas.scripts import REFUSAL, apply_script, edit_script
from treewright.treebank import Sentence

__all__ = ["COLUMNS", "TAGS", "column_numbers", "column_texts", "column_values"]

#: What a network calls a column → what a `Sentence` calls it.
COLUMNS = {"upos": "upos", "xpos": "xpos", "feats": "feats", "lemma": "lemmas"}

#: Those that are tags: what k best taggings, and probabilities of tags, are about.
TAGS = ("upos", "xpos", "feats")

#: How often an edit script must be seen to be a value: a script seen once seldom suits another word.
MINIMUM = 2


def column_texts(sentence: Sentence, name: str) -> Sequence[str]:
    """Return what stands in a column of a sentence, word by word: tags, or the edit scripts of lemmas."""
    texts: Sequence[str] = getattr(sentence, COLUMNS[name])
    if name != "lemma":
        return texts
    return list(map(edit_script, sentence.forms, texts))


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
            del count[REFUSAL]  # in FEATS it is a value: no features
        values = [value for value, times in count.items() if name != "lemma" or times >= MINIMUM]
        if len(values) > 1:
            found[name] = sorted(values)
    return found


def column_numbers(sentence: Sentence, columns: Mapping[str, Sequence[str]]) -> dict[str, Heads]:
    """Return the number of the value of each word in each column; -1 for one that is not among them.

    Where the script of a lemma is not among the values, another one may make the same lemma of the form.
    """
    found = {}
    for name, values in columns.items():
        number = {value: index for index, value in enumerate(values)}
        numbers = [number.get(text, -1) for text in column_texts(sentence, name)]
        if name == "lemma":
            words = zip(numbers, sentence.forms, sentence.lemmas, strict=True)
            numbers = [index if index >= 0 else _number_of(form, lemma, values) for index, form, lemma in words]
        found[name] = np.array(numbers, np.int32)
    return found


def _number_of(form: str, lemma: str, scripts: Sequence[str]) -> int:
    """Return the number of the first script that makes a lemma of a form; -1 if there is none."""
    if lemma == REFUSAL != form:
        return -1
    return next((index for index, script in enumerate(scripts) if apply_script(script, form) == lemma), -1)
