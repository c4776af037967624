"""The text of a treebank, put together again: what a tokenizer learns from.

Sentences follow each other as the treebank says: after a space, unless ``SpaceAfter=No`` ends the sentence before; a
``# newdoc`` or ``# newpar`` begins a passage, which ends at a blank line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from treewright.tokenization.token import Token
from treewright.treebank.sentence import Sentence

__all__ = ["Passage", "passages_of", "surface_tokens", "text_of"]

#: A passage of a treebank without paragraphs has about so many characters.
_LONG = 1 << 14

_BEGINS = ("# newdoc", "# newpar")

#: What stands close to the word before it, or after it, where a treebank does not say.
_BEFORE, _AFTER = frozenset(".,;:!?…%)]}»”’"), frozenset("([{«“‘¿¡")


@dataclass
class Passage:
    """A text without blank lines, and the tokens of each of its sentences."""

    text: str = ""
    sentences: list[list[Token]] = field(default_factory=list)


def passages_of(sentences: Iterable[Sentence]) -> Iterator[Passage]:
    """Put the text of a treebank together again.

    Examples
    --------
    >>> from treewright.treebank import Sentence
    >>> treebank = [Sentence.from_forms(["Go", "!"], misc=["SpaceAfter=No", "_"]), Sentence.from_forms(["Stop"])]
    >>> [passage] = passages_of(treebank)
    >>> passage.text, passage.sentences[1]
    ('Go! Stop', [Token(start=4, end=8, words=('Stop',))])
    """
    kept = list(sentences)
    spaced = any("SpaceAfter=No" in misc for sentence in kept for misc in sentence.misc) or any(
        sentence.text is not None for sentence in kept
    )
    passage, pieces, size, gap = Passage(), list[str](), 0, ""
    for sentence in kept:
        begins = any(comment.startswith(_BEGINS) for comment in sentence.comments)
        if passage.sentences and (begins or size > _LONG):
            passage.text = "".join(pieces)
            yield passage
            passage, pieces, size, gap = Passage(), [], 0, ""
        pieces.append(gap)
        size += len(gap)
        text, tokens, gap = _text_of(sentence, spaced)
        if tokens:
            passage.sentences.append([Token(start + size, end + size, words) for start, end, words in tokens])
        pieces.append(text)
        size += len(text)
    passage.text = "".join(pieces)
    if passage.sentences:
        yield passage


def text_of(sentences: Iterable[Sentence]) -> str:
    r"""Put the text of a treebank together again, with blank lines between passages.

    Examples
    --------
    >>> from treewright.treebank import Sentence
    >>> text_of([Sentence.from_forms(["Go", "!"], misc=["SpaceAfter=No", "_"]), Sentence.from_forms(["Stop"])])
    'Go! Stop'
    """
    return "\n\n".join(passage.text for passage in passages_of(sentences))


def surface_tokens(sentence: Sentence) -> list[tuple[str, tuple[str, ...], str]]:
    """List the tokens as they stand in the text: the form, its words, and MISC."""
    found, done = list[tuple[str, tuple[str, ...], str]](), 0
    forms, misc = sentence.forms, sentence.misc
    for position, line in sentence.asides:
        numbers, form, *_, last = line.split("\t")
        first, dash, end = numbers.partition("-")
        if dash and first.isdigit() and end.isdigit() and position >= done:
            found += [(forms[i], (forms[i],), misc[i]) for i in range(done, position)]
            done = min(int(end), len(forms))
            found.append((form, tuple(forms[position:done]), last))
    return found + [(forms[i], (forms[i],), misc[i]) for i in range(done, len(forms))]


def _text_of(sentence: Sentence, spaced: bool) -> tuple[str, list[Token], str]:
    """Return the text of a sentence, its tokens in it, and what comes after it."""
    surface = surface_tokens(sentence)
    gaps = ["" if "SpaceAfter=No" in misc else " " for _, _, misc in surface]
    if not spaced:
        gaps = _guessed([form for form, _, _ in surface])
    text = "".join(form + gap for (form, _, _), gap in zip(surface, gaps, strict=True))
    tokens, at = list[Token](), 0
    for (form, words, _), gap in zip(surface, gaps, strict=True):
        tokens.extend(_pieces(form, words, at))
        at += len(form) + len(gap)
    return text.removesuffix(" "), tokens, gaps[-1] if gaps else ""


def _pieces(form: str, words: tuple[str, ...], start: int) -> Iterator[Token]:
    """Cut a token with white space in it, as in *20 000*: there are none in text that is tokenized."""
    pieces = form.split()
    if len(pieces) < 2:
        yield Token(start, start + len(form), words)
        return
    at = 0
    for piece in pieces:
        at = form.index(piece, at)
        yield Token(start + at, start + at + len(piece), (piece,))
        at += len(piece)


def _guessed(forms: Sequence[str]) -> list[str]:
    """Guess where there is no space, for a treebank that does not say."""
    gaps, quoted = [" "] * len(forms), False
    for i, form in enumerate(forms):
        is_quote = form == '"'
        opens = form in _AFTER or (is_quote and not quoted)
        if i and (form in _BEFORE or (is_quote and quoted)):
            gaps[i - 1] = ""
        if opens:
            gaps[i] = ""
        quoted ^= is_quote
    return gaps
