r"""Documents of spaCy as sentences and back, without loss.

The tokens of a document are the words of its sentences, but for its tokens of white space, which MISC notes as UDPipe
does: ``SpaceAfter=No``, ``SpacesAfter=\n\n``, ``SpacesBefore=\s``.  What spaCy has no place for (comments, multiword
tokens, empty nodes, MISC, tags that it refuses) is kept in ``doc.user_data``, together with what spaCy made of the
rest.  So what nobody has changed comes back as it was, and what a pipeline has changed comes back changed.  (A sentence
with several roots is several sentences for spaCy once it loads the document from bytes.)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.integrations.libraries import library
from treewright.treebank import Sentence
from treewright.treebank.conllu.tokens import multiword_tokens

if TYPE_CHECKING:
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

__all__ = ["annotate", "comments_of", "from_doc", "sentences_in", "to_doc", "words_between"]

#: Where a document keeps what spaCy has no place for.
_KEY = "treewright"

_COLUMNS = ("lemmas", "upos", "xpos", "feats", "deprels", "deps", "misc")

_ESCAPES = {" ": r"\s", "\t": r"\t", "\r": r"\r", "\n": r"\n", "|": r"\p", "\\": "\\\\"}
_PLAIN = {escape: plain for plain, escape in _ESCAPES.items()}


def from_doc(doc: Doc) -> list[Sentence]:
    """Make sentences of a document: its words, and all annotations of them.

    A document in which no sentences have been found is one sentence.  ``ranges`` are places in ``doc.text``.

    Examples
    --------
    >>> from_doc(to_doc(Sentence.from_forms(["Trees", "grow"], heads=[2, 0])))[0].heads.tolist()
    [2, 0]
    """
    if doc.has_annotation("SENT_START"):
        spans = [(span.start, span.end) for span in doc.sents]
    else:
        spans = [(0, len(doc))]
    kept = {(one["start"], one["end"]): one for one in doc.user_data.get(_KEY, ())}
    return [_restored(one, kept.get(span)) for span, one in sentences_in(doc, spans, kept)]


def to_doc(sentences: Sentence | Iterable[Sentence], vocab: Vocab | None = None) -> Doc:
    """Make a document of sentences, with the vocabulary of a pipeline (``nlp.vocab``) or one of its own.

    Every word is a token: *du*, whose words are *de* and *le*, is two.

    Raises
    ------
    UsageError
        If spaCy is not installed.

    Examples
    --------
    >>> doc = to_doc(Sentence.from_forms(["Trees", "grow"], heads=[2, 0], deprels=["nsubj", "root"]))
    >>> [(token.text, token.head.text, token.dep_) for token in doc]
    [('Trees', 'grow', 'nsubj'), ('grow', 'grow', 'ROOT')]
    """
    spacy, tokens = library("spacy", "spaCy"), library("spacy.tokens", "spaCy")
    several = [sentences] if isinstance(sentences, Sentence) else list(sentences)
    several = [sentence for sentence in several if len(sentence)]
    words, spaces, spans = list[str](), list[bool](), list[tuple[int, int, list[int]]]()
    for number, sentence in enumerate(several, 1):
        start, places = len(words), list[int]()
        gaps = _gaps(sentence, is_last=number == len(several))
        for form, gap in zip(["", *sentence.forms], gaps, strict=True):
            if form:
                places.append(len(words))
                words.append(form)
                spaces.append(gap.startswith(" "))
                gap = gap.removeprefix(" ")
            if gap:
                words.append(gap)
                spaces.append(False)
        spans.append((start, len(words), places))
    doc: Doc = tokens.Doc(spacy.blank("xx").vocab if vocab is None else vocab, words=words, spaces=spaces)
    annotate(doc, spans, several)
    return doc


def sentences_in(
    doc: Doc, spans: Iterable[tuple[int, int]], kept: dict[tuple[int, int], Any] | None = None
) -> Iterator[tuple[tuple[int, int], Sentence]]:
    """Yield the sentence of each span of tokens, with what spaCy says of its words; spans of white space have none.

    The tokens of white space are no words, unless it is ``kept`` that they are.
    """
    has_tree = doc.has_annotation("DEP")
    for start, end in spans:
        known = (kept or {}).get((start, end))
        places = known["words"] if known else words_between(doc, start, end)
        if places:
            yield (start, end), _sentence(doc, end, places, has_tree)


def words_between(doc: Doc, start: int, end: int) -> list[int]:
    """Return the places of the tokens that are no white space."""
    return [place for place in range(start, end) if not _is_space(doc[place])]


def _is_space(token: Any) -> bool:
    """Return whether a token is white space; not every vocabulary knows that."""
    return bool(token.text.isspace())


def annotate(doc: Doc, spans: Sequence[tuple[int, int, list[int]]], sentences: Sequence[Sentence]) -> None:
    """Write sentences into a document: to each belong a start, an end, and the places of its words.

    Tokens of white space hang from the word before them.
    """
    n = len(doc)
    heads, deps, starts = np.zeros(n, np.int64), [""] * n, np.full(n, -1, np.int64)
    for (start, end, places), sentence in zip(spans, sentences, strict=True):
        starts[start] = 1
        _write_words(doc, places, sentence)
        for place, head, deprel in zip(places, sentence.heads.tolist(), sentence.deprels, strict=True):
            heads[place] = places[head - 1] - place if head > 0 else 0
            deps[place] = "ROOT" if deprel == "root" else _blank(deprel)
            if head == 0 and not deps[place]:
                deps[place] = "ROOT"
            elif head < 0:
                deps[place] = ""
        _hang_spaces(doc, start, end, places, heads, deps)
    if any(deps[place] for _, _, places in spans for place in places):
        labels = np.array([doc.vocab.strings.add(dep) for dep in deps], np.uint64)
        doc.from_array(["HEAD", "DEP"], np.stack([heads.view(np.uint64), labels], 1))
    if n:  # after the heads, of which spaCy makes a sentence for each root
        doc.from_array(["SENT_START"], starts.view(np.uint64))
    _keep(doc, spans, sentences)


def comments_of(doc: Doc, start: int, end: int) -> list[str]:
    """Return the comments that a document keeps of a sentence."""
    return [
        line
        for one in doc.user_data.get(_KEY, ())
        if (one["start"], one["end"]) == (start, end)
        for line in one["comments"]
    ]


def _sentence(doc: Doc, end: int, places: Sequence[int], has_tree: bool) -> Sentence:
    numbers = {place: number for number, place in enumerate(places, 1)}
    tokens = [doc[place] for place in places]
    heads = [numbers.get(token.head.i, -1) if token.head.i != token.i else 0 if token.dep_ else -1 for token in tokens]
    text = doc[places[0] : places[-1] + 1].text
    return Sentence.from_forms(
        [token.text for token in tokens],
        lemmas=[token.lemma_ or "_" for token in tokens],
        upos=[token.pos_ or "_" for token in tokens],
        xpos=[token.tag_ or "_" for token in tokens],
        feats=[str(token.morph) or "_" for token in tokens],
        heads=heads if has_tree else [-1] * len(tokens),
        deprels=["root" if token.dep_ == "ROOT" else token.dep_ or "_" for token in tokens],
        misc=_noted_spaces(doc, places),
        comments=[f"# text = {' '.join(text.split())}"],
        ranges=np.array([(token.idx, token.idx + len(token)) for token in tokens], np.int64),
    )


def _noted_spaces(doc: Doc, places: Sequence[int]) -> list[str]:
    """Note the white space after each word, and that before the first word of the document."""
    text, n = doc.text, len(doc)
    misc = []
    for place in places:
        token, after = doc[place], place + 1
        while after < n and _is_space(doc[after]):
            after += 1
        end = doc[after].idx if after < n else len(text)
        gap, is_last = text[token.idx + len(token) : end], after == n
        entries = []
        if all(_is_space(doc[i]) for i in range(place)) and token.idx:
            entries.append(f"SpacesBefore={_escaped(text[: token.idx])}")
        if not gap and not is_last:
            entries.append("SpaceAfter=No")
        elif gap and (gap != " " or is_last):
            entries.append(f"SpacesAfter={_escaped(gap)}")
        misc.append("|".join(entries) or "_")
    return misc


def _gaps(sentence: Sentence, *, is_last: bool) -> list[str]:
    """Return the white space before the first word of a sentence, and that after each word."""
    misc = list(sentence.misc)
    for token in multiword_tokens(sentence):
        inside = sentence.forms[token.first - 1 : token.last]
        if "".join(inside) == token.form:  # otherwise its words are no parts of the text
            misc[token.first - 1 : token.last - 1] = ["SpaceAfter=No"] * (len(inside) - 1)
        misc[token.last - 1] = token.misc
    before, gaps = "", list[str]()
    for i, entries in enumerate(misc):
        noted = dict(entry.partition("=")[::2] for entry in entries.split("|"))
        usual = "" if noted.get("SpaceAfter") == "No" or (is_last and i == len(misc) - 1) else " "
        gaps.append(_unescaped(noted["SpacesAfter"], usual) if "SpacesAfter" in noted else usual)
        if i == 0 and "SpacesBefore" in noted:
            before = _unescaped(noted["SpacesBefore"], "")
    return [before, *gaps]


def _escaped(gap: str) -> str:
    return "".join(_ESCAPES.get(character, character) for character in gap)


def _unescaped(text: str, usual: str) -> str:
    """Return the white space that is noted; the usual one where something else is."""
    gap = re.sub(r"\\(.)", lambda match: _PLAIN.get(match[0], match[0]), text)
    return gap if not gap or gap.isspace() else usual


def _blank(value: str) -> str:
    return "" if value == "_" else value


def _write_words(doc: Doc, places: Sequence[int], sentence: Sentence) -> None:
    """Write tags, features and lemmas, where spaCy takes them."""
    known = library("spacy.parts_of_speech", "spaCy").IDS
    for place, lemma, upos, xpos, feats in zip(
        places, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, strict=True
    ):
        token = doc[place]
        if xpos != "_":
            token.tag_ = xpos
        if upos in known and upos != "_":
            token.pos_ = upos
        if feats == "_" or all("=" in entry for entry in feats.split("|")):
            token.set_morph(_blank(feats))
        if lemma != "_":
            token.lemma_ = lemma


def _hang_spaces(
    doc: Doc, start: int, end: int, places: Sequence[int], heads: np.ndarray[Any, Any], deps: list[str]
) -> None:
    """Hang the tokens of white space from the words before them, or the first word; they are no words."""
    words, above = set(places), places[0]
    for place in range(start, end):
        if place in words:
            above = place
        else:
            heads[place], deps[place] = above - place, "dep"
            doc[place].pos_, doc[place].tag_ = "SPACE", "_SP"


def _keep(doc: Doc, spans: Sequence[tuple[int, int, list[int]]], sentences: Sequence[Sentence]) -> None:
    """Keep the columns of sentences beside what spaCy makes of them, as plain data."""
    has_tree = doc.has_annotation("DEP")
    kept = []
    for (start, end, places), sentence in zip(spans, sentences, strict=True):
        there = _sentence(doc, end, places, has_tree)
        kept.append(
            {
                **{"start": start, "end": end, "words": list(places), "forms": list(sentence.forms)},
                **{"comments": list(sentence.comments), "asides": [list(aside) for aside in sentence.asides]},
                **{"format": sentence.format, "own": _plain(sentence), "there": _plain(there)},
            }
        )
    doc.user_data[_KEY] = kept


def _plain(sentence: Sentence) -> dict[str, list[Any]]:
    return {"heads": sentence.heads.tolist()} | {name: list(getattr(sentence, name)) for name in _COLUMNS}


def _restored(sentence: Sentence, kept: Any) -> Sentence:
    """Return a sentence of a document with what was kept of it: everything that spaCy says as it did then."""
    if kept is None or kept["forms"] != list(sentence.forms):
        return sentence
    columns = {
        name: [
            own if now == then else now
            for now, then, own in zip(column, kept["there"][name], kept["own"][name], strict=True)
        ]
        for name, column in _plain(sentence).items()
    }
    asides = [(int(position), line) for position, line in kept["asides"]]
    return sentence.replace(comments=list(kept["comments"]), asides=asides, format=kept["format"], **columns)
