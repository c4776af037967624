"""Features of word clusters and of frequent words (Koo et al. 2008, section 3.2)."""

import zlib
from dataclasses import asdict, replace

import numpy as np
import pytest

from tests.features.test_higher import ALL, random_weights, survivors, tree_parts
from tests.inference.enumeration import random_tree
from tests.inference.parts import PARTS
from treewright.features import DependencyFeatures, FeatureSettings, Lexicon, WordClusters
from treewright.features.attributes import ABSENT, PAD, AttributeReader
from treewright.features.settings import TAG_ATTRIBUTES
from treewright.inference import Trees
from treewright.treebank import Sentence


def some_clusters(sentences):
    """Bits for two words of three."""
    forms = sorted({form for sentence in sentences for form in sentence.forms})
    return WordClusters.of({form: f"{zlib.crc32(form.encode()) % 900:010b}" for form in forms if len(form) % 3})


def bare(**lists):
    """Settings with a few templates of arcs only."""
    empty = dict.fromkeys(("labels", "tags", "arc_alone", "arc_pair", "label_alone", "label_pair"), ())
    return FeatureSettings(**{**empty, "between": ("shape | shape",), "arc_bits": 16, **lists})


def arc_scores(features, sentence, weights):
    return features.score(features.hash(sentence), weights).arc


# Clusters --------------------------------------------------------------------------------------------------------


def test_a_word_is_looked_up_as_it_is_then_in_lower_case_then_with_digits_alike():
    clusters = WordClusters.of({"May": "111", "may": "000", "0000": "01"})
    assert [clusters[form] for form in ("May", "MAY", "may", "1984", "June")] == ["111", "000", "000", "01", "?"]


def test_clusters_survive_their_arrays(ewt):
    clusters = some_clusters(ewt)
    lexicon = Lexicon.of(ewt, clusters=clusters, top_words=7)
    again = Lexicon.restore(*lexicon.describe())
    forms = [form for sentence in ewt for form in sentence.forms]
    assert [again.clusters[form] for form in forms] == [clusters[form] for form in forms]
    assert [again.frequent_form(form) for form in forms] == [lexicon.frequent_form(form) for form in forms]
    assert len({form for form in forms if again.frequent_form(form)}) == 7
    assert len({clusters[form] for form in forms}) > 50


def test_clusters_that_do_not_fit_their_words_are_refused():
    clusters = WordClusters.of({"a": "0", "b": "1"})
    with pytest.raises(ValueError, match="do not fit"):
        WordClusters(clusters.hashes, clusters.numbers, ["0"])


def test_attributes_are_prefixes():
    clusters = WordClusters.of({"a": "0101010", "b": "0101111", "c": "0101"})
    reader = AttributeReader(["cluster", "cluster4", "cluster6"], Lexicon((), (), clusters).attributes)
    rows = reader.read(Sentence.from_forms(["a", "b", "c", "d"]))[PAD + 1 : -PAD]
    assert [len(set(column.tolist())) for column in rows.T] == [4, 2, 4]


# Features that do not exist --------------------------------------------------------------------------------------


def test_a_rare_word_is_absent():
    lexicon = Lexicon.of([Sentence.from_forms(["a", "a", "b"])], top_words=1)
    rows = AttributeReader(["frequent"], lexicon.attributes).read(Sentence.from_forms(["a", "b"]))[PAD + 1 : -PAD]
    assert (rows[:, 0] == ABSENT).tolist() == [False, True]


@pytest.mark.parametrize("templates", [{"arc_pair": ["frequent | frequent"]}, {"arc_alone": ["frequent"]}])
def test_features_of_rare_words_do_not_exist(templates):
    forms = ["x", "often", "y", "often"]
    sentence = Sentence.from_forms(forms)
    features = DependencyFeatures(bare(**templates), Lexicon.of([sentence], top_words=1))
    plain = DependencyFeatures(bare(), features.lexicon)
    weights = random_weights(features)
    with_templates, without = (arc_scores(some, sentence, weights) for some in (features, plain))
    for h in range(5):
        for m in range(1, 5):
            if h != m:
                known = [word in (0, 2, 4) for word in (h, m)]
                exists = all(known) if "arc_pair" in templates else any(known)
                assert (with_templates[h, m] != without[h, m]) == exists, (h, m)
                rows = np.array([[h, m]]), np.ones(1, np.float32)
                lists = [f.gradient(f.hash(sentence), {"arc": rows})[0] for f in (features, plain)]
                count = int(exists) if "arc_pair" in templates else sum(known)
                assert len(lists[0]) - len(lists[1]) == 2 * count  # direction, and direction with distance


