"""Trees as pandas data frames: a row for each word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from treewright.integrations.libraries import library
from treewright.treebank import Sentence
from treewright.treebank.conllu.doubts import numbers_of
from treewright.treebank.conllu.table import COLUMNS, sentence_id, word_columns

if TYPE_CHECKING:
    import pandas

__all__ = ["to_frame"]

#: The types of columns that are no text; None of them is lost where a value is missing.
_TYPES = {"sentence": "int64", "id": "int64", "tree": "Int64", "head": "Int64"} | dict.fromkeys(
    ("head_p", "label_p", "tag_p"), "float64"
)


def to_frame(sentences: Sentence | Iterable[Sentence]) -> pandas.DataFrame:
    """Put the words of sentences into a pandas data frame.

    Every frame has the same columns.  ``sentence`` is the number of the sentence, from 1; ``sent_id`` is its name, and
    ``tree`` its rank among the k best, where comments say so.  ``id``, ``form``, ``lemma``, ``upos``, ``xpos``,
    ``feats``, ``head``, ``deprel``, ``deps`` and ``misc`` are those of CoNLL-U, missing where it has ``_``; a head is
    the ``id`` of a word of the same sentence, and 0 for a root.  ``head_p``, ``label_p`` and ``tag_p`` are the
    probabilities of head, relation and tag, where a parser has noted them.

    Raises
    ------
    UsageError
        If pandas is not installed.

    Examples
    --------
    >>> frame = to_frame(Sentence.from_forms(["Trees", "grow"], heads=[2, 0], deprels=["nsubj", "root"]))
    >>> frame[["sentence", "id", "form", "head", "deprel"]].values.tolist()
    [[1, 1, 'Trees', 2, 'nsubj'], [1, 2, 'grow', 0, 'root']]
    """
    pd = library("pandas", "pandas")
    columns: dict[str, list[object]] = {name: [] for name in COLUMNS}
    number = 0
    for sentence in [sentences] if isinstance(sentences, Sentence) else sentences:
        rank = numbers_of(sentence).rank
        number += rank is None or rank == 1
        about = {"sentence": number, "sent_id": sentence_id(sentence), "tree": rank}
        for name, value in about.items():
            columns[name] += [value] * len(sentence)
        for name, values in word_columns(sentence).items():
            columns[name] += values
    series = {name: pd.Series(values, dtype=_TYPES.get(name, "str")) for name, values in columns.items()}
    frame: pandas.DataFrame = pd.DataFrame(series)
    return frame
