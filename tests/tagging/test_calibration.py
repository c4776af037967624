"""Temperatures: found again where they are known, and fitted to each column by itself."""

import numpy as np
import pytest

from treewright.tagging.calibration import tag_temperatures
from treewright.tagging.training import train_tagger


def drawn(rng, column, sentence):
    """Draw tags at random, each word from the tagger's own marginals."""
    return [rng.choice(list(shares), p=_normalized(shares)) for shares in column.probabilities(sentence)]


def _normalized(shares):
    values = np.array(list(shares.values()))
    return values / values.sum()


@pytest.mark.parametrize("temperature", [0.5, 2.0])
def test_the_temperature_that_tags_were_drawn_at_is_found_again(ewt, temperature):
    rng = np.random.default_rng(7)
    tagger = train_tagger(ewt[:30], epochs=3).calibrated({"upos": temperature})
    examples = [(tagger, sentence.replace(upos=drawn(rng, tagger.columns[0], sentence))) for sentence in ewt * 4]
    assert tag_temperatures(examples)["upos"] == pytest.approx(temperature, rel=0.15)


def test_the_best_tags_decide(ewt):
    """A tag that no tagger could find makes the one that it found wrong, although it has no probability itself."""
    tagger = train_tagger(ewt[:30], epochs=3)
    spoiled = [one.replace(upos=["NEW" if i % 2 else tag for i, tag in enumerate(one.upos)]) for one in ewt[30:]]
    before, after = (tag_temperatures([(tagger, one) for one in some]) for some in (ewt[30:], spoiled))
    assert after["upos"] > 1.2 * before["upos"]


def test_columns_are_fitted_by_themselves(ewt):
    tagger = train_tagger(ewt[:30], epochs=3)
    wrong = [sentence.replace(feats=sentence.feats[::-1]) for sentence in ewt[30:]]
    right, shuffled = (tag_temperatures([(tagger, one) for one in some]) for some in (ewt[30:], wrong))
    assert shuffled["upos"] == right["upos"]
    assert shuffled["feats"] > right["feats"]


def test_a_calibrated_tagger_has_new_temperatures_and_the_same_tags(ewt):
    tagger = train_tagger(ewt[:10], epochs=1)
    changed = tagger.calibrated({"xpos": 0.25, "other": 3.0})
    assert [column.temperature for column in changed.columns] == [1.0, 0.25, 1.0]
    assert changed.tag(ewt[20]).xpos == tagger.tag(ewt[20]).xpos
