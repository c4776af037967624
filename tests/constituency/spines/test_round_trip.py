"""Trees to derivations and back: the figures of the paper, and what comes back of any tree."""

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.paths import TREEBANKS
from tests.treebank.constituents.strategies import shapes
from treewright.constituency.spines import (
    SpineTable,
    build_tree,
    derivation_of,
    extract_derivation,
    grammatical_relations,
    modifier_heights,
    round_trip,
)
from treewright.errors import UsageError
from treewright.treebank import (
    ConstituentTree,
    find_head_words,
    read_trees,
    to_dependencies,
)
from treewright.treebank.constituents.heads import EMBEDDED_RULES, HeadRules

LEVELS = ["flat", "all"]

FIGURE_1A = "(S (VP (VBD ate) (NP (NN cake))))"
FIGURE_1B = "(S (VP (VP (VBD ate)) (NP (NN cake))))"
FIGURE_2A = "(S (VP (VP (VP (VBD ate) (NP (NN cake))) (NP (NN today))) (ADVP (RB quickly))))"
FIGURE_2B = "(S (NP (NNP John)) (VP (ADVP (RB luckily)) (VP (VBD ate))))"
FIGURE_3 = (
    "(S (NP (NNP John)) (VP (VP (ADVP (RB luckily)) (VP (VBD ate) (NP (NN cake))) (NP (NN today)))"
    " (ADVP (RB quickly))))"
)

# A tree; the spine, head, position and adjunction (s or r) of each word; and the relation of each word.
DERIVATIONS = [
    (FIGURE_1A, "S/VP 0 0 s, NP 1 0 s", "TOP+*+S VP+VBD+NP"),
    (FIGURE_1B, "S/VP 0 0 s, NP 1 0 r", "TOP+*+S VP+VP+NP"),
    (FIGURE_2A, "S/VP 0 0 s, NP 1 0 s, NP 1 0 r, ADVP 1 0 r", "TOP+*+S VP+VBD+NP VP+VP+NP VP+VP+ADVP"),
    (FIGURE_2B, "NP 3 1 s, ADVP 3 0 r, S/VP 0 0 s", "S+VP+NP VP+VP+ADVP TOP+*+S"),
    (
        FIGURE_3,
        "NP 3 1 s, ADVP 3 0 r, S/VP 0 0 s, NP 3 0 s, NP 3 0 r, ADVP 3 0 r",
        "S+VP+NP VP+VP+ADVP TOP+*+S VP+VBD+NP VP+VP+NP VP+VP+ADVP",
    ),
    # s-adjunction after r-adjunction goes to the new node
    (
        "(NP (NP (NN a)) (PP (IN b)) (PP (IN c)))",
        "NP 0 0 s, PP 1 0 r, PP 1 0 s",
        "TOP+*+NP NP+NP+PP NP+NP+PP",
    ),
    # single words, with and without constituents
    ("(UH Oh)", "() 0 0 s", "TOP+*+UH"),
    ("(FRAG (INTJ (UH Oh)))", "FRAG/INTJ 0 0 s", "TOP+*+FRAG"),
    # a label comes back after another one
    ("(S (VP (S (VP (VB go)))))", "S/VP/S/VP 0 0 s", "TOP+*+S"),
    # a tag with the name of the constituent above it
    ("(X (X a) (Y b))", "X 0 0 s, () 1 0 s", "TOP+*+X X+X+Y"),
    # punctuation, coordination
    (
        "(S (NP (NP (NN a)) (CC and) (NP (NN b))) (VP (VBD c)) (. .))",
        "NP 4 1 s, () 1 0 r, NP 1 0 s, S/VP 0 0 s, () 4 1 s",
        "S+VP+NP NP+NP+CC NP+NP+NP TOP+*+S S+VP+.",
    ),
]

# What becomes of trees that derivations cannot tell from flatter ones.
FLATTENED = [
    ("(NP (NP (NN rain)))", "(NP (NN rain))"),
    ("(S (S (S (VP (VB go))) (. .)))", "(S (S (VP (VB go))) (. .))"),
    ("(S (S (S (VP (VB go)))) (. .))", "(S (S (VP (VB go))) (. .))"),
    # a level from the right and then one from the left become one
    ("(VP (RB a) (VP (VP (VB b)) (RB c)))", "(VP (RB a) (VP (VB b)) (RB c))"),
    ("(VP (VP (RB a) (VP (VB b))) (RB c))", "(VP (RB a) (VP (VB b)) (RB c))"),
    # a level of its own goes down to the height of its side
    ("(VP (RB a) (VP (VP (VP (VB b)) (RB c)) (RB d)))", "(VP (VP (RB a) (VP (VB b)) (RB c)) (RB d))"),
]


