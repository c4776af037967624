"""Every kind of feature, against lists written by hand from section 5.2 of Collins and Koo (2005)."""

from treewright.reranking.features import KINDS, ConstituentTreeFeatures
from treewright.treebank import ConstituentTree

# The rule of the article, VP -> PP VBD NP NP SBAR with head VBD, below S.
RULE = ConstituentTree.from_string(
    "(S (NP (PRP He)) (VP (PP (IN by) (NP (NN mail))) (VBD sent) (NP (NNP Ann)) (NP (NN word))"
    " (SBAR (IN that) (S (NP (NN rain)) (VP (VBD fell))))))"
)
# And its prepositional phrase.
PHRASE = ConstituentTree.from_string("(NP (NP (DT the) (NN president)) (PP (IN of) (NP (DT the) (NNP U.S.))))")


def of_kind(kind, tree, where="", closed_tags=()):
    """List features of one kind that begin in one way, without the kind."""
    found = ConstituentTreeFeatures(kinds=KINDS, closed_tags=closed_tags)(tree)
    return [name[len(kind) + 1 :] for name in found if name.startswith(f"{kind} {where}")]


def test_rules():
    assert of_kind("rule", RULE) == [
        "S -> NP *VP",
        "NP -> *PRP",
        "VP -> PP *VBD NP NP SBAR",
        "PP -> *IN NP",
        "NP -> *NN",  # which is there three times, and counts once
        "NP -> *NNP",
        "SBAR -> *IN S",
        "VP -> *VBD",
    ]


def test_bigrams():
    assert of_kind("bigram", RULE, "VP") == [
        "VP left PP STOP",
        "VP right NP NP",
        "VP right NP SBAR",
        "VP right SBAR STOP",
    ]


def test_bigrams_to_the_left_go_from_the_head_outward():
    tree = ConstituentTree.from_string("(NP (DT a) (JJ big) (NN tree))")
    assert of_kind("bigram", tree) == ["NP left JJ DT", "NP left DT STOP"]


def test_grandparent_rules():
    assert of_kind("grandparent-rule", RULE, "S VP -> PP") == ["S VP -> PP *VBD NP NP SBAR"]
    assert of_kind("grandparent-rule", RULE, "TOP") == ["TOP S -> NP *VP"]
    assert of_kind("grandparent-rule", RULE, "VP NP") == ["VP NP -> *NNP", "VP NP -> *NN"]


def test_grandparent_bigrams():
    assert of_kind("grandparent-bigram", RULE, "S VP") == [
        "S VP left PP STOP",
        "S VP right NP NP",
        "S VP right NP SBAR",
        "S VP right SBAR STOP",
    ]


def test_lexical_bigrams():
    assert of_kind("lexical-bigram", RULE, "VP") == [
        "VP left PP/by STOP",
        "VP right NP/Ann NP/word",
        "VP right NP/word SBAR/that",
        "VP right SBAR/that STOP",
    ]


def test_two_level_rules():
    assert of_kind("two-level-rule", RULE, "S -> NP *VP / VP") == [
        "S -> NP *VP / VP -> PP *VBD NP NP SBAR",
        "S -> NP *VP / VP -> *VBD",
    ]
    assert len(of_kind("two-level-rule", RULE)) == 10  # of eleven rules, all but the top


def test_two_level_bigrams():
    assert of_kind("two-level-bigram", RULE, "S ->") == [
        "S -> NP *VP / VP left PP STOP",
        "S -> NP *VP / VP right NP NP",
        "S -> NP *VP / VP right NP SBAR",
        "S -> NP *VP / VP right SBAR STOP",
    ]


def test_trigrams():
    assert of_kind("trigram", RULE, "VP") == [
        "VP STOP PP *VBD",
        "VP PP *VBD NP",
        "VP *VBD NP NP",
        "VP NP NP SBAR",
        "VP NP SBAR STOP",
        "VP STOP *VBD STOP",
    ]


def test_head_modifiers():
    assert of_kind("head-modifier", RULE, "S VP") == [
        "S VP *VBD left PP adjacent",
        "S VP *VBD right NP adjacent",
        "S VP *VBD right NP",
        "S VP *VBD right SBAR",
    ]


def test_prepositional_phrases():
    assert of_kind("pp", PHRASE) == ["NP NP PP NP president of U.S.", "NP NP PP NP of U.S."]
    assert of_kind("pp", RULE) == ["VP VBD PP NP sent by mail", "VP VBD PP NP by mail"]


def test_a_prepositional_phrase_that_is_a_head_modifies_nothing():
    tree = ConstituentTree.from_string("(PP (PP (IN of) (NP (NN art))) (CC and) (PP (IN by) (NP (NN us))))")
    assert of_kind("pp", tree) == ["PP PP PP NP of by us", "PP PP PP NP by us"]


