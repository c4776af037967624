"""Attachment scores: cases counted by hand, and laws."""

import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluation.helpers import corpora
from treewright.evaluation import PUNCTUATION_RULES, Score, evaluate
from treewright.treebank import Sentence

GOLD = Sentence.from_forms(
    ["The", "dog", "was", "seen", "by", "her", "."],
    upos=["DET", "NOUN", "AUX", "VERB", "ADP", "PRON", "PUNCT"],
    xpos=["DT", "NN", "VBD", "VBN", "IN", "PRP", "."],
    feats=["_", "Number=Sing", "_", "Tense=Past|VerbForm=Part", "_", "Case=Acc", "_"],
    heads=np.array([2, 4, 4, 0, 6, 4, 4], np.int32),
    deprels=["det", "nsubj:pass", "aux:pass", "root", "case", "obl:agent", "punct"],
)
SYSTEM = GOLD.replace(
    upos=["DET", "NOUN", "VERB", "VERB", "ADP", "PRON", "PUNCT"],
    feats=["_", "Number=Plur", "_", "VerbForm=Part|Tense=Past", "_", "Case=Acc", "_"],
    heads=np.array([2, 4, 4, 0, 4, 5, 6], np.int32),
    deprels=["det", "nsubj", "aux:pass", "root", "case", "obj", "punct"],
)


def test_counts_by_hand():
    # Wrong heads: by, her, "." ; wrong relation on a correct head: dog (nsubj for nsubj:pass).
    result = evaluate([GOLD, GOLD], [SYSTEM, GOLD])
    assert (result.sentences, result.words, result.scored) == (2, 14, 14)
    assert result.uas == Score(11, 14, 14)
    assert result.las == Score(10, 14, 14)
    # Content words: dog, seen, her in each; correct: seen, and all three of the second sentence.
    assert result.clas == Score(4, 6, 6)
    assert result.exact_heads == result.exact_trees == Score(1, 2, 2)
    assert (result.upos, result.xpos, result.feats) == (
        Score(13, 14, 14),
        Score(14, 14, 14),
        Score(13, 14, 14),
    )


def test_without_subtypes():
    result = evaluate([GOLD], [SYSTEM], subtypes=False)
    assert (result.uas, result.las, result.clas) == (Score(4, 7, 7), Score(4, 7, 7), Score(2, 3, 3))
    assert result.by_relation["nsubj"] == Score(1, 1, 1)
    assert "nsubj:pass" not in result.by_relation


def test_clas_counts_content_words_on_each_side():
    # The system has four content words (det became nmod), the gold standard three.
    system = GOLD.replace(deprels=["nmod", *GOLD.deprels[1:]])
    assert evaluate([GOLD], [system]).clas == Score(3, 3, 4)


@pytest.mark.parametrize("rule", ["ud", "penn", "unicode"])
def test_punctuation_is_left_out_of_trees_and_kept_in_tags(rule):
    result = evaluate([GOLD], [SYSTEM], rule)
    assert (result.words, result.scored) == (7, 6)
    assert result.uas == Score(4, 6, 6)
    assert "punct" not in result.by_relation
    assert sum(score.gold for score in result.by_length.values()) == 6
    assert result.xpos == Score(7, 7, 7)


def test_a_wrong_full_stop_does_not_spoil_an_exact_tree_without_punctuation():
    system = GOLD.replace(heads=np.array([2, 4, 4, 0, 6, 4, 1], np.int32))
    assert evaluate([GOLD], [system]).exact_trees == Score(0, 1, 1)
    assert evaluate([GOLD], [system], "ud").exact_trees == Score(1, 1, 1)


def test_exact_heads_and_exact_trees_differ_by_relations():
    system = GOLD.replace(deprels=["det", "nsubj", *GOLD.deprels[2:]])
    result = evaluate([GOLD, GOLD, GOLD], [system, GOLD, SYSTEM])
    assert (result.exact_heads, result.exact_trees) == (Score(2, 3, 3), Score(1, 3, 3))


