"""The features of arcs: scores and gradients agree, and see what they are documented to see."""

import dataclasses
import json
import os
import subprocess
import sys
import zlib

import numpy as np
import pytest

from tests.inference.enumeration import random_tree
from treewright.features import DependencyFeatures, FeatureSettings, GenerativeModels, Lexicon, Weights, WordClusters
from treewright.features.arcs import family_members
from treewright.features.generative import Counts, count_models
from treewright.treebank import Sentence, read

#: All kinds of parts that can be scored.
KINDS = ("arc", "label", "sibling", "grandchild", "grand_sibling", "tri_sibling")


def random_weights(features, seed=0, compressed=False):
    values = np.random.default_rng(seed).normal(size=features.size).astype(np.float32)
    return Weights.compress(values) if compressed else Weights(values)


def labelled_arcs(heads, labels, coefficients):
    """The arcs of a tree and their labels, as the gradient asks for them."""
    rows = np.stack([heads[1:], np.arange(1, len(heads)), labels], axis=1).astype(np.int64)
    return {"arc": (rows[:, :2].copy(), coefficients), "label": (rows, coefficients)}


def assert_scores_are_products(features, sentence, weights, rng):
    """The score of a random labelled tree is the product of its features with the weights."""
    n = len(sentence)
    hashed = features.hash(sentence)
    scores = features.score(hashed, weights)
    heads = random_tree(rng, n, projective=False, single_root=False)
    labels = rng.integers(0, len(features.labels), n)
    modifiers = np.arange(1, n + 1)
    parts = scores.arc[heads[1:], modifiers] + scores.label[heads[1:], modifiers, labels]
    coefficients = rng.normal(size=n).astype(np.float32)
    places, values = features.gradient(hashed, labelled_arcs(heads, labels, coefficients))
    terms = values * weights.decoded()[places].astype(np.float64)
    total = float(coefficients @ parts.astype(np.float64))
    assert terms.sum() == pytest.approx(total, abs=1e-6 * np.abs(terms).sum())
    assert np.abs(terms).sum() > 1


@pytest.mark.parametrize("compressed", [False, True], ids=["float32", "int8"])
@pytest.mark.parametrize("language", ["ewt", "alksnis"])
def test_the_score_of_a_tree_is_the_product_of_its_gradient_with_the_weights(language, compressed, request):
    sentences = request.getfixturevalue(language)
    features = DependencyFeatures.of(sentences[:20], bits=16)
    weights = random_weights(features, compressed=compressed)
    rng = np.random.default_rng(1)
    for sentence in sentences:
        assert_scores_are_products(features, sentence, weights, rng)


@pytest.mark.parametrize(
    "columns", [["lemmas", "xpos", "feats"], ["upos", "feats"], ["lemmas", "upos", "xpos", "feats"]]
)
def test_missing_columns_are_done_without(ewt, columns):
    sentences = [s.replace(**{column: ("_",) * len(s) for column in columns}) for s in ewt]
    features = DependencyFeatures.of(sentences, bits=16)
    rng = np.random.default_rng(2)
    for sentence in sentences[:10]:
        assert_scores_are_products(features, sentence, random_weights(features), rng)


def test_more_tags_than_are_told_apart():
    tags = [f"T{i}" for i in range(90)]
    sentence = Sentence.from_forms([f"w{i}" for i in range(90)], upos=tags, heads=range(90), deprels=["dep"] * 90)
    once_more = sentence.replace(upos=tags[::-1])
    features = DependencyFeatures.of([sentence, sentence], bits=16)
    assert len(features.settings.tags) == 63
    assert set(features.hash(sentence).arcs.tags.tolist()) == set(range(64))
    for s in (sentence, once_more):
        assert_scores_are_products(features, s, random_weights(features), np.random.default_rng(3))


def test_one_word(ewt):
    features = DependencyFeatures.of(ewt, bits=16)
    sentence = Sentence.from_forms(["Yes"], upos=["INTJ"])
    scores = features.score(features.hash(sentence), random_weights(features))
    assert scores.arc.shape == (2, 2)
    assert np.isfinite(scores.arc[0, 1])
    assert_scores_are_products(features, sentence, random_weights(features), np.random.default_rng(4))


def test_there_are_no_arcs_into_the_root_or_from_a_word_to_itself(ewt):
    features = DependencyFeatures.of(ewt, bits=16)
    arc = features.score(features.hash(ewt[5]), random_weights(features)).arc
    assert (arc[:, 0] == -np.inf).all()
    assert (arc.diagonal() == -np.inf).all()
    assert np.isneginf(arc).sum() == 2 * len(arc) - 1


