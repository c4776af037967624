"""Head rules, the dependencies that follow from them, and rules learned from dependencies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.paths import TREEBANKS
from tests.treebank.constituents.strategies import trees
from treewright.errors import UsageError
from treewright.treebank import (
    ConstituentTree,
    HeadRules,
    Sentence,
    find_head_children,
    find_head_words,
    is_projective,
    learn_head_rules,
    read,
    read_trees,
    simplify,
    to_dependencies,
)
from treewright.treebank.constituents.heads import EMBEDDED_RULES

COLLINS = [
    # the priority list decides before the direction
    ("VP", "MD VB NP", 0),
    ("VP", "ADVP VBD NP NP", 1),
    ("VP", "VBG VBD", 1),
    ("VP", "TO VP", 0),
    ("S", "NP VP .", 1),
    ("S", "S , NP VP .", 3),
    ("S", "S CC S", 0),
    ("SBAR", "IN S", 0),
    ("SBAR", "WHNP S", 0),
    ("PP", "IN NP", 0),
    ("PP", "NP IN IN NP", 2),
    ("ADVP", "RB RB", 1),
    ("ADJP", "RB JJ", 1),
    ("ADJP", "JJ JJ", 0),
    ("QP", "IN CD CD", 0),
    ("WHPP", "IN WHNP", 0),
    ("SINV", "PP VBD NP", 1),
    ("UCP", "NP , ADJP", 2),
    # noun phrases
    ("NP", "DT JJ NN", 2),
    ("NP", "NNP POS", 1),
    ("NP", "NP PP", 0),
    ("NP", "NP , NP ,", 0),
    ("NP", "NN NN SBAR", 1),
    ("NP", "DT JJ", 1),
    ("NP", "$ CD CD", 0),
    ("NP", "CD JJ", 0),
    ("NP", "DT RB", 1),
    ("NP", "DT VBG", 1),
    ("NP", "DT", 0),
    ("NX", "JJ NN", 1),
    # coordination moves the head to the first conjunct
    ("NP", "NN CC NN", 0),
    ("NP", "NNP , NNP , CC NNP", 2),
    ("NP", "DT NN CC NN NN", 4),
    ("UCP", "NP CC ADJP", 0),
    ("UCP", "CC NP", 1),
    ("NP", "CC NN", 1),
    # function tags are left aside, alternatives too; unknown labels have a rule
    ("S-TPC-1", "NP-SBJ VP", 1),
    ("ADVP|PRT", "RB RP", 0),
    ("FOO", ", BAR BAZ", 1),
    ("FOO", ", .", 0),
]

YAMADA = [
    ("VP", "MD VB NP", 0),
    ("VP", "TO VB", 0),
    ("S", "NP VP .", 1),
    ("S", "S CC S", 2),
    ("NP", "DT JJ NN", 2),
    ("NP", "NNP POS", 1),
    ("NP", "NN CC NNS", 2),
    ("NP", "NP PP", 0),
    ("NP", "NP , NP", 2),
    ("NP", "JJ CD", 1),
    ("SBAR", "IN S", 0),
    ("PP", "IN NP", 0),
    ("PP", "IN IN NP", 0),
    ("UCP", "NP CC ADJP", 0),
    ("FRAG", ", NP", 1),
]


@pytest.mark.parametrize(("label", "children", "head"), COLLINS)
def test_collins(label, children, head):
    assert HeadRules.load("collins").find_head(label, children.split()) == head


@pytest.mark.parametrize(("label", "children", "head"), YAMADA)
def test_yamada_and_matsumoto(label, children, head):
    assert HeadRules.load("yamada-matsumoto").find_head(label, children.split()) == head


@pytest.mark.parametrize(
    ("label", "children", "head"),
    [
        ("IP-MAT", "NP-SBJ VBDI NP-OB1", 1),
        ("NP", "D-N N-N CP-REL", 1),
        ("PP", "P NP", 0),
        ("VN", "CLO VN V", 1),
        ("XP", "A B", 0),
    ],
)
def test_default(label, children, head):
    assert HeadRules.load("default").find_head(label, children.split()) == head


def test_every_part_of_the_format():
    rules = HeadRules.from_string(
        "# comment\n\n@punctuation ,\nA first X Y\nA last {Z W}\nA right {Q R} V*\nB = A\nC left =\n* right *\n"
    )
    assert rules.find_head("A", ["X", "W"]) == 0
    assert rules.find_head("A", ["P", "X", "W"]) == 2
    assert rules.find_head("A", ["R", "Q", "P"]) == 1
    assert rules.find_head("B", ["VB", "P", "P"]) == 0
    assert rules.find_head("A", ["P", "P", ","]) == 1
    assert rules.find_head("C", ["P", "C", "C"]) == 1
    assert rules.find_head("D", ["P", "P"]) == 1
    assert HeadRules.from_string(str(rules)) == rules


@pytest.mark.parametrize("name", EMBEDDED_RULES)
def test_rules_survive_printing(name):
    rules = HeadRules.load(name)
    assert HeadRules.from_string(str(rules)) == rules


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("A", "<string>:1: after A comes"),
        ("# c\nA up B", "<string>:2: 'up' is not a direction"),
        ("A left", "<string>:1: a step without labels"),
        ("A = B", "<string>:1: after A comes"),
        ("A left {B C", "<string>:1: an opening brace without"),
    ],
)
def test_bad_rules_are_refused(text, reason):
    with pytest.raises(UsageError, match=reason):
        HeadRules.from_string(text)


def test_rules_that_are_not_there(tmp_path):
    with pytest.raises(UsageError, match=r"no head rules 'magerman'; give a file, or one of collins"):
        HeadRules.load("magerman")
    path = tmp_path / "own.rules"
    path.write_text("* last *\n")
    assert HeadRules.load(path).find_head("A", ["B", "C"]) == 1
    path.write_bytes(b"\xff")
    with pytest.raises(UsageError, match=r":1: byte \d+ of the line, 0x.., is not UTF-8"):
        HeadRules.load(path)


def test_the_tree_of_the_paper():
    """Figure 1 of Carreras, Collins and Koo (2008)."""
    flat = to_dependencies(ConstituentTree.from_string("(S (VP (VBD ate) (NP (NN cake))))"))
    deep = to_dependencies(ConstituentTree.from_string("(S (VP (VP (VBD ate)) (NP (NN cake))))"))
    assert flat.heads.tolist() == deep.heads.tolist() == [0, 1]
    assert flat.deprels == ["TOP+*+S", "VP+VBD+NP"]
    assert deep.deprels == ["TOP+*+S", "VP+VP+NP"]


def test_a_whole_sentence():
    text = (
        "( (S (NP-SBJ-1 (DT The) (NN dog)) (ADVP (RB quickly)) (VP (VBD chased) (NP (PRP$ its) (NN cat) (CC and) (NN"
        " mouse)) (S (NP-SBJ (-NONE- *-1)))) (. .)))"
    )
    sentence = to_dependencies(ConstituentTree.from_string(text))
    assert sentence.heads.tolist() == [2, 4, 4, 0, 6, 4, 6, 6, 4]
    assert sentence.deprels == [
        "NP+NN+DT",
        "S+VP+NP",
        "S+VP+ADVP",
        "TOP+*+S",
        "NP+NN+PRP$",
        "VP+VBD+NP",
        "NP+NN+CC",
        "NP+NN+NN",
        "S+VP+.",
    ]
    assert sentence.upos == sentence.xpos == ("DT", "NN", "RB", "VBD", "PRP$", "NN", "CC", "NN", ".")
    bare = to_dependencies(ConstituentTree.from_string(text), relations="none")
    assert set(bare.deprels) == {"_"}
    assert bare.heads.tolist() == sentence.heads.tolist()


def test_odd_trees():
    assert len(to_dependencies(ConstituentTree.from_string("( (S (-NONE- *)))"))) == 0
    assert to_dependencies(ConstituentTree.from_string("(NN a)")).deprels == ["TOP+*+NN"]
    deep = ConstituentTree(["X"] * 50_000, np.arange(-1, 49_999), ["x"])
    assert to_dependencies(deep, "default").heads.tolist() == [0]
    with pytest.raises(UsageError, match="relations is 'ud'"):
        to_dependencies(deep, relations="ud")


@given(trees(), st.sampled_from(EMBEDDED_RULES))
def test_dependencies_are_projective_and_their_heads_are_those_of_the_rules(tree, name):
    rules = HeadRules.load(name)
    children = find_head_children(tree, rules)
    words = find_head_words(tree, children)
    for node, child in enumerate(children):
        assert (child < 0) == tree.is_leaf[node]
        if child >= 0:
            assert tree.parents[child] == node
            assert words[node] == words[child]
    simple = simplify(tree, empty="keep")  # labels lose their functions before heads are found
    words = find_head_words(simple, find_head_children(simple, rules))
    sentence = to_dependencies(tree, rules, empty="keep")
    assert is_projective(sentence.heads)
    assert np.count_nonzero(sentence.heads == 0) == 1
    assert sentence.heads[words[0] - 1] == 0


@given(st.lists(trees(), min_size=1, max_size=4), st.sampled_from(EMBEDDED_RULES))
def test_learned_rules_find_heads_that_one_label_tells(given_trees, name):
    """Give every node another label: then the decision list has no mistake to make."""
    sentences, distinct = [], []
    for number, tree in enumerate(given_trees):
        labels = [f"X{number}_{node}" for node in range(len(tree.labels))]
        distinct.append(tree.relabel(labels))
        sentences.append(to_dependencies(tree, name, empty="keep"))
    rules = learn_head_rules(distinct, sentences, empty="keep")
    for tree, sentence in zip(distinct, sentences, strict=True):
        assert to_dependencies(tree, rules, empty="keep").heads.tolist() == sentence.heads.tolist()


def test_learning_finds_the_direction_and_the_order():
    cases = [("(A (B b) (B c))", [2, 0]), ("(A (C b) (B c))", [0, 1]), ("(A (C b) (C c))", [0, 1])]
    pairs = [(ConstituentTree.from_string(text), Sentence.from_forms(["b", "c"], heads=h)) for text, h in cases]
    rules = learn_head_rules(*zip(*pairs, strict=True))
    assert rules.find_head("A", ["B", "B", "B"]) == 2
    assert rules.find_head("A", ["B", "C", "C"]) == 1


def test_what_does_not_belong_together_is_refused():
    tree = ConstituentTree.from_string("(A (B b) (B c))")
    sentence = Sentence.from_forms(["b"], heads=[0])
    with pytest.raises(UsageError, match="2 words and its dependencies 1"):
        learn_head_rules([tree], [sentence])
    with pytest.raises(UsageError, match="numbers of trees and of sentences differ"):
        learn_head_rules([tree], [])


@pytest.mark.parametrize("part", ["train", "dev"])
@pytest.mark.parametrize("name", EMBEDDED_RULES)
def test_the_penn_sample_converts_whole(part, name):
    path = TREEBANKS / "wsj-sample" / f"{part}.mrg.gz"
    if not path.exists():
        pytest.skip("the treebank is not here")
    sentences = [to_dependencies(tree, name) for tree in read_trees(path)]
    assert sum(map(len, sentences)) == {"train": 78_375, "dev": 6_094}[part]
    assert all(is_projective(sentence.heads) for sentence in sentences)
    assert all(np.count_nonzero(sentence.heads == 0) == 1 for sentence in sentences)


def test_learned_rules_beat_those_of_another_treebank():
    paths = [TREEBANKS / "craft-const" / "dev.mrg.gz", TREEBANKS / "dep-native" / "english-craft" / "dev.conllu.gz"]
    if not all(path.exists() for path in paths):
        pytest.skip("the treebank is not here")
    constituents, gold = list(read_trees(paths[0])), list(read(paths[1]))
    rules = learn_head_rules(constituents[:2000], gold[:2000])

    def score(given_rules):
        pairs = zip((to_dependencies(tree, given_rules) for tree in constituents[2000:]), gold[2000:], strict=True)
        return np.mean(np.concatenate([one.heads == other.heads for one, other in pairs]))

    assert score(rules) > 0.90 > 0.82 > score("collins")


@pytest.mark.parametrize("name", EMBEDDED_RULES)
def test_rules_are_described_by_name_or_by_their_text(name, tmp_path):
    assert HeadRules.of(HeadRules.describe(name)) == HeadRules.load(name)
    path = tmp_path / "own.rules"
    path.write_text(str(HeadRules.load(name)))
    description = HeadRules.describe(path)
    path.unlink()
    assert HeadRules.of(description) == HeadRules.load(name)


@pytest.mark.parametrize("text", ["", "oak", "/etc/passwd", "NP\n", "NP sideways NN\n"])
def test_what_describes_no_rules_is_refused(text):
    with pytest.raises(UsageError):
        HeadRules.of(text)
