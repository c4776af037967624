"""Sides of templates hashed together are those that are hashed one by one, and attributes are read once."""

import numpy as np
import pytest

from treewright.features import DependencyFeatures, Lexicon
from treewright.features.attributes import AttributeReader
from treewright.features.hashing import COUNTED, hash_higher
from treewright.features.sides import Sides
from treewright.features.templates import hash_side, parse_templates
from treewright.treebank import Sentence

NAMES = ["frequent", "upos", "word"]
TWO = ["word | upos+1 word", "upos-1 upos | frequent", "upos | upos"]
THREE = ["word | | upos", "frequent | upos upos+2 | word"]


@pytest.fixture(scope="module")
def hashes(ewt):
    return AttributeReader(NAMES, Lexicon.of(ewt[:20], top_words=3).attributes).read(ewt[1])


def test_all_sides_together_are_the_same_as_one_by_one(hashes):
    first, second, third = (
        parse_templates(*some) for some in ((TWO, NAMES, "a"), (THREE, NAMES, "b"), ([], NAMES, "c", 2))
    )
    arrays, larger = Sides([*first, *third], [second, first]).hash(hashes)
    for side, array in zip([*first, *third], arrays, strict=True):
        assert np.array_equal(array, hash_side(hashes, side))
        assert array.flags.c_contiguous
    for sides, array in zip([second, first], larger, strict=True):
        assert np.array_equal(array, hash_higher(hashes, sides))
    assert [array.shape for array in larger] == [(3, len(hashes) - 3, 2), (2, len(hashes) - 3, 3)]


def test_attributes_are_read_once_and_again_where_a_sentence_has_changed(ewt):
    reader = AttributeReader(["upos", "word"], Lexicon().attributes)
    sentence = ewt[0].replace(upos=list(ewt[0].upos))
    read = reader.read(sentence)
    assert reader.read(sentence) is read
    assert reader.read(sentence.replace(comments=())) is read
    sentence.upos[0] = "X"
    changed = reader.read(sentence)
    assert not np.array_equal(changed, read)
    assert np.array_equal(changed, AttributeReader(["upos", "word"], Lexicon().attributes).read(sentence))
    assert len(reader.read(Sentence.from_forms(["a"]))) != len(reader.read(Sentence.from_forms(["a", "b"])))


def test_a_reader_learns_to_read_more(ewt):
    lexicon = Lexicon.of(ewt)
    reader = lexicon.reader(["upos"])
    before = reader.read(ewt[0])
    assert lexicon.reader(["word", "upos"]) is reader
    assert reader.names == ["upos", "word"]
    after = reader.read(ewt[0])
    assert np.array_equal(after[:, :1], before)
    assert after.shape[1] == 2


def test_models_that_share_a_lexicon_hash_as_they_would_alone(ewt):
    lexicon = Lexicon.of(ewt)
    few = DependencyFeatures.of(ewt, kinds=["arc"], few=True, bits=14).settings
    whole = DependencyFeatures.of(ewt, kinds=["arc", "label", "sibling", "grandchild"], bits=14).settings
    alone = [DependencyFeatures(settings, Lexicon.of(ewt)) for settings in (few, whole)]
    together = [DependencyFeatures(settings, lexicon) for settings in (few, whole)]
    for sentence in ewt[:10]:
        for one, other in zip(alone, together, strict=True):
            first, second = one.hash(sentence), other.hash(sentence)
            assert all(np.array_equal(*pair) for pair in zip(first.arcs, second.arcs, strict=True))
            assert all(np.array_equal(first.higher[name], second.higher[name]) for name in first.higher)


def test_tags_are_counted_by_their_classes(ewt):
    features = DependencyFeatures.of(ewt, bits=14)
    tags = features.settings.tags
    for sentence in [*ewt[:10], Sentence.from_forms(list("abcd"), upos=["NEW", "CCONJ", "SCONJ", "AUX"])]:
        hashed = features.hash(sentence)
        wanted = [0, *(tags.index(tag) + 1 if tag in tags else 0 for tag in sentence.upos)]
        assert hashed.arcs.tags.tolist() == wanted
        assert hashed.conjunctions.tolist() == [False, *(tag == "CCONJ" for tag in sentence.upos)]
        for kind, counted in enumerate(COUNTED):
            assert (
                hashed.arcs.counts[:, kind].tolist() == np.cumsum([0, *(t in counted for t in sentence.upos)]).tolist()
            )
