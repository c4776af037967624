"""Scores of a system against a gold standard: trees, tags and lemmas, and how the text was cut into words.

UAS and LAS are the percentages of words with the correct head, and with the correct head and relation.  Where the words
of the system differ, words are aligned through the text, and all scores are F1 over the words of both sides, as in the
shared task of CoNLL 2018 (Zeman et al. 2018).  The same words are the special case in which all are aligned.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from treewright.arrays import Mask
from treewright.evaluation.agreement import Agreement, agreement
from treewright.evaluation.alignment import align_text
from treewright.evaluation.breakdown import score_lengths, score_relations
from treewright.evaluation.content import score_blex, score_clas, score_mlas
from treewright.evaluation.punctuation import Punctuation
from treewright.evaluation.result import Result
from treewright.evaluation.score import Score
from treewright.evaluation.tags import tag_agreement
from treewright.treebank import Sentence

__all__ = ["Evaluation", "evaluate"]


@dataclass(frozen=True, slots=True)
class Evaluation(Result):
    """The scores of `evaluate`, in addition to what every `Result` has.

    Attributes
    ----------
    subtypes : bool
        Whether relations were compared with their subtypes.
    same_words : bool
        Whether both sides have the same sentences of the same words.
    segmentation : dict of str to Score
        How the text was cut into ``tokens``, ``sentences`` and ``words``.
    uas, las, clas : Score
        Correct heads; correct heads and relations; the latter over content relations only.
    mlas, blex : Score
        CLAS with tags, features and function words; CLAS with lemmas.
    exact_heads, exact_trees : Score
        Sentences with every scored head correct; with every scored head and relation correct.  Sentences without a
        scored word are not counted.
    upos, xpos, feats, lemmas : Score
        Correct tags, features and lemmas of all words, punctuation included.  Where the gold standard has no lemma, any
        is correct.
    ufeats, all_tags : Score
        The universal features; UPOS, XPOS and universal features together.
    by_relation : dict of str to Score
        Labelled arcs by relation, the most frequent in the gold standard first.
    by_length : dict of str to Score
        Unlabelled arcs by length: ``root``, ``1``, ``2``, ``3-6``, ``7+``.  Empty if the words differ.

    Examples
    --------
    >>> gold = [Sentence.from_forms(["Trees", "grow"], heads=[2, 0], deprels=["nsubj", "root"])]
    >>> evaluate(gold, gold).to_dict()["uas"]["f1"]
    100.0
    """

    subtypes: bool
    same_words: bool
    segmentation: dict[str, Score]
    uas: Score
    las: Score
    clas: Score
    mlas: Score
    blex: Score
    exact_heads: Score
    exact_trees: Score
    upos: Score
    xpos: Score
    feats: Score
    ufeats: Score
    all_tags: Score
    lemmas: Score
    by_relation: dict[str, Score]
    by_length: dict[str, Score]


def evaluate(
    gold: Iterable[Sentence],
    system: Iterable[Sentence],
    punctuation: Punctuation = "keep",
    *,
    subtypes: bool = True,
) -> Evaluation:
    """Score the trees, tags and lemmas of a system against a gold standard.

    Parameters
    ----------
    gold, system : iterable of Sentence
        The same text, spaces aside; or the same words, whatever the text.  A head that the system leaves out is wrong.
    punctuation : {"keep", "ud", "penn", "unicode"}
        Which words to leave out of everything but the tags; see `treewright.evaluation.punctuation`.  All rules but
        ``"keep"`` need the same words.
    subtypes : bool
        Compare whole relations (``nsubj:pass``), or only the part before the colon (``nsubj``), as the scorer of
        Universal Dependencies does.  With ``subtypes=False`` and ``punctuation="keep"``, all scores are the same as
        there, to the last digit.

    Returns
    -------
    Evaluation
        A column that is entirely empty on one side is not scored: that side has 0 items, and ``Score.given`` is
        False.

    Raises
    ------
    UsageError
        If the text differs, a gold head is missing, or the punctuation rule cannot be applied.

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

    Other words of the same text are aligned:

    >>> coarse = Sentence.from_forms(["She", "reads", "longbooks"], heads=[2, 0, 2], deprels=["nsubj", "root", "obj"])
    >>> evaluation = evaluate([gold], [coarse])
    >>> evaluation.segmentation["words"], evaluation.las
    (Score(correct=2, gold=4, system=3), Score(correct=2, gold=4, system=3, aligned=2))
    """
    pair = align_text(gold, system)
    words, tags = agreement(pair, punctuation, subtypes), tag_agreement(pair)
    return Evaluation(
        *pair.sizes(len(words.attached)),
        punctuation=punctuation,
        subtypes=subtypes,
        same_words=pair.is_same,
        segmentation=pair.segmentation,
        uas=words.score_heads(),
        las=words.score_arcs(),
        clas=score_clas(words),
        mlas=score_mlas(words, tags),
        blex=score_blex(words, tags),
        exact_heads=_score_sentences(words, words.attached, words.heads_given),
        exact_trees=_score_sentences(words, words.labelled, words.relations_given),
        upos=tags.score(tags.upos),
        xpos=tags.score(tags.xpos),
        feats=tags.score(tags.feats),
        ufeats=tags.score(tags.ufeats),
        all_tags=tags.score(tags.upos & tags.xpos & tags.ufeats),
        lemmas=tags.score(tags.lemmas),
        by_relation=score_relations(words),
        by_length=score_lengths(words) if pair.is_same else {},
    )


def _score_sentences(words: Agreement, correct: Mask, sides: tuple[bool, bool]) -> Score:
    """Count the sentences, of those with a scored word, in which every scored word is correct.

    If words differ, a sentence of the system must have all words of one of the gold standard, and no others.
    """
    gold, system = (np.bincount(side.sentence) for side in (words.gold, words.system))
    places = words.system.sentence[np.searchsorted(words.system.index, words.counterpart[correct])]
    pairs, shared = np.unique(np.stack([words.gold.sentence[correct], places]), axis=1, return_counts=True)
    exact = (gold[pairs[0]] == shared) & (system[pairs[1]] == shared)
    return Score(
        correct=int(np.count_nonzero(exact)) if all(sides) else 0,
        gold=int(np.count_nonzero(gold)) if sides[0] else 0,
        system=int(np.count_nonzero(system)) if sides[1] else 0,
    )
