"""Learning parts of a parser anew, from a treebank: all else stays as it is.

The tokenizer and the lemmas depend on nothing that the parser was trained with, and the parser depends on neither; so a
better treebank, or a better way to learn them, needs no training of the parser.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from treewright.dependency.options import TrainingOptions
from treewright.dependency.parser import Parser
from treewright.dependency.scores import dev_scores, raw_text_scores
from treewright.dependency.training import check_treebank, learn_tokenizer
from treewright.errors import UsageError
from treewright.model import slim
from treewright.parsing.progress import Reporter
from treewright.tagging import Tagger
from treewright.tagging.lemmas.training import has_lemmas, train_lemmatizer
from treewright.tagging.training import tagged_throughout
from treewright.treebank import Sentence

__all__ = ["relearn"]


def relearn(
    parser: Parser,
    treebank: Iterable[Sentence],
    dev: Iterable[Sentence],
    only: Collection[str],
    options: TrainingOptions | None = None,
    *,
    info: Mapping[str, Any] | None = None,
    report: Reporter | None = None,
) -> Parser:
    """Learn parts of a parser anew.

    Parameters
    ----------
    parser : Parser
        Is changed, but for its trees and tags.
    treebank, dev : iterable of Sentence
        The dev set is only scored.
    only : collection of str
        ``tokenizer``; ``lemmas``, from gold tags alone.
    options : TrainingOptions, optional
        Of these, ``seed``, ``size`` and ``threads`` count.
    info : mapping, optional
        What to note in the model; what is empty stays as it is.
    report : Reporter, optional

    Returns
    -------
    Parser

    Raises
    ------
    UsageError
        If the parser is of gold tags, or the treebank cannot be learned from.
    """
    options, report = options or TrainingOptions(), report or Reporter()
    if parser.tagger is None:
        raise UsageError("this model was trained on gold tags, and finds neither sentences nor lemmas")
    treebank, dev = list(treebank), list(dev)
    gold = check_treebank("training", treebank, partial=True)
    held_out = check_treebank("dev", dev)
    about = parser.info | {key: value for key, value in (info or {}).items() if value}
    if "tokenizer" in only:
        parser.tokenizer = learn_tokenizer(treebank, options, about, report)
    if "lemmas" in only:
        parser.tagger = _with_lemmas(parser, gold, options, report)
    if options.size is not None:
        parser = slim(parser, options.size)
    parser.info = about | {"dev": dev_scores(parser, held_out, options.threads)}
    parser.info |= raw_text_scores(parser, dev, options.threads)
    return parser


def _with_lemmas(parser: Parser, gold: list[Sentence], options: TrainingOptions, report: Reporter) -> Tagger:
    """Return the tagger of a parser with a lemmatizer learned from a treebank."""
    tagger = parser.tagger
    if not isinstance(tagger, Tagger):
        raise UsageError("lemmas of a network are a part of it: train it anew, or leave out --only lemmas")
    if not has_lemmas(gold):
        raise UsageError("the training treebank has no lemmas")
    lemmatizer = train_lemmatizer(
        list(tagged_throughout(gold)),
        [column.name for column in tagger.columns],
        clusters=tagger.clusters,
        seed=options.seed,
        on_progress=lambda share: report.stage("lemmas", share),
    )
    return Tagger(tagger.columns, lemmatizer)
