"""Tokenization: from raw text to sentences, their tokens, and the syntactic words in them.

Everything takes time linear in the length of the text, for any text, and needs no data files.
"""

from treewright.tokenization.codes import check_language, main_code, name_of_language
from treewright.tokenization.guessing import differs, guess_language
from treewright.tokenization.sentences import sentence_spans, split_sentences
from treewright.tokenization.text import sentence_from_tokens, tokenize, tokenize_lines, tokenize_stream
from treewright.tokenization.token import Token
from treewright.tokenization.words import tokenize_words

__all__ = [
    "Token",
    "check_language",
    "differs",
    "guess_language",
    "main_code",
    "name_of_language",
    "sentence_from_tokens",
    "sentence_spans",
    "split_sentences",
    "tokenize",
    "tokenize_lines",
    "tokenize_stream",
    "tokenize_words",
]
