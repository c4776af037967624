import numpy as np

from tests.neural.networks import network
from treewright.neural.calibration import tag_temperatures
from treewright.neural.tagger import NeuralTagger
from treewright.treebank import Sentence


def test_the_temperature_of_each_column_makes_gold_tags_likeliest():
    tagger = NeuralTagger(network())
    plain = [Sentence.from_forms(forms) for forms in (["the", "dog", "saw"], ["a", "man", "in", "park"])]
    rng = np.random.default_rng(1)
    gold = [one.replace(upos=[str(tag) for tag in rng.choice(["NOUN", "VERB"], len(one))]) for one in plain]
    found = tag_temperatures(tagger, gold)

    def loss(temperature):
        judged = tagger.calibrated({"upos": temperature})
        return -sum(np.log(judged.confidence(one)["upos"]).sum() for one in gold)

    best = found["upos"]
    assert loss(best) <= min(loss(best * 1.1), loss(best / 1.1)) + 1e-6
