"""How good a parser is on the dev set: from its tokens, and from its text."""

from __future__ import annotations

from collections.abc import Sequence

from treewright.dependency.parser import Parser
from treewright.evaluation import Evaluation, evaluate
from treewright.model import FROM_RAW_TEXT
from treewright.tokenization import text_of, tokenize
from treewright.treebank import Sentence

__all__ = ["dev_scores", "raw_text_scores"]


def dev_scores(parser: Parser, dev: Sequence[Sentence], threads: int) -> dict[str, float]:
    """Score the dev set; the first score decides: LAS, or UAS where relations are not predicted."""
    parsed = list(parser.parse_all(dev, keep_tags=parser.tagger is None, threads=threads))
    outcome = evaluate(dev, parsed)
    scores = {"LAS": outcome.las.f1} if parser.scorer.labels else {}
    scores["UAS"] = outcome.uas.f1
    if parser.tagger is not None:
        for name in _judged(parser.tagger.names, outcome):
            scores[name.upper()] = _lemmas(dev, parsed) if name == "lemmas" else getattr(outcome, name).f1
    return {name: round(score, 4) for name, score in scores.items()}


def raw_text_scores(parser: Parser, dev: Sequence[Sentence], threads: int) -> dict[str, dict[str, float]]:
    """Score what is found in the text of the dev set, with words aligned, under the name that it has in the notes.

    There are no such scores for parsers that need tags or have no tokenizer.
    """
    if parser.tokenizer is None or parser.needs_tags:
        return {}
    outcome = evaluate(dev, list(parser.parse_all(tokenize(text_of(dev), parser.splitter), threads=threads)))
    scores = {name: score.f1 for name, score in outcome.segmentation.items()}
    scores |= {"LAS": outcome.las.f1} if parser.scorer.labels else {}
    scores["UAS"] = outcome.uas.f1
    if parser.tagger is not None:
        scores |= {name.upper(): getattr(outcome, name).f1 for name in _judged(parser.tagger.names, outcome)}
    if parser.scorer.labels:
        scores |= {"CLAS": outcome.clas.f1, "MLAS": outcome.mlas.f1}
        scores |= {"BLEX": outcome.blex.f1} if "LEMMAS" in scores else {}
    return {FROM_RAW_TEXT: {name: round(score, 4) for name, score in scores.items()}}


def _judged(names: Sequence[str], outcome: Evaluation) -> list[str]:
    """Return the columns that the dev set has, too."""
    return [name for name in names if getattr(outcome, name).gold]


def _lemmas(dev: Sequence[Sentence], parsed: Sequence[Sentence]) -> float:
    """Compute the percentage of words with the correct lemma."""
    pairs = [pair for gold, own in zip(dev, parsed, strict=True) for pair in zip(gold.lemmas, own.lemmas, strict=True)]
    return 100 * sum(gold == own for gold, own in pairs) / max(len(pairs), 1)
