import itertools

import numpy as np
import pytest

from tests.neural.networks import COLUMNS, WORDS, network
from treewright.neural.tagger import NeuralTagger
from treewright.tagging.given import given_tags
from treewright.treebank import Sentence

SENTENCE = Sentence.from_forms([*WORDS[:3], "Walked"])


@pytest.fixture(scope="module")
def tagger():
    return NeuralTagger(network())


def test_columns_are_filled(tagger):
    tagged = tagger.tag(SENTENCE)
    assert tagger.names == ["upos", "xpos", "feats", "lemmas"]
    assert set(tagged.upos) <= set(COLUMNS["upos"])
    assert set(tagged.feats) <= set(COLUMNS["feats"])
    assert tagged.lemmas[3] in ("Walked", "wal")
    assert tagged.forms == SENTENCE.forms
    assert tagger.tag(Sentence.from_forms([])).upos == ()


def test_given_tags_stay(tagger):
    sentence = SENTENCE.replace(upos=["X", "_", "_", "Y"], lemmas=["_", "_", "own", "_"])
    tagged = tagger.tag(sentence, given_tags(sentence, blank_features=True))
    assert [tagged.upos[0], tagged.upos[3], tagged.lemmas[2]] == ["X", "Y", "own"]
    assert "_" not in tagged.upos
    free = tagger.tag(SENTENCE)
    assert tagged.upos[1:3] == free.upos[1:3]
    assert tagged.xpos == free.xpos


def test_confidence(tagger):
    free = tagger.tag(SENTENCE)
    found = tagger.confidence(free)
    logits = tagger.network.encode(SENTENCE.forms).columns["upos"].astype(float)
    wanted = (np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)).max(axis=1)
    assert found["upos"] == pytest.approx(wanted)
    odd = free.replace(upos=["X", *free.upos[1:]])
    assert tagger.confidence(odd)["upos"][0] == 0.0
    assert tagger.confidence(odd, given_tags(odd, blank_features=False))["upos"][0] == 1.0
    assert tagger.confidence(Sentence.from_forms([])) == {}


def test_a_high_temperature_doubts_more(tagger):
    free = tagger.tag(SENTENCE)
    hot = tagger.calibrated({"upos": 3.0})
    assert (hot.confidence(free)["upos"] < tagger.confidence(free)["upos"]).all()
    assert hot.confidence(free)["xpos"] == pytest.approx(tagger.confidence(free)["xpos"])


def test_the_k_best_taggings_are_the_best_of_all():
    tagger = NeuralTagger(network(columns={"upos": COLUMNS["upos"], "xpos": COLUMNS["xpos"]}))
    sentence = Sentence.from_forms(WORDS[:3])
    logits = tagger.network.encode(sentence.forms).columns
    shares = {name: np.exp(log) for name, log in tagger._log_probabilities(logits).items()}
    rows = [*shares["upos"], *shares["xpos"]]
    wanted = sorted((np.prod(pick) for pick in itertools.product(*rows)), reverse=True)
    best = tagger.k_best(sentence, 40)
    assert np.exp([one.log_probability for one in best]) == pytest.approx(np.array(wanted[:40]))
    assert len({(*one.sentence.upos, *one.sentence.xpos) for one in best}) == 40
    assert best[0].sentence.upos == tagger.tag(sentence).upos
    assert len(tagger.k_best(sentence, 10_000)) == len(wanted)


def test_k_best_around_given_tags(tagger):
    sentence = SENTENCE.replace(upos=["X", "_", "_", "Y"])
    found = tagger.k_best(sentence, 5, given_tags(sentence, blank_features=True))
    assert all(one.sentence.upos[0] == "X" for one in found)
    assert len(found) == 5
    assert len(tagger.k_best(Sentence.from_forms([]), 3)) == 1


def test_k_best_taggings_differ_in_tags_and_lemmas_are_not_doubted(tagger):
    found = tagger.k_best(SENTENCE, 20)
    assert len({(*one.sentence.upos, *one.sentence.xpos, *one.sentence.feats) for one in found}) == 20
    assert {tuple(one.sentence.lemmas) for one in found} == {tuple(tagger.tag(SENTENCE).lemmas)}
    alone = NeuralTagger(network(columns={name: values for name, values in COLUMNS.items() if name == "lemma"}))
    [only] = alone.k_best(SENTENCE, 3)
    assert only.log_probability == 0
    assert only.sentence.lemmas == alone.tag(SENTENCE).lemmas
    assert set(tagger.confidence(found[0].sentence)) == {"upos", "xpos", "feats"}


def test_description(tagger):
    hot = tagger.calibrated({"upos": 3.0})
    manifest, arrays = hot.describe()
    assert arrays == {}
    assert NeuralTagger.restore(manifest, tagger.network).temperatures == {"upos": 3.0}
