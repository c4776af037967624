"""The laws of inference, asked of `TreeDistribution`; truth is enumeration."""

import itertools

import pytest

from tests.inference.laws_input import InputLaws
from tests.inference.laws_search import SearchLaws
from tests.inference.laws_sums import SumLaws
from tests.inference.parts import PARTS, model
from tests.torch.searchers import TorchTrees


class TorchLaws(SearchLaws, SumLaws, InputLaws):
    # What concerns NumPy alone, and what searchers have that are given no tensors.
    test_inputs_are_not_written_to_and_may_be_read_only = None
    test_memory_order_does_not_matter = None
    test_float32_gives_what_the_same_numbers_in_float64_give = None

    def trees_of(self, factorization):
        return TorchTrees(self.projective, self.single_root, model(factorization))


for _kind in [*itertools.product([True], [True, False], PARTS), (False, True, "arc"), (False, False, "arc")]:
    _settings = dict(zip(("projective", "single_root", "factorization"), _kind, strict=True))
    _words = _kind[2].title().replace("-", "").replace("+", "")
    _name = f"Test{'Projective' if _kind[0] else 'Nonprojective'}{'Single' if _kind[1] else 'Multi'}Root{_words}"
    globals()[_name] = type(_name, (TorchLaws,), {**_settings, "__module__": __name__})