def test_sentences_without_a_scored_word_are_not_exact_trees():
    dots = Sentence.from_forms(["..."], upos=["PUNCT"], heads=[0], deprels=["root"])
    result = evaluate([GOLD, dots], [GOLD, dots], "ud")
    assert (result.sentences, result.exact_heads) == (2, Score(1, 1, 1))


def test_by_relation_by_hand():
    result = evaluate([GOLD, GOLD], [SYSTEM, GOLD]).by_relation
    assert result["nsubj:pass"] == Score(1, 2, 1)
    assert result["nsubj"] == Score(0, 0, 1)
    assert result["case"] == Score(1, 2, 2)
    assert list(result)[-2:] == ["nsubj", "obj"]


def test_by_length_by_hand():
    # Gold lengths: 1 2 1 root 1 2 3; system: 1 2 1 root 1 1 1.  Correct: the first four.
    assert evaluate([GOLD], [SYSTEM]).by_length == {
        "root": Score(1, 1, 1),
        "1": Score(2, 3, 5),
        "2": Score(1, 2, 1),
        "3-6": Score(0, 1, 0),
        "7+": Score(0, 0, 0),
    }


@pytest.mark.parametrize(("length", "name"), [(1, "1"), (2, "2"), (3, "3-6"), (6, "3-6"), (7, "7+"), (30, "7+")])
def test_edges_of_the_length_bins(length, name):
    words = ["x"] * (length + 1)
    sentence = Sentence.from_forms(words, heads=[*[0] * length, 1])
    assert evaluate([sentence], [sentence]).by_length[name] == Score(1, 1, 1)


def test_heads_that_the_system_does_not_give_are_wrong():
    system = GOLD.replace(heads=np.array([2, -1, 4, 0, 6, 4, 4], np.int32))
    result = evaluate([GOLD], [system])
    assert result.uas == Score(6, 7, 7)
    assert sum(score.system for score in result.by_length.values()) == 6


def test_columns_that_one_side_leaves_empty_are_not_scored():
    bare = Sentence.from_forms(GOLD.forms)
    result = evaluate([GOLD], [bare])
    assert result.uas == result.las == result.upos == Score(0, 7, 0)
    assert not result.uas.given
    unlabelled = GOLD.replace(deprels=["_"] * 7, xpos=["_"] * 7)
    result = evaluate([unlabelled], [unlabelled])
    assert (result.uas, result.las, result.xpos) == (Score(7, 7, 7), Score(0, 0, 0), Score(0, 0, 0))
    assert result.exact_trees == Score(0, 0, 0)
    assert result.by_relation == {"_": Score(0, 7, 7)}


def test_features_are_a_set():
    system = GOLD.replace(feats=[*GOLD.feats[:3], "VerbForm=Part|Tense=Past", *GOLD.feats[4:]])
    assert evaluate([GOLD], [system]).feats == Score(7, 7, 7)


def test_empty_sentences_are_allowed_beside_others():
    empty = Sentence.from_forms([])
    result = evaluate([empty, GOLD, empty], [empty, SYSTEM, empty])
    assert (result.sentences, result.uas) == (3, Score(4, 7, 7))


def test_accepts_iterators():
    assert evaluate(iter([GOLD]), (sentence for sentence in [SYSTEM])).uas == Score(4, 7, 7)


def test_to_dict_is_json_with_stable_keys():
    plain = evaluate([GOLD], [SYSTEM], "ud").to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert list(plain) == [
        *("sentences", "words", "scored", "punctuation", "subtypes", "same_words", "segmentation"),
        *("uas", "las", "clas", "mlas", "blex", "exact_heads", "exact_trees"),
        *("upos", "xpos", "feats", "ufeats", "all_tags", "lemmas", "by_relation", "by_length"),
    ]
    assert plain["uas"] == {
        "correct": 4,
        "gold": 6,
        "system": 6,
        "precision": 100 * (4 / 6),
        "recall": 100 * (4 / 6),
        "f1": 100 * (8 / 12),
    }
    assert plain["by_relation"]["case"]["f1"] == 0.0


