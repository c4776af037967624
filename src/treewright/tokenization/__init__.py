"""Raw text in, sentences out: where sentences end, what the tokens are, and which words are in them.

Everything runs in time linear in the length of the text, whatever the text, and needs no data files.
"""

from treewright.tokenization.sentences import sentence_spans, split_sentences
from treewright.tokenization.text import sentence_from_tokens, tokenize, tokenize_stream
from treewright.tokenization.token import Token
from treewright.tokenization.words import tokenize_words

__all__ = [
    "Token",
    "sentence_from_tokens",
    "sentence_spans",
    "split_sentences",
    "tokenize",
    "tokenize_stream",
    "tokenize_words",
]