def test_arcs_and_labels_have_features_of_their_own(ewt):
    features = DependencyFeatures.of(ewt, bits=16)
    hashed = features.hash(ewt[3])
    parts = labelled_arcs(np.array([-1, 0]), np.zeros(1, int), np.ones(1, np.float32))
    bare, _ = features.gradient(hashed, {"arc": parts["arc"]})
    label, _ = features.gradient(hashed, {"label": parts["label"]})
    both, _ = features.gradient(hashed, parts)
    assert (bare < 1 << 16).all()
    assert (label >= 1 << 16).all()
    assert min(len(bare), len(label)) > 0
    assert np.array_equal(both, np.concatenate([bare, label]))


def test_every_feature_has_its_weight(ewt):
    """The last label of the row that is hashed to the last place still fits."""
    features = DependencyFeatures.of(ewt, bits=16)
    rng = np.random.default_rng(5)
    last = len(features.labels) - 1
    for sentence in ewt:
        n = len(sentence)
        heads = random_tree(rng, n, projective=False, single_root=True)
        labels = np.full(n, last)
        parts = labelled_arcs(heads, labels, np.ones(n, np.float32))
        places, _ = features.gradient(features.hash(sentence), parts)
        assert 0 <= places.min() <= places.max() < features.size


def test_relations_never_seen_have_no_number(ewt):
    features = DependencyFeatures.of(ewt, bits=16)
    index = features.labels.index("nsubj")
    assert features.label_indices(["nsubj", "no-such-relation"]).tolist() == [-1, index, -1]


# What the features of an arc see ---------------------------------------------------------------------------------


PLAIN = FeatureSettings(
    labels=["dep"],
    tags=["NOUN", "VERB", "ADJ", "PUNCT"],
    arc_alone=["word"],
    arc_pair=["word | word"],
    between=["word | word", "word | word"],
    label_alone=["word"],
    label_pair=["word | word"],
    arc_bits=16,
    label_bits=16,
)


def plain_scores(tags, forms=None):
    """Score with features of which only the distance and what stands between look beyond the ends of an arc."""
    features = DependencyFeatures(PLAIN, Lexicon.of([]))
    sentence = Sentence.from_forms(forms or ["word"] * len(tags), upos=tags)
    return features.score(features.hash(sentence), random_weights(features)).arc


def outer(between):
    """Score the arc over some tags."""
    return plain_scores(["ADJ", *between, "ADJ"])[1, len(between) + 2]


def test_between_features_see_a_set_of_tags_not_their_order_or_number():
    score = outer(["NOUN", "ADJ", "ADJ"])
    assert outer(["ADJ", "NOUN", "ADJ"]) == pytest.approx(score)
    assert outer(["NOUN", "NOUN", "ADJ"]) == pytest.approx(score)
    assert abs(outer(["NOUN", "NOUN", "NOUN"]) - score) > 1e-3
    assert abs(outer(["NOUN", "ADJ", "X"]) - score) > 1e-3
    assert outer(["NOUN", "ADJ", "Y"]) == pytest.approx(outer(["NOUN", "ADJ", "X"]))  # both unknown


@pytest.mark.parametrize("tag", ["VERB", "PUNCT"])
def test_between_features_count_verbs_and_punctuation_up_to_three(tag):
    counts = [outer([tag] * count + ["NOUN"] * (6 - count)) for count in range(1, 6)]
    assert len({round(float(score), 3) for score in counts[:3]}) == 3
    assert counts[3] == pytest.approx(counts[2])
    assert counts[4] == pytest.approx(counts[2])


@pytest.mark.parametrize("tag", ["VERB", "X"])
def test_the_ends_of_an_arc_are_not_between(tag):
    before, after, within = (
        plain_scores(tags)
        for tags in (["NOUN"] * 5, [tag, "NOUN", "NOUN", "NOUN", tag], ["NOUN", "NOUN", tag, "NOUN", "NOUN"])
    )
    for arc in ((1, 5), (5, 1), (1, 2), (5, 4)):
        assert after[arc] == pytest.approx(before[arc])
    for arc in ((1, 5), (5, 1)):
        assert abs(within[arc] - before[arc]) > 1e-3


BINS = [[1], [2], [3], [4], [5, 6], [7, 8, 9, 10], [11, 12, 15, 40]]


def test_distance_has_seven_bins_in_each_direction():
    found = set()
    for h, step in ((50, 1), (50, -1)):
        for lengths in BINS:
            members = {tuple(map(int, family_members(h, h + step * length))) for length in lengths}
            assert len(members) == 1
            found |= members
    assert len({distant for _, distant in found}) == 14
    assert len({directed for directed, _ in found}) == 2
    assert len({member for pair in found for member in pair}) == 16
    for directed, distant in found:
        assert directed // 8 == distant // 8


def test_scores_differ_between_bins_and_directions_and_not_within():
    arc = plain_scores(["NOUN"] * 20)
    seen = []
    for lengths in BINS[1:]:
        within = [arc[1, 1 + length] for length in lengths if length < 19]
        assert within == pytest.approx([within[0]] * len(within))
        seen += [within[0], arc[20, 20 - lengths[0]]]
    assert len({round(float(score), 3) for score in seen}) == len(seen)


