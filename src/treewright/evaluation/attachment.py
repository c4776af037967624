"""Attachment scores of a system against a gold standard that has the same words.

UAS and LAS are the percentages of words with the correct head, and with the correct head and relation.  CLAS is the F1
of LAS over content relations (Nivre and Fang 2017, *Universal Dependency Evaluation*).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from treewright.arrays import Mask
from treewright.evaluation.agreement import Agreement, agreement, count, given
from treewright.evaluation.alignment import Alignment, align
from treewright.evaluation.breakdown import score_content, score_lengths, score_relations
from treewright.evaluation.punctuation import Punctuation
from treewright.evaluation.result import Result
from treewright.evaluation.score import Score
from treewright.treebank import Sentence

__all__ = ["Evaluation", "evaluate"]


@dataclass(frozen=True, slots=True)
class Evaluation(Result):
    """The scores of `evaluate`, in addition to what every `Result` has.

    Attributes
    ----------
    subtypes : bool
        Whether relations were compared with their subtypes.
    uas, las, clas : Score
        Correct heads; correct heads and relations; the latter over content relations only.
    exact_heads, exact_trees : Score
        Sentences with every scored head correct; with every scored head and relation correct.  Sentences without a
        scored word are not counted.
    upos, xpos, feats : Score
        Correct tags and features of all words, punctuation included.
    by_relation : dict of str to Score
        Labelled arcs by relation, the most frequent in the gold standard first.
    by_length : dict of str to Score
        Unlabelled arcs by length: ``root``, ``1``, ``2``, ``3-6``, ``7+``.

    Examples
    --------
    >>> gold = [Sentence.from_forms(["Trees", "grow"], heads=[2, 0], deprels=["nsubj", "root"])]
    >>> evaluate(gold, gold).to_dict()["uas"]["f1"]
    100.0
    """

    subtypes: bool
    uas: Score
    las: Score
    clas: Score
    exact_heads: Score
    exact_trees: Score
    upos: Score
    xpos: Score
    feats: Score
    by_relation: dict[str, Score]
    by_length: dict[str, Score]


def evaluate(
    gold: Iterable[Sentence],
    system: Iterable[Sentence],
    punctuation: Punctuation = "keep",
    *,
    subtypes: bool = True,
) -> Evaluation:
    """Score the trees and tags of a system against a gold standard.

    Parameters
    ----------
    gold, system : iterable of Sentence
        The same sentences with the same words.  A head that the system leaves out is wrong.
    punctuation : {"keep", "ud", "penn", "unicode"}
        Which words to leave out of everything but the tags; see `treewright.evaluation.punctuation`.
    subtypes : bool
        Compare whole relations (``nsubj:pass``), or only the part before the colon (``nsubj``), as the scorer of
        Universal Dependencies does.  With ``subtypes=False`` and ``punctuation="keep"``, UAS, LAS and CLAS are the same
        as there, to the last digit.

    Returns
    -------
    Evaluation
        A column that is entirely empty on one side is not scored: that side has 0 items, and ``Score.given`` is
        False.

    Raises
    ------
    UsageError
        If sentences or words differ, a gold head is missing, or the punctuation rule cannot be applied.

    Examples
    --------
    >>> gold = Sentence.from_forms(
    ...     ["She", "reads", "long", "books"], heads=[2, 0, 4, 2], deprels=["nsubj", "root", "amod", "obj"]
    ... )
    >>> system = gold.replace(heads=[2, 0, 2, 2], deprels=["nsubj", "root", "amod", "iobj"])
    >>> evaluation = evaluate([gold], [system])
    >>> evaluation.uas.f1, evaluation.las.f1
    (75.0, 50.0)
    >>> evaluation.by_relation["nsubj"]
    Score(correct=1, gold=1, system=1)
    """
    pair = align(gold, system)
    words = agreement(pair, punctuation, subtypes)
    return Evaluation(
        *pair.sizes(len(words.sentence)),
        punctuation=punctuation,
        subtypes=subtypes,
        uas=words.score_heads(),
        las=words.score_arcs(),
        clas=score_content(words),
        exact_heads=_score_sentences(words, words.attached, words.heads_given),
        exact_trees=_score_sentences(words, words.labelled, words.relations_given),
        upos=_score_column(pair, lambda sentence: sentence.upos),
        xpos=_score_column(pair, lambda sentence: sentence.xpos),
        feats=_score_column(pair, lambda sentence: sentence.feats, _same_features),
        by_relation=score_relations(words),
        by_length=score_lengths(words),
    )


def _score_sentences(words: Agreement, correct: Mask, sides: tuple[bool, bool]) -> Score:
    """Count the sentences, of those with a scored word, in which every scored word is correct."""
    all_correct = np.setdiff1d(words.sentence, words.sentence[~correct])
    sentences = np.unique(words.sentence)
    return count(np.isin(sentences, all_correct), sides)


def _score_column(
    pair: Alignment,
    column: Callable[[Sentence], Sequence[str]],
    same: Callable[[str, str], bool] = str.__eq__,
) -> Score:
    gold, system = pair.columns(column)
    correct = np.fromiter(map(same, gold, system), np.bool_, len(gold))
    return count(correct, (given(gold), given(system)))


def _same_features(gold: str, system: str) -> bool:
    """Compare features as sets, in any order."""
    return gold == system or sorted(gold.split("|")) == sorted(system.split("|"))
