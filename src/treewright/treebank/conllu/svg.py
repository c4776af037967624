"""Draw a dependency tree in SVG: the words in a row, arcs above them, and what a parser doubts paler and dashed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from treewright.treebank.conllu.arc_layout import Arc, lay_out, reads_from_right
from treewright.treebank.conllu.columns import checked_heads
from treewright.treebank.conllu.confidence import Confidence
from treewright.treebank.conllu.doubts import caption_of, is_weak, noted, rivals_of
from treewright.treebank.conllu.tokens import multiword_tokens
from treewright.treebank.sentence import Sentence
from treewright.treebank.svg import document, escape_text, text_at
from treewright.treebank.terminal import display_width

__all__ = ["sentence_to_svg"]

#: Pixels of a character: of words, and of tags and labels.
_CELL, _SMALL = 9, 7
_GAP, _LEVEL, _MARGIN, _LINE = 14, 22, 12, 18


def sentence_to_svg(sentence: Sentence, *, confidence: bool = True, caption: str | None = None) -> str:
    """Draw the tree of a sentence as an SVG document, for a file, a web page or a notebook.

    Its words may lack heads, and arcs may cross.  Sentences in a script that is written from right to left are drawn
    from right to left.

    Parameters
    ----------
    sentence : Sentence
    confidence : bool
        Whether to show the probabilities that a parser has noted: the less probable the head of a word, the paler its
        arc; below 0.8 it is dashed, and its probability stands beside its relation.  Pointing at an arc shows the
        numbers, and its rivals.
    caption : str, optional
        What stands above the tree; unless given, what comments say of its probability.

    Raises
    ------
    UsageError
        If the heads do not form a tree.

    Examples
    --------
    >>> sentence = Sentence.from_forms(["Trees", "grow"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> picture = sentence_to_svg(sentence)
    >>> picture.startswith("<svg xmlns="), picture.count("<text"), picture.count('class="arc"')
    (True, 4, 2)
    """
    heads, doubts = checked_heads(sentence), noted(sentence, confidence)
    labels = [_label(deprel, one) for deprel, one in zip(sentence.deprels, doubts, strict=True)]
    layout = lay_out(
        heads,
        [max(_CELL * display_width(f), _SMALL * display_width(t)) + _GAP for f, t in _words(sentence)],
        [_SMALL * display_width(label) for label in labels],
        mirrored=reads_from_right(sentence.forms),
    )
    floor = _LEVEL * max((arc.level for arc in layout.arcs), default=0)
    shapes = [_arc(sentence, heads, arc, labels[arc.modifier - 1], doubts[arc.modifier - 1]) for arc in layout.arcs]
    for x, (form, tag) in zip(layout.centres, _words(sentence), strict=True):
        shapes.append(text_at(x, _LINE, form, "form"))
        if tag:
            shapes.append(text_at(x, 2 * _LINE, tag, "tag"))
    tokens = list(_tokens(sentence, layout.centres))
    if caption is None:
        caption = caption_of(sentence) if confidence else ""
    top = -floor - _LINE - _MARGIN - (_LINE if caption else 0)
    if caption:
        shapes.append(text_at(0, top + _LINE, caption, "caption start"))
    width = max(layout.width, _SMALL * display_width(caption)) + 2 * _MARGIN
    bottom = 2 * _LINE + (2 * _LINE if tokens else 0) + _MARGIN
    moved = f'<g transform="translate({_MARGIN})">'
    title = sentence.text or " ".join(sentence.forms)
    return document([moved, *shapes, *tokens, "</g>"], width, bottom - top, top=top, title=title)


def _words(sentence: Sentence) -> list[tuple[str, str]]:
    """Pair each word with its tag, which may be empty."""
    return [(f, "" if t == "_" else t) for f, t in zip(sentence.forms, sentence.upos, strict=True)]


def _label(deprel: str, one: Confidence) -> str:
    return f"{deprel} {one.head:.2f}" if is_weak(one) else deprel


def _arc(sentence: Sentence, heads: Sequence[int], arc: Arc, label: str, one: Confidence) -> str:
    """Draw the arc to a word, or the arrow to a root."""
    height = -_LEVEL * arc.level
    if arc.start is None:
        line, middle = f"M{arc.end:g} {height}V-2", arc.end
    else:
        middle, turn = (arc.start + arc.end) / 2, 1 if arc.end > arc.start else -1
        bend = min(10.0, abs(arc.end - arc.start) / 2)
        corner, across = turn * bend, arc.end - arc.start - 2 * turn * bend
        line = (
            f"M{arc.start:g} 0V{height + bend:g}q0 {-bend:g} {corner:g} {-bend:g}h{across:g}q{corner:g} 0 {corner:g} "
            f"{bend:g}V-2"
        )
    classes = "arc weak" if is_weak(one) else "arc"
    shade = f' opacity="{0.35 + 0.65 * one.head:.2f}"' if one.head is not None else ""
    about = f"<title>{escape_text(_about(sentence, heads, arc.modifier, one))}</title>"
    paths = f'<path{shade} d="{line}"/><path{shade} class="head" d="M{arc.end:g} 0l-3.5 -7h7z"/>'
    return f'<g class="{classes}">{about}{paths}{text_at(middle, height - 4, label, "label")}</g>'


def _about(sentence: Sentence, heads: Sequence[int], m: int, one: Confidence) -> str:
    """Say in words what an arc is, how probable, and what else there might be."""
    head = ["the root", *sentence.forms][heads[m - 1]]
    text = f"{sentence.forms[m - 1]}: {sentence.deprels[m - 1]} of {head}"
    if one.head is not None:
        text += f"; head {one.head:.2f}"
    if one.relation is not None:
        text += f", relation {one.relation:.2f}"
    if one.tag is not None:
        text += f", tag {one.tag:.2f}"
    rivals = rivals_of(sentence, one)
    return f"{text}; or {rivals}" if rivals else text


def _tokens(sentence: Sentence, centres: Sequence[float]) -> Iterator[str]:
    """Draw a bracket below the words of each multiword token, and the token below it."""
    for token in multiword_tokens(sentence):
        x, to = sorted((centres[token.first - 1], centres[token.last - 1]))
        y = 2.4 * _LINE
        yield f'<line x1="{x - 8:g}" y1="{y:g}" x2="{to + 8:g}" y2="{y:g}"/>'
        yield text_at((x + to) / 2, y + 14, token.form, "tag")
