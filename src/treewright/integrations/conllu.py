"""Token lists of the Python library conllu, both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treewright.errors import UsageError
from treewright.integrations.libraries import library
from treewright.treebank import Sentence, format_sentence, read_string

if TYPE_CHECKING:
    import conllu

__all__ = ["from_token_list", "to_token_list"]


def to_token_list(sentence: Sentence) -> conllu.TokenList:
    """Convert a sentence to a token list, multiword tokens, empty nodes and comments included.

    The library drops comments without a ``=``, other than those of new documents and paragraphs.

    Raises
    ------
    UsageError
        If conllu is not installed, or the sentence has no words or could not be written as CoNLL-U.

    Examples
    --------
    >>> tokens = to_token_list(Sentence.from_forms(["Trees", "grow"], heads=[2, 0], feats=["Number=Plur", "_"]))
    >>> tokens[0]["form"], tokens[0]["feats"], tokens[0]["head"]
    ('Trees', {'Number': 'Plur'}, 2)
    """
    if not len(sentence):
        raise UsageError("a sentence without words has no token list")
    [tokens] = library("conllu", "conllu").parse(format_sentence(sentence.replace(layout=None)))
    return tokens


def from_token_list(tokens: conllu.TokenList) -> Sentence:
    """Convert a token list to a sentence.

    Raises
    ------
    TreebankError
        If it is not a tree that a CoNLL-U file may have.

    Examples
    --------
    >>> sentence = Sentence.from_forms(["Trees", "grow"], heads=[2, 0])
    >>> from_token_list(to_token_list(sentence)).heads.tolist()
    [2, 0]
    """
    text: Any = tokens.serialize()
    found = list(read_string(text))
    if len(found) != 1:
        raise UsageError(f"the token list makes {len(found)} sentences: an entry has a line break in it")
    return found[0]