def test_distances():
    # Between "sent" and "that" are two words.
    assert of_kind("distance", RULE, "VP *VBD SBAR") == [
        "VP *VBD SBAR =2",
        *(f"VP *VBD SBAR <={x}" for x in range(2, 10)),
        "VP *VBD SBAR >=1",
        "VP *VBD SBAR >=2",
    ]


def test_distances_to_the_left_count_the_words_between():
    # "He" and "sent" have two words between them, and "rain" and "fell" none.
    assert of_kind("distance", RULE, "S *VP NP =") == ["S *VP NP =2", "S *VP NP =0"]
    assert of_kind("distance", RULE, "S *VP NP >") == ["S *VP NP >=1", "S *VP NP >=2"]
    assert of_kind("distance", RULE, "S *VP NP <=0") == ["S *VP NP <=0"]


def test_long_distances_have_no_upper_bound():
    words = " ".join(f"(JJ w{i})" for i in range(11))
    tree = ConstituentTree.from_string(f"(NP (DT a) {words} (NN tree))")
    found = of_kind("distance", tree, "NP *NN DT")
    assert found == ["NP *NN DT =11", *(f"NP *NN DT >={x}" for x in range(1, 12))]


def test_closed_class_words_in_a_second_pass():
    found = ConstituentTreeFeatures()(PHRASE)
    plain = ConstituentTreeFeatures(kinds=set(KINDS) - {"closed-class"})(PHRASE)
    assert found[: len(plain)] == plain
    assert set(found[len(plain) :]) == {
        "rule NP -> *NP PP[of]",
        "grandparent-rule TOP NP -> *NP PP[of]",
        "bigram NP right PP[of] STOP",
        "grandparent-bigram TOP NP right PP[of] STOP",
        "trigram NP STOP *NP PP[of]",
        "trigram NP *NP PP[of] STOP",
        "lexical-bigram NP right PP[of]/of STOP",
        "rule NP -> DT[the] *NN",
        "grandparent-rule NP NP -> DT[the] *NN",
        "two-level-rule NP -> *NP PP[of] / NP -> DT[the] *NN",
        "bigram NP left DT[the] STOP",
        "grandparent-bigram NP NP left DT[the] STOP",
        "two-level-bigram NP -> *NP PP[of] / NP left DT[the] STOP",
        "trigram NP STOP DT[the] *NN",
        "trigram NP DT[the] *NN STOP",
        "lexical-bigram NP left DT[the]/the STOP",
        "rule PP[of] -> *IN[of] NP",
        "grandparent-rule NP PP[of] -> *IN[of] NP",
        "two-level-rule NP -> *NP PP[of] / PP[of] -> *IN[of] NP",
        "bigram PP[of] right NP STOP",
        "grandparent-bigram NP PP[of] right NP STOP",
        "two-level-bigram NP -> *NP PP[of] / PP[of] right NP STOP",
        "trigram PP[of] STOP *IN[of] NP",
        "trigram PP[of] *IN[of] NP STOP",
        "lexical-bigram PP[of] right NP/U.S. STOP",
        "rule NP -> DT[the] *NNP",
        "grandparent-rule PP[of] NP -> DT[the] *NNP",
        "two-level-rule PP[of] -> *IN[of] NP / NP -> DT[the] *NNP",
        "grandparent-bigram PP[of] NP left DT[the] STOP",
        "two-level-bigram PP[of] -> *IN[of] NP / NP left DT[the] STOP",
        "trigram NP DT[the] *NNP STOP",
        "trigram NP STOP DT[the] *NNP",
    }


def test_no_second_pass_for_these():
    found = ConstituentTreeFeatures()(RULE)
    for kind in ("head-modifier", "pp", "distance"):
        assert not any("[" in name for name in found if name.startswith(f"{kind} "))


def test_no_feature_twice():
    found = ConstituentTreeFeatures()(RULE)
    assert len(set(found)) == len(found)


def test_the_empty_bracket_on_top_is_called_top():
    tree = ConstituentTree.from_string("( (S (NP (NN rain)) (VP (VBD fell))))")
    assert of_kind("rule", tree, "TOP") == ["TOP -> *S"]
    assert of_kind("grandparent-rule", tree, "TOP S") == ["TOP S -> NP *VP"]
    assert of_kind("head-modifier", tree, "TOP S") == ["TOP S *VP left NP adjacent"]


def test_trees_of_any_depth():
    depth = 20_000
    tree = ConstituentTree(["X"] * depth, range(-1, depth - 1), ["deep"])
    found = ConstituentTreeFeatures(closed_tags=[])(tree)
    assert found == [
        "rule X -> *X",
        "grandparent-rule TOP X -> *X",
        "trigram X STOP *X STOP",
        "grandparent-rule X X -> *X",
        "two-level-rule X -> *X / X -> *X",
    ]
