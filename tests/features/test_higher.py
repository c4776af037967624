"""The features of parts of every kind: scores and gradients agree, and see what they are documented to see."""

import dataclasses

import numpy as np
import pytest

from tests.inference.enumeration import random_tree
from tests.inference.parts import PARTS, parts_of
from treewright.dependency.training import TrainingOptions
from treewright.features import DependencyFeatures, FeatureSettings, Lexicon, Weights
from treewright.features import higher_templates as templates
from treewright.inference import Parts, Trees
from treewright.inference.bounds.non_local import NON_LOCAL
from treewright.inference.parts import all_parts
from treewright.treebank import Sentence

ALL = ("arc", "sibling", "grandchild", "grand_sibling", "tri_sibling")
factorizations = pytest.mark.parametrize("factorization", PARTS)


def random_weights(features, kind="float64"):
    values = np.random.default_rng(0).normal(size=features.size)
    return Weights.compress(values) if kind == "int8" else Weights(values.astype(kind))


def tree_parts(heads, factorization, labels=None):
    """The parts of a tree, by definition, each with the coefficient one."""
    parts = {name: np.array(rows, np.int64) for name, rows in parts_of(heads, factorization).items()}
    if labels is not None:
        words = np.arange(1, len(heads))
        parts["label"] = np.stack([heads[1:], words, labels[1:]], axis=1).astype(np.int64)
    return {name: (rows, np.ones(len(rows), np.float32)) for name, rows in parts.items()}


def survivors(rng, heads):
    """Some arcs, those of a tree among them."""
    mask = rng.random((len(heads), len(heads))) < 0.4
    mask[heads[1:], np.arange(1, len(heads))] = True
    return Parts(mask)


@factorizations
@pytest.mark.parametrize("kind", ["float32", "float64", "int8"])
@pytest.mark.parametrize("labelled", [True, False], ids=["labelled", "unlabelled"])
def test_the_score_of_a_tree_is_the_product_of_its_gradient_with_the_weights(ewt, factorization, kind, labelled):
    kinds = [*PARTS[factorization], *(["label"] if labelled else [])]
    features = DependencyFeatures.of(ewt, kinds=kinds, bits=12)
    weights = random_weights(features, kind)
    decoded = weights.values if kind == "float64" else weights.decoded().astype(np.float64)
    trees = Trees(True, False, factorization.removesuffix("+last"))
    rng = np.random.default_rng(1)
    for sentence in (s for s in ewt if len(s) <= 12):
        n = len(sentence)
        hashed = features.hash(sentence)
        heads = random_tree(rng, n, projective=True, single_root=False)
        labels = np.append(-1, rng.integers(0, len(features.labels), n)) if labelled else None
        places, values = features.gradient(hashed, tree_parts(heads, factorization, labels))
        terms = values * decoded[places]
        assert 0 <= places.min() <= places.max() < features.size
        assert np.abs(terms).sum() > 1
        for parts in (None, survivors(rng, heads)):
            score = trees.score(features.score(hashed, weights, parts), heads, labels)
            tolerance = 1e-12 if kind == "float64" else 1e-6
            assert score == pytest.approx(terms.sum(), abs=tolerance * np.abs(terms).sum())


@pytest.mark.parametrize("kinds", [["arc"], ["arc", "label"], [*ALL, "label"]], ids=["arc", "labelled", "all"])
def test_pruned_scores_are_the_dense_ones_of_what_survives(ewt, kinds):
    features = DependencyFeatures.of(ewt, kinds=kinds, bits=12)
    weights = random_weights(features, "float32")
    rng = np.random.default_rng(2)
    for sentence in (s for s in ewt if len(s) <= 10):
        hashed, n = features.hash(sentence), len(sentence)
        parts = survivors(rng, random_tree(rng, n, projective=True, single_root=True))
        whole, pruned = features.score(hashed, weights), features.score(hashed, weights, parts)
        assert set(whole.arrays) == set(pruned.arrays) == set(kinds)
        for name, array in whole.arrays.items():
            rows = getattr(parts, "arc" if name == "label" else name)
            if whole.parts is not None:
                places = {
                    tuple(row): k for k, row in enumerate(getattr(whole.parts, "arc" if name == "label" else name))
                }
                wanted = array[[places[tuple(row)] for row in rows]]
            else:
                wanted = array[tuple(rows.T)]
            assert getattr(pruned, name) == pytest.approx(wanted, rel=1e-4, abs=1e-4)


def test_scores_are_as_exact_as_the_weights(ewt):
    features = DependencyFeatures.of(ewt, kinds=[*ALL, "label"], bits=12)
    hashed = features.hash(ewt[3])
    for kind, dtype in (("float64", np.float64), ("float32", np.float32), ("int8", np.float32)):
        scores = features.score(hashed, random_weights(features, kind))
        assert {array.dtype for array in scores.arrays.values()} == {np.dtype(dtype)}


