"""Tokenization: from raw text to sentences, their tokens, and the syntactic words in them.

Everything takes time linear in the length of the text, for any text.  The rules of languages need no data files; a
`Tokenizer` is learned from a treebank (`train_tokenizer`).
"""

from typing import TYPE_CHECKING

from treewright.lazy import lazily
from treewright.tokenization.codes import check_language, main_code, name_of_language
from treewright.tokenization.guessing import differs, guess_language
from treewright.tokenization.identification import LanguageGuess, identify_language
from treewright.tokenization.ranges import byte_ranges, with_ranges
from treewright.tokenization.sentences import sentence_spans, split_sentences
from treewright.tokenization.splitter import Rules, Splitter, splitter_of
from treewright.tokenization.text import (
    sentence_from_tokens,
    tokenize,
    tokenize_lines,
    tokenize_pieces,
    tokenize_stream,
)
from treewright.tokenization.token import Token
from treewright.tokenization.words import tokenize_words

if TYPE_CHECKING:
    from treewright.tokenization.learned.material import text_of
    from treewright.tokenization.learned.tokenizer import Tokenizer
    from treewright.tokenization.learned.training import train_tokenizer

__all__ = [
    "LanguageGuess",
    "Rules",
    "Splitter",
    "Token",
    "Tokenizer",
    "byte_ranges",
    "check_language",
    "differs",
    "guess_language",
    "identify_language",
    "main_code",
    "name_of_language",
    "sentence_from_tokens",
    "sentence_spans",
    "split_sentences",
    "splitter_of",
    "text_of",
    "tokenize",
    "tokenize_lines",
    "tokenize_pieces",
    "tokenize_stream",
    "tokenize_words",
    "train_tokenizer",
    "with_ranges",
]

__getattr__ = lazily(
    __name__,
    {"Tokenizer": "learned.tokenizer", "text_of": "learned.material", "train_tokenizer": "learned.training"},
)
