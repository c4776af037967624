"""A component for spaCy: ``nlp.add_pipe("treewright", config={"model": "en"})``.

spaCy finds it by an entry point; nothing has to be imported.  It keeps the tokens of spaCy and the sentences that
another component has found, and sets ``tag_``, ``pos_``, ``morph``, ``lemma_``, ``head``, ``dep_`` and the sentences of
a document.  Probabilities are ``token._.head_probability``, ``token._.label_probability`` (of the relation, if the head
is correct), ``token._.tag_probability``, and for sentences ``span._.tree_probability`` and ``span._.expected_errors``.
"""

from __future__ import annotations

import importlib.util
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from treewright.dependency.parser import Parser
from treewright.inference import Constraints
from treewright.integrations.spacy_docs import annotate, comments_of, from_doc, sentences_in, to_doc, words_between
from treewright.parsing import ParsingOptions
from treewright.tokenization import Splitter, tokenize
from treewright.treebank import Sentence
from treewright.treebank.conllu.confidence import read_confidence
from treewright.treebank.conllu.doubts import Numbers, numbers_of

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

__all__ = ["TreewrightComponent", "from_doc", "make_treewright", "to_doc"]

_ASSIGNS = ("tag", "pos", "morph", "lemma", "head", "dep", "is_sent_start", "_.head_probability")
_PROBABILITIES = ("head_probability", "label_probability", "tag_probability")

#: How many documents are parsed together, on all cores.
_BATCH = 64


class TreewrightComponent:
    """Parses documents of spaCy by a dependency parser.

    Attributes
    ----------
    parser : Parser
    options : ParsingOptions
        Those of `Parser.parse_sentence`.
    """

    def __init__(self, parser: Parser, options: ParsingOptions | None = None) -> None:
        self.parser = parser
        self.options: ParsingOptions = {} if options is None else options

    def __call__(self, doc: Doc) -> Doc:
        """Parse a document."""
        [done] = self._parsed([doc], threads=1)
        return done

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = _BATCH) -> Iterator[Doc]:
        """Parse many documents, on all cores."""
        docs = iter(stream)
        while batch := list(islice(docs, batch_size)):
            yield from self._parsed(batch, threads=None)

    def _parsed(self, docs: Sequence[Doc], threads: int | None) -> Sequence[Doc]:
        found = [list(sentences_in(doc, self._spans(doc))) for doc in docs]
        sentences = [sentence for pairs in found for _, sentence in pairs]
        trees = self.parser.parse_all(sentences, threads=threads, **self.options)
        for doc, pairs in zip(docs, found, strict=True):
            spans = [(*span, words_between(doc, *span)) for span, _ in pairs]
            _write(doc, spans, list(islice(trees, len(pairs))))
        return docs

    def _spans(self, doc: Doc) -> list[tuple[int, int]]:
        """Find the sentences of a document, as others have found them, or as the parser cuts its text."""
        if doc.has_annotation("SENT_START"):
            spans = [(span.start, span.end) for span in doc.sents]
        else:
            words = words_between(doc, 0, len(doc))
            begins = [doc[word].idx for word in words]
            found = (bisect_left(begins, start) for start in _starts(doc.text, self.parser.splitter))
            first = sorted({words[place] for place in found if 0 < place < len(words)})
            spans = list(zip([0, *first], [*first, len(doc)], strict=True))
        return spans


def _starts(text: str, splitter: Splitter) -> Iterator[int]:
    """Yield where the sentences of a text begin."""
    for sentence in tokenize(text, splitter):
        if sentence.ranges is not None:
            yield int(sentence.ranges[0, 0])


def _write(doc: Doc, spans: Sequence[tuple[int, int, list[int]]], trees: Sequence[Sentence]) -> None:
    annotate(doc, spans, trees)
    for (_, _, places), tree in zip(spans, trees, strict=True):
        for place, misc in zip(places, tree.misc, strict=True):
            for name, value in zip(_PROBABILITIES, read_confidence(misc)[:3], strict=True):
                if value is not None:
                    doc[place]._.set(name, value)


def make_treewright(
    nlp: Language, name: str, model: str, confidence: bool, keep_tags: bool, at_most_one: list[str]
) -> TreewrightComponent:
    """Make the component, from its entry in the configuration of a pipeline.

    Parameters
    ----------
    nlp, name
        As spaCy gives them.
    model : str
        The name of a model, or a model file.
    confidence : bool
        Whether to compute probabilities, if the model has any.
    keep_tags : bool
        Whether to parse with the tags that components before this one have set.
    at_most_one : list of str
        Relations that at most one modifier of a head may have.
    """
    parser = Parser.open(model)
    options = ParsingOptions(confidence=confidence and parser.has_probabilities, keep_tags=keep_tags)
    if at_most_one:
        options["constraints"] = Constraints(at_most_one=tuple(at_most_one))
    return TreewrightComponent(parser, options)


def _numbers(span: Any) -> Numbers:
    return numbers_of(Sentence.from_forms((), comments=comments_of(span.doc, span.start, span.end)))


def _register() -> None:
    """Tell spaCy of the component and of the attributes it sets."""
    from spacy.language import Language
    from spacy.tokens import Span, Token

    for name in _PROBABILITIES:
        Token.set_extension(name, default=None, force=True)
    Span.set_extension("tree_probability", getter=lambda span: _numbers(span).probability, force=True)
    Span.set_extension("expected_errors", getter=lambda span: _numbers(span).expected_errors, force=True)
    Language.factory(
        "treewright",
        default_config={"model": "en", "confidence": True, "keep_tags": False, "at_most_one": []},
        assigns=[f"token.{name}" for name in _ASSIGNS],
        func=make_treewright,
    )


if importlib.util.find_spec("spacy") is not None:  # without spaCy, there is nobody to tell
    _register()