@given(corpora(), st.sampled_from(PUNCTUATION_RULES), st.booleans())
def test_a_perfect_system_has_100(corpus, punctuation, subtypes):
    gold, _, _ = corpus
    result = evaluate(gold, gold, punctuation, subtypes=subtypes)
    scores = [result.uas, result.las, result.clas, result.exact_heads, result.exact_trees, result.upos]
    assert all(score.f1 == 100 for score in scores if score.given)
    if result.scored:
        assert result.uas.f1 == 100


@given(corpora(), st.sampled_from(PUNCTUATION_RULES))
def test_labelled_scores_are_at_most_unlabelled_ones(corpus, punctuation):
    gold, system, _ = corpus
    full = evaluate(gold, system, punctuation)
    universal = evaluate(gold, system, punctuation, subtypes=False)
    assert full.las.correct <= universal.las.correct <= full.uas.correct == universal.uas.correct
    assert full.exact_trees.correct <= universal.exact_trees.correct <= full.exact_heads.correct


@given(corpora(), st.sampled_from(PUNCTUATION_RULES), st.integers(0, 1000))
def test_the_order_of_sentences_changes_nothing(corpus, punctuation, seed):
    gold, system, _ = corpus
    order = random.Random(seed).sample(range(len(gold)), len(gold))
    shuffled = evaluate([gold[k] for k in order], [system[k] for k in order], punctuation)
    assert evaluate(gold, system, punctuation) == shuffled


@given(corpora(), st.sampled_from(PUNCTUATION_RULES), st.booleans())
def test_breakdowns_add_up(corpus, punctuation, subtypes):
    gold, system, _ = corpus
    result = evaluate(gold, system, punctuation, subtypes=subtypes)
    for breakdown, total in ((result.by_relation, result.las), (result.by_length, result.uas)):
        assert sum(score.gold for score in breakdown.values()) == result.scored
        assert sum(score.system for score in breakdown.values()) == result.scored
        assert sum(score.correct for score in breakdown.values()) == total.correct


@given(corpora())
def test_swapping_gold_and_system_swaps_precision_and_recall(corpus):
    gold, system, _ = corpus
    forwards, backwards = evaluate(gold, system), evaluate(system, gold)
    for name, score in forwards.by_relation.items():
        assert backwards.by_relation[name] == Score(score.correct, score.system, score.gold)


# Other words of the same text: "by her" has become one word, and the sentence has lost its end to another one.
COARSE = [
    Sentence.from_forms(
        ["The", "dog", "was", "seen", "byher"],
        upos=["DET", "NOUN", "VERB", "VERB", "PRON"],
        heads=np.array([2, 4, 4, 0, 4], np.int32),
        deprels=["det", "nsubj", "aux:pass", "root", "obl:agent"],
    ),
    Sentence.from_forms(["."], upos=["PUNCT"], heads=[0], deprels=["root"]),
]


def test_other_words_by_hand():
    result = evaluate([GOLD, GOLD], [*COARSE, GOLD])
    assert not result.same_words
    assert (result.sentences, result.words, result.scored) == (2, 14, 14)
    assert result.segmentation == {
        "tokens": Score(12, 14, 13),
        "sentences": Score(1, 2, 3),
        "words": Score(12, 14, 13),
    }
    assert result.uas == Score(11, 14, 13, aligned=12)  # but for the full stop
    assert result.las == Score(10, 14, 13, aligned=12)  # and nsubj
    assert result.clas == Score(4, 6, 7, aligned=5)
    assert result.upos == Score(11, 14, 13, aligned=12)
    assert result.exact_heads == result.exact_trees == Score(1, 2, 3)
    assert result.by_relation["nsubj:pass"] == Score(1, 2, 1, aligned=2)
    assert result.by_relation["case"] == Score(1, 2, 1, aligned=1)
    assert result.by_length == {}
    plain = result.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert plain["uas"]["aligned_accuracy"] == 100 * (11 / 12)