# What the features of a part see ---------------------------------------------------------------------------------


#: No templates but those that a test puts in.
BARE = FeatureSettings(
    labels=[],
    tags=["NOUN"],
    arc_alone=["word"],
    arc_pair=["word | word"],
    between=["word | word"],
    label_alone=[],
    label_pair=[],
    arc_bits=10,
    label_bits=10,
    higher_bits=20,
)


def features_of(rows, kind, forms, tags=None, **lists):
    """Give the places of the features of parts, one list for each part."""
    features = DependencyFeatures(dataclasses.replace(BARE, **lists), Lexicon.of([Sentence.from_forms(forms * 2)]))
    hashed = features.hash(Sentence.from_forms(forms, upos=tags or ["NOUN"] * len(forms)))
    found = []
    for row in rows:
        one = np.array([row], np.int64), np.ones(1, np.float32)
        found.append(features.gradient(hashed, {kind: one})[0].tolist())
    return found


def families(places):
    """Sixteen places next to each other are one family."""
    return [place // 16 for place in places[::2]]


SAME = ["word"] * 12


def test_no_sibling_is_told_from_a_word():
    rows = [(1, 1, 4), (1, 2, 4), (1, 3, 6)]  # all words, and all distances, are alike
    none, some, other = features_of(rows, "sibling", SAME, sibling=["word | word | word"])
    assert some == other
    assert families(none) != families(some)
    none, some, other = features_of(
        [(1, 1, 1, 6), (1, 1, 2, 6), (1, 2, 4, 6)], "tri_sibling", SAME, tri_sibling=["| word | word | word"]
    )
    assert len({*families(none), *families(some), *families(other)}) == 3


def test_no_grandparent_is_told_from_the_root_and_from_a_word():
    rows = [(0, 0, 2), (0, 1, 2), (3, 1, 2), (4, 1, 2)]
    none, root, word, other = features_of(rows, "grandchild", SAME, grandchild=["word | |"])
    assert word == other
    assert len({*families(none), *families(root), *families(word)}) == 3


def test_the_words_of_a_part_are_told_apart():
    """Each of four different words is seen, and in its role."""
    forms = ["a", "b", "c", "d", "e"]
    rows = [(2, 1, 3, 4), (3, 1, 2, 4), (2, 1, 3, 5), (2, 1, 4, 5), (5, 1, 3, 4)]
    found = features_of(rows, "grand_sibling", forms, grand_sibling=["word | word | word | word"])
    assert len({families(places)[0] for places in found}) == len(rows)


def members(rows, kind, **lists):
    """Give the two members of the family that each part has, and check that there is one family."""
    found = features_of(rows, kind, SAME, **lists)
    assert len({family for places in found for family in families(places)}) == 1
    return [tuple(place % 16 for place in places) for places in found]


def test_where_grandparent_and_modifier_stand_is_seen():
    """Before or after the head, each by itself, whatever the distance."""
    placed = [
        pair[0]
        for pair in members(
            [(1, 5, 4), (1, 5, 6), (9, 5, 4), (9, 5, 6)], "grandchild", grandchild=["word | word | word"]
        )
    ]
    assert len(set(placed)) == 4
    placed = [
        pair[0]
        for pair in members(
            [(1, 5, 2), (2, 5, 10), (12, 5, 1), (9, 5, 8)], "grandchild", grandchild=["word | word | word"]
        )
    ]
    assert len(set(placed)) == 4


def test_direction_and_distance_of_siblings():
    bins = [[1], [2, 3, 4], [5, 6, 9]]
    found = set()
    for h, s, step in ((1, 2, 1), (12, 11, -1)):
        for lengths in bins:
            rows = [(h, s, s + step * length) for length in lengths]
            pairs = set(members(rows, "sibling", sibling=["word | word | word"]))
            assert len(pairs) == 1
            found |= pairs
    assert len(found) == 6
    assert len({placed for placed, _ in found}) == 2
    assert len({member for pair in found for member in pair}) == 8


CONJUNCTIONS = ["NOUN", "CCONJ", "NOUN", "VERB", "CCONJ"]


def test_coordination_is_seen_where_s_or_m_is_a_conjunction_and_nowhere_else():
    rows = all_parts(5).grand_sibling.tolist()
    lists = {"grand_sibling": ["word | word | word | word"], "coordination": ["word | | word | word"]}
    found = features_of(rows, "grand_sibling", SAME[:5], CONJUNCTIONS, **lists)
    tags = ["ROOT", *CONJUNCTIONS]
    seen = set()
    for (_, h, s, m), places in zip(rows, found, strict=True):
        coordinated = tags[m] == "CCONJ" or (s != h and tags[s] == "CCONJ")  # s = h: there is no s
        assert len(places) == (4 if coordinated else 2)
        seen.add((coordinated, tags[h] == "CCONJ", s == h))
    assert len(seen) == 8


# Templates -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(templates.HIGHER_TEMPLATES))
def test_every_feature_of_tags_is_there_with_fine_and_with_coarse_ones(name):
    lines = templates.HIGHER_TEMPLATES[name]
    assert len(set(lines)) == len(lines)
    assert len({line.count("|") for line in lines}) == 1
    fine = {line for line in lines if "xpos" in line}
    assert fine
    assert {line.replace("xpos", "upos") for line in fine} == {line for line in lines if "upos" in line}
    assert not any("xpos" in line and "upos" in line for line in lines)


@factorizations
def test_a_factorization_scores_its_parts_and_those_of_lower_order(ewt, factorization):
    trees = "nonprojective" if factorization.endswith("+last") else "projective"  # head automata score last modifiers
    options = TrainingOptions(trees=trees, factorization=factorization.removesuffix("+last"))
    assert options.kinds == [*PARTS[factorization], "label"]
    features = DependencyFeatures.of(ewt, kinds=options.kinds, bits=10)
    scores = features.score(features.hash(ewt[3]), random_weights(features))
    assert set(scores.arrays) == {*PARTS[factorization], "label"}


@pytest.mark.parametrize(
    ("factorization", "without", "kinds"),
    [
        ("tri-sibling", "third-order", ["arc", "sibling", "grandchild"]),
        ("tri-sibling", "grandchild", ["arc", "sibling", "tri_sibling"]),
        ("grand-sibling", "third-order", ["arc", "sibling", "grandchild"]),
        ("grand-sibling", "grandchild", ["arc", "sibling"]),
        ("carreras", "grandchild", ["arc", "sibling"]),
        ("grandchild", "grandchild", ["arc"]),
    ],
)
def test_ablations_leave_out_what_they_say(ewt, factorization, without, kinds):
    options = TrainingOptions(factorization=factorization, without=(without,), labels=False)
    assert options.kinds == kinds
    features = DependencyFeatures.of(ewt, kinds=options.kinds, bits=10)
    weights = random_weights(features)
    hashed = features.hash(ewt[9])  # which has a conjunction
    assert set(features.score(hashed, weights).arrays) == set(kinds)
    heads = ewt[9].rooted_heads()
    everything = tree_parts(heads, factorization)
    kept = {name: rows for name, rows in everything.items() if name in kinds}
    assert len(kept) < len(everything)
    assert np.array_equal(features.gradient(hashed, everything)[0], features.gradient(hashed, kept)[0])


def test_without_labels_nothing_is_scored_or_kept_for_them(ewt):
    labelled, bare = (DependencyFeatures.of(ewt, kinds=kinds, bits=12) for kinds in (["arc", "label"], ["arc"]))
    assert bare.labels == []
    assert bare.score(bare.hash(ewt[3]), random_weights(bare)).label is None
    assert bare.size < labelled.size - (1 << 11)
    assert set(bare.label_indices(ewt[3].deprels).tolist()) == {-1}


def test_columns_that_a_treebank_does_not_have_are_done_without(ewt):
    empty = [
        s.replace(**{column: ("_",) * len(s) for column in ("lemmas", "upos", "xpos", "feats")})
        for s in ewt
        if len(s) < 9
    ]
    features = DependencyFeatures.of(empty, kinds=ALL, bits=12)
    text = str(features.settings)
    assert all(name not in text for name in ("pos", "lemma", "feats"))
    hashed = features.hash(empty[3])
    heads = empty[3].rooted_heads()
    places, values = features.gradient(hashed, tree_parts(heads, "tri-sibling"))
    weights = random_weights(features)
    score = Trees(True, True, "tri-sibling").score(features.score(hashed, weights), heads)
    assert score == pytest.approx(float(values @ weights.values[places]))


@pytest.mark.parametrize("projective", [True, False])
@pytest.mark.parametrize("kind", sorted(templates.NON_LOCAL))
def test_the_factors_of_a_tree_score_the_product_of_their_gradient_with_the_weights(ewt, kind, projective):
    features = DependencyFeatures.of(ewt, kinds=["arc"], non_local=[kind], bits=12)
    weights = random_weights(features)
    rng = np.random.default_rng(2)
    seen = 0
    for sentence in (s for s in ewt if 5 <= len(s) <= 14):
        heads = random_tree(rng, len(sentence), projective=projective, single_root=True)
        if kind == "combs":  # random trees have few of them
            heads[1:] = np.where(np.arange(1, len(heads)) == 2, 0, 2)
        hashed = features.hash(sentence)
        factors = features.factors(hashed, weights, survivors(rng, heads))
        tree = np.zeros((len(heads), len(heads)), bool)
        tree[heads[1:], np.arange(1, len(heads))] = True
        rows = NON_LOCAL[kind](Parts(tree)).words
        places, values = features.gradient(hashed, {kind: (rows, np.ones(len(rows), np.float32))})
        assert factors.score(heads) == pytest.approx(float(values @ weights.values[places]), abs=1e-4)
        seen += len(rows)
    assert seen > 10
