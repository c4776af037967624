"""Features of dependency trees, against lists written by hand."""

import pytest

from treewright.errors import UsageError
from treewright.reranking.features import KINDS, DependencyTreeFeatures
from treewright.treebank import Sentence, read

WORDS = ["She", "saw", "the", "president", "of", "France", "twice"]
TREE = Sentence.from_forms(
    WORDS,
    upos=["PRON", "VERB", "DET", "NOUN", "ADP", "PROPN", "ADV"],
    heads=[2, 0, 4, 2, 6, 4, 2],
    deprels=["nsubj", "root", "det", "obj", "case", "nmod", "advmod"],
)
# The same words with the preposition as the head of its phrase.
STANFORD = TREE.replace(heads=[2, 0, 4, 2, 4, 5, 2], deprels=["nsubj", "root", "det", "obj", "prep", "pobj", "advmod"])


def of_kind(kind, tree, where="", closed_tags=()):
    found = DependencyTreeFeatures(kinds=KINDS, closed_tags=closed_tags)(tree)
    return [name[len(kind) + 1 :] for name in found if name.startswith(f"{kind} {where}")]


def test_rules():
    assert of_kind("rule", TREE) == [
        "TOP -> *ROOT root",
        "nsubj -> *PRON",
        "root -> nsubj *VERB obj advmod",
        "det -> *DET",
        "obj -> det *NOUN nmod",
        "case -> *ADP",
        "nmod -> case *PROPN",
        "advmod -> *ADV",
    ]


def test_bigrams():
    assert of_kind("bigram", TREE, "root") == [
        "root left nsubj STOP",
        "root right obj advmod",
        "root right advmod STOP",
    ]


def test_what_is_above():
    assert of_kind("grandparent-rule", TREE, "root obj") == ["root obj -> det *NOUN nmod"]
    assert of_kind("grandparent-bigram", TREE, "root obj") == ["root obj left det STOP", "root obj right nmod STOP"]
    assert of_kind("two-level-rule", TREE, "obj") == [
        "obj -> det *NOUN nmod / det -> *DET",
        "obj -> det *NOUN nmod / nmod -> case *PROPN",
    ]
    assert of_kind("two-level-bigram", TREE, "obj") == ["obj -> det *NOUN nmod / nmod left case STOP"]


def test_lexical_bigrams():
    assert of_kind("lexical-bigram", TREE, "root") == [
        "root left nsubj/She STOP",
        "root right obj/president advmod/twice",
        "root right advmod/twice STOP",
    ]


def test_trigrams():
    assert of_kind("trigram", TREE, "root") == [
        "root STOP nsubj *VERB",
        "root nsubj *VERB obj",
        "root *VERB obj advmod",
        "root obj advmod STOP",
    ]


def test_head_modifiers():
    assert of_kind("head-modifier", TREE) == [
        "TOP TOP *ROOT right root/VERB adjacent",
        "TOP root *VERB left nsubj/PRON adjacent",
        "TOP root *VERB right obj/NOUN adjacent",
        "TOP root *VERB right advmod/ADV",
        "root obj *NOUN left det/DET adjacent",
        "root obj *NOUN right nmod/PROPN adjacent",
        "obj nmod *PROPN left case/ADP adjacent",
    ]


def test_distances():
    assert of_kind("distance", TREE, "root *VERB advmod/ADV") == [
        "root *VERB advmod/ADV =4",
        *(f"root *VERB advmod/ADV <={x}" for x in range(4, 10)),
        *(f"root *VERB advmod/ADV >={x}" for x in range(1, 5)),
    ]


def test_prepositions_above_and_below_their_objects():
    assert of_kind("pp", TREE) == ["NOUN nmod PROPN president of France", "NOUN nmod PROPN of France"]
    assert of_kind("pp", STANFORD) == ["NOUN prep PROPN president of France", "NOUN prep PROPN of France"]


def test_a_particle_is_no_preposition():
    tree = Sentence.from_forms(["Give", "up"], upos=["VERB", "ADP"], heads=[0, 1], deprels=["root", "compound:prt"])
    assert of_kind("pp", tree) == []


def test_closed_class_words():
    found = of_kind("rule", TREE, closed_tags=["ADP", "DET"])
    assert found[8:] == [
        "det[the] -> *DET[the]",
        "obj -> det[the] *NOUN nmod",
        "case[of] -> *ADP[of]",
        "nmod -> case[of] *PROPN",
    ]


def test_trees_without_relations_have_tags_instead():
    bare = TREE.replace(deprels=["_"] * len(TREE))
    assert of_kind("rule", bare, "VERB") == ["VERB -> PRON *VERB NOUN ADV"]
    assert of_kind("head-modifier", bare, "VERB NOUN") == [
        "VERB NOUN *NOUN left DET adjacent",
        "VERB NOUN *NOUN right PROPN adjacent",
    ]
    assert of_kind("pp", bare) == ["NOUN PROPN PROPN president of France", "NOUN PROPN PROPN of France"]


def test_other_tags_where_there_are_no_universal_ones():
    other = TREE.replace(upos=["_"] * len(TREE), xpos=["PRP", "VBD", "DT", "NN", "IN", "NNP", "RB"])
    assert of_kind("rule", other, "nmod") == ["nmod -> case *NNP"]


def test_children_of_crossing_arcs_stand_in_their_order():
    tree = Sentence.from_forms(list("abcd"), upos=list("ABCD"), heads=[3, 4, 0, 3], deprels=list("wxyz"))
    assert of_kind("rule", tree) == ["TOP -> *ROOT y", "w -> *A", "x -> *B", "y -> w *C z", "z -> x *D"]


def test_a_sentence_without_heads_is_refused():
    with pytest.raises(UsageError, match="sentence without heads has no features; parse it first"):
        DependencyTreeFeatures()(Sentence.from_forms(["Trees"]))


def test_every_tree_of_a_treebank_has_as_many_rules_as_words():
    features = DependencyTreeFeatures(kinds=["rule"])
    for tree in read("tests/data/nonprojective.conllu"):
        assert 1 <= len(features(tree)) <= len(tree) + 1