def test_two_absent_sides_do_not_make_a_feature():
    sentence = Sentence.from_forms(["x", "y", "z"])
    features = DependencyFeatures(bare(arc_pair=["frequent | frequent"]), Lexicon())
    plain = DependencyFeatures(bare(), Lexicon())
    weights = random_weights(features)
    assert np.array_equal(
        arc_scores(features, sentence, weights)[1:], arc_scores(plain, sentence, weights)[1:]
    )  # the root is always known


# All features ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factorization", PARTS)
@pytest.mark.parametrize("choices", [{}, {"top_words": 20}, {"ignored": TAG_ATTRIBUTES}], ids=str)
def test_the_score_of_a_tree_is_the_product_of_its_gradient_with_the_weights(ewt, factorization, choices):
    kinds = [*PARTS[factorization], "label"]
    features = DependencyFeatures.of(ewt, clusters=some_clusters(ewt), kinds=kinds, bits=14, **choices)
    weights = random_weights(features)
    trees = Trees(True, False, factorization.removesuffix("+last"))
    rng = np.random.default_rng(1)
    for sentence in (s for s in ewt if 3 <= len(s) <= 9):
        hashed = features.hash(sentence)
        heads = random_tree(rng, len(sentence), projective=True, single_root=False)
        labels = np.append(-1, rng.integers(0, len(features.labels), len(sentence)))
        places, values = features.gradient(hashed, tree_parts(heads, factorization, labels))
        scores = features.score(hashed, weights, survivors(rng, heads))
        assert trees.score(scores, heads, labels) == pytest.approx(float(values @ weights.values[places]), abs=1e-9)


def test_every_list_of_templates_has_features_of_clusters(ewt):
    settings = DependencyFeatures.of(
        ewt, clusters=some_clusters(ewt), kinds=[*ALL, "last", "label"], non_local=["siblings", "combs"]
    ).settings
    described = asdict(settings)
    lists = [described[name] for name in described if name.startswith(("arc_a", "arc_p", "label_"))]
    lists = [templates for templates in lists if not isinstance(templates, int)]
    lists += [settings.sibling, settings.last, settings.grandchild, settings.grand_sibling, settings.tri_sibling]
    lists += [settings.coordination, *settings.non_local.values()]
    for templates in lists:
        for kind in ("cluster4", "cluster6", "pos"):
            assert any(kind in template for template in templates), templates


def test_without_tags_nothing_looks_at_them(ewt):
    choices = {"kinds": [*ALL, "label"], "bits": 14, "ignored": TAG_ATTRIBUTES}
    for clusters in (None, some_clusters(ewt)):
        features = DependencyFeatures.of(ewt, clusters=clusters, **choices)
        assert not features.settings.needs_tags
        weights = random_weights(features)
        for sentence in ewt[:6]:
            blank = ["_"] * len(sentence)
            stripped = sentence.replace(upos=blank, xpos=blank, feats=blank, lemmas=blank)
            a, b = (features.score(features.hash(s), weights) for s in (sentence, stripped))
            assert all(np.array_equal(a.arrays[name], b.arrays[name]) for name in a.arrays)
    assert DependencyFeatures.of(ewt).settings.needs_tags


def test_bits_between_words_count_where_there_are_no_tags():
    clusters = WordClusters.of({"a": "0000", "b": "1111"})
    sentences = [Sentence.from_forms(["x", middle, "y"]) for middle in "ab"]
    features = DependencyFeatures.of(sentences, clusters=clusters, kinds=["arc"], ignored=TAG_ATTRIBUTES, bits=14)
    only_between = replace(features.settings, arc_alone=(), arc_pair=())
    features = DependencyFeatures(only_between, features.lexicon)
    weights = random_weights(features)
    scores = [arc_scores(features, sentence, weights)[1, 3] for sentence in sentences]
    assert scores[0] != scores[1]