def test_a_sentence_is_exact_if_all_its_words_are_there_and_no_others():
    longer = Sentence.from_forms([*GOLD.forms, "!"], heads=[*GOLD.heads, 4], deprels=[*GOLD.deprels, "punct"])
    split = [GOLD, Sentence.from_forms(["!"], heads=[0], deprels=["root"])]
    result = evaluate([longer], split)
    assert (result.uas, result.exact_heads) == (Score(7, 8, 8, aligned=8), Score(0, 1, 2))
    assert evaluate(split, [longer]).exact_heads == Score(0, 2, 1)


def test_lemmas_and_function_words():
    lemmas = ["the", "dog", "be", "see", "by", "_", "."]
    gold = GOLD.replace(lemmas=lemmas)
    assert evaluate([gold], [gold.replace(lemmas=[*lemmas[:5], "she", "."])]).lemmas == Score(7, 7, 7)
    result = evaluate([gold], [gold.replace(lemmas=["a", "cat", *lemmas[2:]])])
    # Of the content words dog, seen and her, dog has another lemma.
    assert (result.lemmas, result.blex, result.clas) == (Score(5, 7, 7), Score(2, 3, 3), Score(3, 3, 3))
    # With another tag on "was", the word "seen" has lost a function word; with another head of "The", "dog" has.
    result = evaluate([gold], [SYSTEM.replace(lemmas=lemmas, deprels=GOLD.deprels, heads=GOLD.heads)])
    assert (result.clas, result.mlas) == (Score(3, 3, 3), Score(1, 3, 3))
    result = evaluate([gold], [gold.replace(heads=[4, *GOLD.heads[1:]])])
    assert (result.clas, result.mlas) == (Score(3, 3, 3), Score(1, 3, 3))


def test_universal_features_leave_others_out():
    system = GOLD.replace(feats=["_", "Number=Sing|Typo=Yes", *GOLD.feats[2:]])
    result = evaluate([GOLD], [system])
    assert (result.feats, result.ufeats, result.all_tags) == (Score(6, 7, 7), Score(7, 7, 7), Score(7, 7, 7))


def test_tags_that_only_one_side_has_leave_joint_scores_open():
    bare = GOLD.replace(xpos=["_"] * 7, feats=["_"] * 7)
    assert evaluate([GOLD], [bare]).all_tags == evaluate([bare], [GOLD]).all_tags == Score(0, 7, 0)
    assert not evaluate([GOLD], [bare]).mlas.given
    assert evaluate([bare], [bare]).all_tags == Score(7, 7, 7)
    assert not evaluate([GOLD], [GOLD]).blex.given


@given(corpora(), st.integers(0, 2**32))
def test_a_sentence_cut_in_two_loses_arcs_and_no_words(corpus, seed):
    gold, system, _ = corpus
    rng = random.Random(seed)
    k = rng.randrange(len(system))
    place = rng.randrange(len(system[k]))
    halves = [half for half in (_part(system[k], 0, place), _part(system[k], place, None)) if len(half)]
    cut = evaluate(gold, [*system[:k], *halves, *system[k + 1 :]])
    whole = evaluate(gold, system)
    assert cut.upos.correct == whole.upos.correct
    assert cut.uas.gold == cut.uas.system == whole.uas.system
    assert cut.uas.correct <= whole.uas.correct


def _part(sentence, first, last):
    """Take some words of a sentence; those whose head is left out have none."""
    columns = {name: getattr(sentence, name)[first:last] for name in ("forms", "upos", "xpos", "deprels")}
    whole = sentence.heads[first:last]
    inside = (whole > first) & (whole <= first + len(whole))
    heads = np.where(inside, whole - first, np.where(whole == 0, 0, -1))
    return Sentence.from_forms(heads=heads, **columns)
