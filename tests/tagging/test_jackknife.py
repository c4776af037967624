"""No sentence is tagged by a tagger that saw it."""

import pytest

from treewright.tagging.jackknife import jackknife
from treewright.tagging.training import train_tagger


def test_a_tag_that_only_one_sentence_has_cannot_be_found_in_it(ewt):
    odd = ewt[4].replace(upos=["ODD"] * len(ewt[4]))
    sentences = [*ewt[:4], odd, *ewt[5:10]]
    assert "ODD" in train_tagger(sentences, epochs=4).tag(odd).upos
    tagged = jackknife(sentences, folds=5, epochs=4).sentences
    assert "ODD" not in tagged[4].upos


def test_the_result_does_not_depend_on_threads(ewt):
    one, three = (jackknife(ewt[:12], folds=3, epochs=2, threads=threads) for threads in (1, 3))
    assert one.temperatures == pytest.approx(three.temperatures)
    assert set(one.temperatures) == {"upos", "xpos", "feats"}
    for a, b, gold in zip(one.sentences, three.sentences, ewt, strict=False):
        assert (a.upos, a.xpos, a.feats) == (b.upos, b.xpos, b.feats)
        assert a.forms == gold.forms
    for a, b, sentence in zip(one.confidence, three.confidence, one.sentences, strict=True):
        assert a == pytest.approx(b)
        assert a.shape == (len(sentence),)
        assert a.max() < 1
    assert any(a.upos != gold.upos for a, gold in zip(one.sentences, ewt, strict=False))


def test_temperatures_are_fitted_to_gold_tags_alone(ewt):
    gold, wrong = ewt[:8], [one.replace(upos=["X"] * len(one)) for one in ewt[8:12]]
    found = jackknife([*gold, *wrong], silver=4, folds=2, epochs=2)
    assert len(found.sentences) == len(found.confidence) == 12
    assert any("X" in one.upos for one in found.sentences)  # it is learned from
    other = jackknife([*gold, *wrong], folds=2, epochs=2)
    assert found.temperatures["upos"] != other.temperatures["upos"]


def test_progress_ends_at_one(ewt):
    shares = []
    jackknife(ewt[:6], folds=2, epochs=1, on_progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
