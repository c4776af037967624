import numpy as np
import torch

from tests.neural.learning.tiny import INPUTS, SENTENCES, tiny_settings
from treewright.neural.learning.batches import Shuffled, Treebank, sorted_batches


def test_a_batch_is_padded_with_what_does_not_count():
    treebank = Treebank(SENTENCES, INPUTS, tiny_settings(), torch.device("cpu"))
    batch = treebank.batch(np.array([1, 0]))
    assert batch.heads.tolist() == [[-1, 2, 0, 2, -1], [-1, 2, 3, 0, 3]]
    assert batch.words.sum(1).tolist() == [4, 5]
    assert batch.lengths.tolist() == [3, 4]
    assert batch.rows[1, 1:].tolist() == INPUTS.rows(SENTENCES[0].forms)[1:].tolist()
    assert batch.columns["upos"][0, 0] == batch.labels[0, 4] == -1


def test_every_epoch_has_every_sentence_once_in_an_order_of_its_own():
    lengths = np.arange(1, 40)
    order = Shuffled(lengths, words=60, seed=1)
    first = np.concatenate([order.take(step) for step in range(order.steps)])
    assert sorted(first.tolist()) == list(range(39))
    again = Shuffled(lengths, words=60, seed=1)
    assert np.array_equal(first, np.concatenate([again.take(step) for step in range(order.steps)]))
    assert not np.array_equal(again.take(order.steps), order.take(order.steps - 1))


def test_batches_are_as_large_as_asked_for():
    lengths = np.array([5, 1, 3, 3, 2, 50])
    for chosen in sorted_batches(lengths, 12):
        assert len(chosen) == 1 or len(chosen) * (lengths[chosen].max() + 1) <= 12
