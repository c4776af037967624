"""The laws of inference, asked of `TreeDistribution`; truth is enumeration."""

from tests.inference.laws_base import LawsBase
from tests.inference.laws_input import InputLaws
from tests.inference.laws_search import SearchLaws
from tests.inference.laws_sums import SumLaws
from tests.inference.parts import model
from tests.torch.searchers import TorchTrees


class TorchLaws(LawsBase):
    """Those that do not follow from the others if `treewright.inference` obeys them all."""

    test_argmax = SearchLaws.test_argmax_is_the_best_of_all_trees
    test_k_best = SearchLaws.test_k_best_are_the_best_of_all_trees
    test_labels = SearchLaws.test_labels_are_the_best_of_each_arc
    test_mbr = SearchLaws.test_mbr_has_most_arcs_expected_right
    test_one_word = SearchLaws.test_one_word
    test_log_partition = SumLaws.test_log_partition_is_that_of_all_trees
    test_marginals = SumLaws.test_marginals_are_those_of_all_trees
    test_entropy = SumLaws.test_entropy_is_that_of_all_trees
    test_log_prob = SumLaws.test_log_prob_is_that_of_the_tree
    test_frequencies = SumLaws.test_samples_are_as_frequent_as_trees_are_probable
    test_samples = SumLaws.test_samples_are_trees_that_can_be
    test_junk = InputLaws.test_entries_that_belong_to_no_tree_never_count
    test_missing_arrays = InputLaws.test_arrays_that_are_missing_count_as_zero
    test_constraints = InputLaws.test_constraints_forbid_as_minus_infinity_does
    test_fixed_heads = InputLaws.test_fixed_heads_are_kept_by_every_tree
    test_batches = InputLaws.test_a_batch_is_its_problems_one_by_one
    test_no_head = InputLaws.test_a_word_without_a_head_is_named
    test_cut_off = InputLaws.test_a_word_cut_off_from_the_root_is_named
    rows = SumLaws.rows

    def trees_of(self, factorization):
        return TorchTrees(self.projective, self.single_root, model(factorization))

    def cases(self, *arguments, **which):
        """A few of each length."""
        found = super().cases(*arguments, **which)
        return found[:: 8 if self.factorization == "arc" else 3]


#: The other programs are reached by the same code, and have their gradients and pruned problems tested.
_KINDS = [(True, True, "arc"), (True, True, "sibling+last"), (True, False, "arc"), (False, True, "arc")]

for _kind in _KINDS:
    _settings = dict(zip(("projective", "single_root", "factorization"), _kind, strict=True))
    _words = _kind[2].title().replace("-", "").replace("+", "")
    _name = f"Test{'Projective' if _kind[0] else 'Nonprojective'}{'Single' if _kind[1] else 'Multi'}Root{_words}"
    globals()[_name] = type(_name, (TorchLaws,), {**_settings, "__module__": __name__})
