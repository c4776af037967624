import numpy as np
import pytest

from tests.neural.networks import INPUTS, network, random_weights, settings
from treewright.neural.network import Network
from treewright.neural.parameters import parameters
from treewright.neural.quantization import quantize, widen


def test_rounding_moves_a_number_by_half_a_step_at_most():
    weights = random_weights(settings())
    arrays = quantize(weights)
    again = widen(arrays)
    assert again.keys() == weights.keys()
    for name, values in weights.items():
        assert again[name].shape == values.shape
        if values.ndim == 1:
            assert (again[name] == values).all()
        else:
            assert arrays[name].dtype == np.int8
            largest = np.abs(values).max(axis=1 if name == "words" else 0)
            steps = (largest / 127)[:, None] if name == "words" else largest / 127
            assert (np.abs(again[name] - values) <= steps * 0.5001).all()


def test_rounding_what_is_rounded_changes_nothing():
    arrays = quantize(random_weights(settings()))
    again = quantize(widen(arrays))
    assert all((again[name] == values).all() for name, values in arrays.items() if values.dtype == np.int8)


def test_nothing_but_zeros():
    assert not widen(quantize({"out": np.zeros((3, 2), np.float32)}))["out"].any()


@pytest.mark.parametrize("name", ["arc", "arc.scale", "norm", "words.scale"])
def test_parameters_that_do_not_fit_are_refused(name):
    arrays = dict(network().arrays)
    for wrong in ({}, {name: arrays[name][:-1]}):
        with pytest.raises(ValueError, match=f"its parameter {name.partition('.')[0]}"):
            Network(settings(), INPUTS, {key: one for key, one in arrays.items() if key != name} | wrong)


def test_parameters_of_another_type_are_refused():
    arrays = dict(network().arrays)
    with pytest.raises(ValueError, match="norm is of type"):
        Network(settings(), INPUTS, arrays | {"norm": arrays["norm"].astype(np.float64)})


def test_the_table_names_every_array():
    names = set(parameters(settings(), INPUTS.size))
    assert {name.removesuffix(".scale") for name in network().arrays} == names