@st.composite
def head_trees(draw):
    """Any tree with few labels, and any head children."""
    parents, leaves = draw(shapes(16))
    labels = draw(st.lists(st.sampled_from("AB"), min_size=len(parents), max_size=len(parents)))
    tree = ConstituentTree(labels, parents, [f"w{i}" for i in range(leaves)])
    chosen = [draw(st.sampled_from(own)) if own else -1 for own in tree.children()]
    return tree, np.array(chosen, np.int32)


def all_head_trees(nodes):
    """List every tree of so many nodes with one label, with every choice of head children."""

    def grow(parents, path):
        if len(parents) == nodes:
            yield parents
            return
        for depth in range(1, len(path) + 1):
            yield from grow([*parents, path[depth - 1]], [*path[:depth], len(parents)])

    for parents in grow([-1], [0]):
        leaves = nodes - len(set(parents[1:]))
        tree = ConstituentTree("A" * nodes, parents, [f"w{i}" for i in range(leaves)])
        for chosen in product(*(own or [-1] for own in tree.children())):
            yield tree, np.array(chosen, np.int32)


def comes_back(tree, head_children):
    """Tell by the condition that the docs state whether a tree comes back: run by run, from the top down."""
    children = tree.children()

    def sides(node):
        place = children[node].index(head_children[node])
        return place > 0, place + 1 < len(children[node])

    def same(node):
        below = head_children[node]
        return below >= 0 and head_children[below] >= 0 and tree.labels[below] == tree.labels[node]

    for node in range(len(tree.labels)):
        above = tree.parents[node]
        if head_children[node] < 0 or (above >= 0 and head_children[above] == node and same(above)):
            continue  # no constituent, or not the top of a run
        run = []
        while same(node):
            run.append(sides(node))
            node = head_children[node]
        run.reverse()  # the levels from the lowest up
        for side in (0, 1):
            own = [level[side] for level in run]
            if own != sorted(own, reverse=True):
                return False
        if not all(left or right for left, right in run):
            return False
    return True


def heads_below(tree, heads):
    """Find the head children of a tree from the heads of its words: the child whose head word depends outside."""
    words = [-1] * len(tree.labels)
    chosen = [-1] * len(tree.labels)
    children = tree.children()
    for node in reversed(range(len(tree.labels))):
        if not children[node]:
            words[node] = int(tree.starts[node]) + 1
            continue
        within = range(tree.starts[node] + 1, tree.ends[node] + 1)
        chosen[node] = next(child for child in children[node] if heads[words[child] - 1] not in within)
        words[node] = words[chosen[node]]
    return np.array(chosen, np.int32)


@pytest.mark.parametrize(("text", "expected", "relations"), DERIVATIONS)
def test_derivations_of_hand_made_trees(text, expected, relations):
    tree, table = ConstituentTree.from_string(text), SpineTable()
    derivation = extract_derivation(tree, "collins", table)
    columns = (derivation.heads, derivation.positions, derivation.adjunctions)
    rows = [
        f"{table[spine]} {head} {position} {'sr'[kind]}"
        for spine, head, position, kind in zip(derivation.spines, *columns, strict=True)
    ]
    assert ", ".join(rows) == expected
    assert " ".join("+".join(triple) for triple in grammatical_relations(derivation, table)) == relations
    assert build_tree(derivation, table) == tree


def test_left_and_right_are_combined_by_height():
    """Figure 3 is made of figures 2(a) and 2(b): the same adjunctions on either side of one spine."""
    table = SpineTable()
    right, left, both = (
        extract_derivation(ConstituentTree.from_string(text), "collins", table)
        for text in (FIGURE_2A, FIGURE_2B, FIGURE_3)
    )
    for name in ("spines", "positions", "adjunctions"):
        joined = [*getattr(left, name)[:2], *getattr(right, name)]
        assert getattr(both, name).tolist() == joined
    assert modifier_heights(both).tolist() == [0, 1, 0, 0, 1, 2]


@pytest.mark.parametrize(("text", "flat"), FLATTENED)
def test_levels_that_derivations_cannot_tell(text, flat):
    tree = ConstituentTree.from_string(text)
    found = {}
    for levels in LEVELS:
        table = SpineTable()
        found[levels] = str(build_tree(extract_derivation(tree, "collins", table, levels=levels), table))
    assert found == {"flat": flat, "all": text}


