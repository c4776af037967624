"""Tokenizers, learned once."""

import pytest

from treewright.tokenization import Tokenizer, train_tokenizer
from treewright.treebank import Sentence


@pytest.fixture(scope="session")
def unspaced() -> Tokenizer:
    """Learned from sentences of a language without spaces, where every word is one of four."""
    words = ["木", "森林", "東京都", "が"]
    lists = [[words[(i * k) % 4] for k in range(1, 6)] + ["。"] for i in range(1, 40)]
    misc = ["SpaceAfter=No"] * 6
    return train_tokenizer([Sentence.from_forms(forms, misc=misc) for forms in lists], language="ja")
