"""What PyTorch computes is what the run time computes."""

import numpy as np
import pytest
import torch

from tests.neural.networks import INPUTS, WORDS, random_weights, settings
from treewright.inference.kinds import FACTORIZATIONS
from treewright.inference.parts import all_parts
from treewright.neural import network as runtime
from treewright.neural.learning.network import Network
from treewright.neural.scorer import NeuralScorer
from treewright.treebank import Sentence

SENTENCES = [WORDS[:5], [*WORDS[3:12], "unknown"]]


@pytest.mark.parametrize("factorization", FACTORIZATIONS)
def test_scores_are_equal(factorization):
    chosen = settings(factorization=factorization)
    weights = random_weights(chosen)
    network = Network(chosen, INPUTS.size).eval()
    network.load({name: torch.tensor(one) for name, one in weights.items()})
    lengths = [len(forms) + 1 for forms in SENTENCES]
    rows = np.zeros((len(SENTENCES), max(lengths), 7), np.int64)
    for row, forms in zip(rows, SENTENCES, strict=True):
        row[: len(forms) + 1] = INPUTS.rows(forms)
    words = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    with torch.no_grad():
        outputs = network(torch.tensor(rows), words)
        found = {"arc": network.arc_scores(outputs), **network.part_scores(outputs)}
        found["label"] = network.label_scores(outputs).log_softmax(-1)
    scorer = NeuralScorer(runtime.Network(chosen, INPUTS, weights))
    for number, forms in enumerate(SENTENCES):
        parts = all_parts(len(forms))
        scores = scorer.score(Sentence.from_forms(forms), parts)
        for name, array in scores.arrays.items():
            listed = tuple(parts.rows("arc" if name == "label" else name).T)
            assert array == pytest.approx(found[name][number].numpy()[listed], abs=1e-4), name
        for name, logits in scorer.network.encode(forms).columns.items():
            wanted = outputs.columns[name][number, 1 : len(forms) + 1].numpy()
            assert logits == pytest.approx(wanted, abs=1e-4)
