"""The probabilities of one column agree with each other."""

import math
from dataclasses import replace

import numpy as np
import pytest

from treewright.tagging.training import train_tagger


@pytest.fixture(scope="module")
def column(ewt):
    return train_tagger(ewt[:30], epochs=4).columns[0]


@pytest.mark.parametrize("temperature", [0.5, 1.0, 8.0])
def test_k_best_and_marginals_have_one_distribution(ewt, column, temperature):
    column = replace(column, temperature=temperature)
    [sentence] = [one.replace(**{name: getattr(one, name)[:2] for name in COLUMNS}) for one in ewt[31:32]]
    best = column.k_best(sentence, 10_000)
    assert len(best) == len(column.features.tags) ** 2
    assert math.fsum(math.exp(log) for _, log in best) == pytest.approx(1, abs=1e-4)
    assert best[0][0] == column.tag(sentence)
    shares = column.probabilities(sentence)
    for word in range(2):
        for tag, share in shares[word].items():
            total = math.fsum(math.exp(log) for tags, log in best if tags[word] == tag)
            assert share == pytest.approx(total, abs=1e-4)
    confidence = column.confidence(sentence)
    assert confidence == pytest.approx([shares[word][tag] for word, tag in enumerate(sentence.upos)])


def test_a_higher_temperature_is_less_sure(ewt, column):
    tagged = ewt[31].replace(upos=column.tag(ewt[31]))
    cold, warm, hot = (replace(column, temperature=t).confidence(tagged).mean() for t in (0.1, 1.0, 10.0))
    assert cold > warm > hot
    assert warm == pytest.approx(column.confidence(tagged).mean())


def test_a_tag_that_is_no_candidate_has_no_probability(ewt, column):
    confidence = column.confidence(ewt[31].replace(upos=["NEW", *ewt[31].upos[1:]]))
    assert confidence[0] == 0
    assert (confidence[1:] > 0).all()
    assert np.isfinite(confidence).all()


COLUMNS = ("forms", "lemmas", "upos", "xpos", "feats", "heads", "deprels", "deps", "misc")
