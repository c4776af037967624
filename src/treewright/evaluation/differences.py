"""Where the words, the sentences or the text of a system are not those of the gold standard, in one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treewright.evaluation.place import place
from treewright.evaluation.spans import Spans
from treewright.treebank import Sentence

__all__ = ["different_texts", "first_difference"]

# How many characters of a text are shown.
_SHOWN: Final = 20


def first_difference(gold: Sequence[Sentence], system: Sequence[Sentence], name: str = "system") -> str | None:
    """Say which sentence is the first whose words differ, or that only one side has; None if all are the same."""
    for k, (reference, other) in enumerate(zip(gold, system, strict=False)):
        if list(reference.forms) != list(other.forms):
            return _different_words(k, reference, other, name)
    return None if len(gold) == len(system) else _different_sentences(gold, system, name)


def _different_sentences(gold: Sequence[Sentence], system: Sequence[Sentence], name: str) -> str:
    shared = min(len(gold), len(system))
    longer, side = (gold, "the gold standard") if len(gold) > shared else (system, f"the {name}")
    return (
        f"the gold standard has {_count(len(gold), 'sentence')} and the {name} {len(system)}: "
        f"{place(shared, longer[shared])} is only in {side}"
    )


def _different_words(k: int, gold: Sentence, system: Sentence, name: str) -> str:
    shared = min(len(gold), len(system))
    pairs = zip(gold.forms, system.forms, strict=False)
    word = next((i for i, (form, other) in enumerate(pairs) if form != other), shared)
    counts = ""
    if len(gold) != len(system):
        counts = f"the gold standard has {_count(len(gold), 'word')} and the {name} {len(system)}; "
    if word < shared:
        found = f"is {gold.forms[word]!r} in the gold standard and {system.forms[word]!r} in the {name}"
    elif len(gold) > shared:
        found = f"{gold.forms[word]!r} is only in the gold standard"
    else:
        found = f"{system.forms[word]!r} is only in the {name}"
    separator = " " if word < shared else ", "
    return f"{place(k, gold)}: {counts}word {word + 1}{separator}{found}"


def different_texts(gold: Sequence[Sentence], sides: tuple[Spans, Spans]) -> str:
    """Say where the texts of both sides part, spaces aside."""
    reference, other = sides[0].text, sides[1].text
    part = next((i for i, (a, b) in enumerate(zip(reference, other, strict=False)) if a != b), None)
    if part is None:
        part = min(len(reference), len(other))
    k, sentence = _sentence_at(gold, sides[0], part)
    start = sides[0].tokens[min(sides[0].token_at(part), len(sides[0].tokens) - 1)][0]
    start = max(start, part - _SHOWN // 2) if part < len(reference) else part
    return (
        f"{place(k, sentence)}: the text of the gold standard goes on with {_excerpt(reference, start)}, and that of "
        f"the system with {_excerpt(other, start)}: words may differ, but not their text, apart from spaces"
    )


def _sentence_at(gold: Sequence[Sentence], spans: Spans, character: int) -> tuple[int, Sentence]:
    """Find the sentence of a character; the last one at the end of the text."""
    filled = [(k, sentence) for k, sentence in enumerate(gold) if len(sentence)]
    return next((one for one, (_, end) in zip(filled, spans.sentences, strict=True) if end > character), filled[-1])


def _excerpt(text: str, start: int) -> str:
    rest = text[start : start + _SHOWN]
    return f"{rest!r}{'…' * (len(text) > start + _SHOWN)}" if rest else "nothing more"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
