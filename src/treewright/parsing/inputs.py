"""What people hand to a parser: text, words, sentences, or several of these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import TypeAlias

from treewright.tokenization import Splitter, tokenize
from treewright.treebank import Sentence

__all__ = ["Parsable", "sentences_of"]

#: Text, the words of one sentence, a sentence, or several sentences.
Parsable: TypeAlias = str | Sentence | Iterable[str] | Iterable[Sentence] | Iterable[Iterable[str]]


def sentences_of(text: Parsable, splitter: str | Splitter) -> tuple[list[Sentence], bool]:
    """Find the sentences in what a parser is given, and whether they came as such, so that they may have tags.

    Text is cut by a splitter, or by the rules of a language.

    Raises
    ------
    TypeError
        If it is something else, such as bytes, None, or a list of texts.

    Examples
    --------
    >>> sentences, may_have_tags = sentences_of("Trees grow. They do.", "en")
    >>> [sentence.forms for sentence in sentences], may_have_tags
    ([['Trees', 'grow', '.'], ['They', 'do', '.']], False)
    >>> sentences, _ = sentences_of([["Trees", "grow"], ["They", "do"]], "en")
    >>> [sentence.forms for sentence in sentences]
    [['Trees', 'grow'], ['They', 'do']]
    """
    if isinstance(text, Sentence):
        return [text], True
    if isinstance(text, str):
        return list(tokenize(text, splitter)), False
    if not _lists(text):
        raise _refused(text)
    items = list(text)
    if any(isinstance(item, str) for item in items):
        return [_of_words(items)], False
    sentences = [item if isinstance(item, Sentence) else _of_words(item) for item in items]
    return sentences, any(isinstance(item, Sentence) for item in items)


def _lists(value: object) -> bool:
    """Return whether something lists other things, in order."""
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | bytearray | Mapping | Set)


def _of_words(words: object) -> Sentence:
    if not _lists(words):
        raise _refused(words, " in a list")
    forms = list(words)  # type: ignore[call-overload]
    for form in forms:
        if not isinstance(form, str):
            raise _refused(form, " in a list of words")
        if any(map(str.isspace, form)):
            raise TypeError(
                f"{form[:40]!r} has white space in it, so this is a list of texts, not of words: use "
                "parser.pipe(texts); a word with a space in it goes into Sentence.from_forms"
            )
    return Sentence.from_forms(forms)


def _refused(value: object, where: str = "") -> TypeError:
    hint = "; decode them first" if isinstance(value, bytes | bytearray) else ""
    return TypeError(
        f"cannot parse {'None' if value is None else type(value).__name__}{where}: give text (str), a list of words, a "
        f"Sentence, or a list of such lists or sentences{hint}"
    )
