import numpy as np
import pytest

from tests.neural.networks import INPUTS, WORDS, Reference, network, settings
from treewright.neural.network import Network


@pytest.mark.parametrize("length", [1, 5, 6, 17])
def test_the_encoder_computes_what_is_written_down(length):
    net, forms = network(wide=True), (WORDS * 2)[:length]
    reference = Reference(net.settings, net.arrays, INPUTS.rows(forms))
    assert net.encode(forms).vectors[: length + 1] == pytest.approx(reference.vectors, abs=1e-5)


def test_order_matters_and_the_rest_of_a_form_does_not():
    net = network()
    one, other = net.encode(["the", "dog"]).vectors[:3], net.encode(["dog", "the"]).vectors[:3]
    assert np.abs(one[0] - other[0]).max() > 1e-3
    assert (net.encode(["cat", "2019"]).vectors == net.encode(["cat", "2024"]).vectors).all()


def test_a_sentence_is_encoded_once():
    net = network()
    assert net.encode(["the", "dog"]) is net.encode(("the", "dog"))


def test_weights_of_two_bytes_and_one_do_nearly_as_well():
    """Where weights are bytes, so are the vectors that they are multiplied with."""
    wide = network(wide=True)
    vectors = wide.encode(WORDS).vectors
    half = Network(settings(), INPUTS, {name: one.astype(np.float16) for name, one in wide.arrays.items()})
    assert half.encode(WORDS).vectors == pytest.approx(vectors, abs=3e-2)
    rounded = network().encode(WORDS).vectors
    assert (rounded != vectors).any()
    assert np.square(rounded - vectors).mean() < 1e-3 * np.square(vectors).mean()