def test_the_head_is_told_from_the_modifier():
    forms = ["known", "known", "rare", "rare"]
    features = DependencyFeatures(PLAIN, Lexicon.of([Sentence.from_forms(forms)]))
    weights = random_weights(features)
    there = features.score(features.hash(Sentence.from_forms(["known", "rare"])), weights)
    back = features.score(features.hash(Sentence.from_forms(["rare", "known"])), weights)
    assert abs(there.arc[1, 2] - back.arc[1, 2]) > 1e-3
    assert abs(there.label[1, 2, 0] - back.label[1, 2, 0]) > 1e-3
    assert abs(there.label[1, 2, 0] - back.label[2, 1, 0]) > 1e-3  # same words, other direction


def test_equal_surroundings_give_equal_features():
    words = ["a", "b", "c", "d", "e", "f"]
    tags = ["T", "NOUN", "VERB", "NOUN", "ADJ", "NOUN"]
    sentence = Sentence.from_forms(words * 2, upos=tags * 2, heads=range(12), deprels=["dep"] * 12)
    features = DependencyFeatures.of([sentence, sentence], bits=16)
    scores = features.score(features.hash(sentence), random_weights(features))
    assert scores.arc[3, 4] == pytest.approx(scores.arc[9, 10])
    assert scores.arc[4, 3] == pytest.approx(scores.arc[10, 9])
    assert scores.arc[3, 4] != pytest.approx(scores.arc[4, 5])
    assert scores.label[3, 4] == pytest.approx(scores.label[9, 10])


# Settings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kinds", [("arc", "label"), KINDS])
def test_settings_are_plain_data(ewt, kinds):
    features = DependencyFeatures.of(ewt, kinds=kinds)
    assert features.settings == FeatureSettings(**json.loads(json.dumps(dataclasses.asdict(features.settings))))


@pytest.mark.parametrize("is_shared", [False, True])
def test_features_describe_and_restore_themselves(ewt, is_shared):
    clusters = WordClusters.of({"the": "00", "dog": "0110"})
    features = DependencyFeatures.of(ewt[:5], clusters=clusters, bits=10)
    counts = Counts.zero(count_models(features.hash(ewt[0]).arcs), bits=4)
    features = features.with_models(GenerativeModels.of(counts))
    manifest, arrays = features.describe(lexicon=not is_shared)
    assert set(manifest) == {"features", "generative"} | ({"clusters"} if not is_shared else set())
    manifest = json.loads(json.dumps(manifest))
    again = DependencyFeatures.restore(manifest, arrays, features.lexicon if is_shared else None)
    weights = random_weights(features)
    assert again.size == features.size
    for sentence in ewt[:2]:
        before, after = (each.score(each.hash(sentence), weights) for each in (features, again))
        assert np.array_equal(before.arc, after.arc)
        assert np.array_equal(before.label, after.label)


def test_ignored_attributes_are_not_used(ewt):
    settings = FeatureSettings.of(ewt, ignored=["lemma", "xpos"])
    text = json.dumps(dataclasses.asdict(settings))
    assert "lemma" not in text
    assert "xpos" not in text
    assert "lemma" in json.dumps(dataclasses.asdict(FeatureSettings.of(ewt)))


def test_a_treebank_of_one_word_has_features():
    sentence = Sentence.from_forms(["Yes"], heads=[0], deprels=["root"])
    features = DependencyFeatures.of([sentence])
    assert features.score(features.hash(sentence), random_weights(features)).n == 1


def fingerprint(path) -> list:
    """Reduce the settings of a treebank and the features of its trees to a few numbers."""
    sentences = list(read(path))
    features = DependencyFeatures.of(sentences, kinds=KINDS, bits=16)
    checks = [zlib.crc32(json.dumps(dataclasses.asdict(features.settings)).encode())]
    for sentence in sentences[:5]:
        hashed = features.hash(sentence)
        labels = features.label_indices(sentence.deprels)[1:]
        parts = labelled_arcs(sentence.rooted_heads(), labels, np.ones(len(sentence), np.float32))
        places, _ = features.gradient(hashed, parts)
        checks += [zlib.crc32(array.tobytes()) for array in (*hashed.arcs, *hashed.higher.values(), places)]
    return checks


def test_features_are_the_same_in_every_process(request):
    path = request.config.rootpath / "tests" / "data" / "alksnis.conllu"
    imports = f"import sys; sys.path[:0] = {sys.path!r}; from tests.features.test_arcs import fingerprint"
    code = f"{imports}; print(fingerprint({str(path)!r}))"
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert json.loads(run.stdout) == fingerprint(path)