def test_a_top_without_a_label():
    tree, table = ConstituentTree.from_string("( (NP (NN a)) (. .))"), SpineTable()
    assert build_tree(extract_derivation(tree, "default", table), table) == tree


def test_depth_has_no_limit():
    text = "(S (A a) " * 5000 + "(B b)" + ")" * 5000
    tree, table = ConstituentTree.from_string(text), SpineTable()
    for rules in ("* left *", "* right *"):
        derivation = extract_derivation(tree, HeadRules.from_string(rules), table)
        assert build_tree(derivation, table) == tree


@pytest.mark.parametrize("nodes", range(1, 9))
def test_every_small_tree(nodes):
    pairs = list(all_head_trees(nodes))
    assert len({tree for tree, _ in pairs}) == comb(2 * nodes - 2, nodes - 1) // nodes  # Catalan's number
    for tree, chosen in pairs:
        table = SpineTable()
        flat, full = (derivation_of(tree, chosen, table, levels=levels) for levels in LEVELS)
        assert build_tree(full, table) == tree
        assert (build_tree(flat, table) == tree) == comes_back(tree, chosen) == (flat == full)


@given(head_trees())
def test_a_tree_comes_back_exactly_when_the_condition_holds(pair):
    tree, chosen = pair
    table = SpineTable()
    assert (build_tree(derivation_of(tree, chosen, table), table) == tree) == comes_back(tree, chosen)


@given(head_trees())
def test_every_tree_comes_back_with_all_levels(pair):
    tree, chosen = pair
    table = SpineTable()
    derivation = derivation_of(tree, chosen, table, levels="all")
    assert build_tree(derivation, table) == tree
    if comes_back(tree, chosen):
        assert derivation == derivation_of(tree, chosen, table)


@given(head_trees())
def test_derivations_come_back(pair):
    """What a tree loses, it loses once: flat derivations are those of their own trees."""
    tree, chosen = pair
    table = SpineTable()
    derivation = derivation_of(tree, chosen, table)
    back = build_tree(derivation, table)
    assert derivation_of(back, heads_below(back, derivation.heads), table) == derivation
    assert all(one != two for spine in table for one, two in zip(spine.labels, spine.labels[1:], strict=False))


@pytest.mark.parametrize("levels", LEVELS)
@given(head_trees())
def test_heads_and_relations_are_those_of_the_tree(levels, pair):
    tree, chosen = pair
    table = SpineTable()
    derivation = derivation_of(tree, chosen, table, levels=levels)
    words = find_head_words(tree, chosen)
    relations = [("TOP", "*", tree.labels[0])] * len(tree)
    heads = [0] * len(tree)
    for node in range(1, len(tree.labels)):
        above = tree.parents[node]
        if words[node] != words[above]:
            heads[words[node] - 1] = words[above]
            relations[words[node] - 1] = tree.labels[above], tree.labels[chosen[above]], tree.labels[node]
    assert derivation.heads.tolist() == heads
    assert grammatical_relations(derivation, table) == relations


@pytest.mark.parametrize("name", EMBEDDED_RULES)
@given(head_trees())
def test_dependencies_are_those_of_the_rules(name, pair):
    tree, table = pair[0], SpineTable()
    derivation = extract_derivation(tree, name, table)
    sentence = to_dependencies(tree, name, empty="keep")
    assert derivation.heads.tolist() == sentence.heads.tolist()
    assert ["+".join(triple) for triple in grammatical_relations(derivation, table)] == list(sentence.deprels)


def test_levels_must_be_known():
    tree = ConstituentTree.from_string(FIGURE_1A)
    with pytest.raises(UsageError, match="levels is 'some'"):
        extract_derivation(tree, "collins", SpineTable(), levels="some")


def test_the_penn_sample():
    path = TREEBANKS / "wsj-sample" / "dev.mrg.gz"
    if not path.exists():
        pytest.skip("the treebank is not here")
    trees = list(read_trees(path))
    flat, full = (round_trip(trees, "collins", levels=levels) for levels in LEVELS)
    assert flat.scores.brackets.precision > 99.9
    assert 99.5 < flat.scores.brackets.recall < 100  # the paper, on section 22: 100 and 99.81
    assert full.scores.brackets.correct == full.scores.brackets.gold == full.scores.brackets.system
    assert full.identical == full.trees == len(trees) > flat.identical
    for tree, derivation in zip(trees[:20], flat.derivations, strict=False):
        assert derivation.heads.tolist() == to_dependencies(tree, "collins").heads.tolist()
