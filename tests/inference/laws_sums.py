"""Laws of all trees at once: the log-partition, marginals, entropy, probabilities and samples."""

import math

import numpy as np
import pytest
from scipy.stats import chi2

from tests.inference.enumeration import all_trees
from tests.inference.laws_base import ARRAYS, CLOSE, LawsBase, arrays_of, forms, kinds, labelled_or_not
from tests.inference.parts import can_exist, model, shape_of
from treewright.inference import Scores


class SumLaws(LawsBase):
    @kinds
    @forms
    def test_log_partition_is_that_of_all_trees(self, kind, labelled, dtype):
        for scores, oracle in self.cases(kind, labelled, dtype, possible=False):
            if not oracle.possible:
                with pytest.raises(ValueError, match="tree is possible"):
                    self.trees.log_partition(scores)
                continue
            total = self.trees.log_partition(scores)
            assert isinstance(total, float)
            # where every tree has a mask at the lowest float, masks are counted, not added up to the last digit
            close = 1e-8 if oracle.log_partition < -1e30 else 1e-12
            assert total == pytest.approx(oracle.log_partition, rel=close, abs=1e-9)

    def test_log_partition_of_zeros_counts_trees(self):
        for n in range(1, 6):
            arrays = {name: np.zeros(shape_of(name, n)) for name in self.names}
            count = len(all_trees(n, self.projective, self.single_root))
            assert self.trees.log_partition(Scores(**arrays)) == pytest.approx(math.log(count), abs=1e-12)
            assert self.trees.entropy(Scores(**arrays)) == pytest.approx(math.log(count), abs=1e-12)
            labelled = Scores(**arrays, label=np.zeros((n + 1, n + 1, 4)))
            assert self.trees.log_partition(labelled) == pytest.approx(math.log(count * 4**n))
            assert self.trees.entropy(labelled) == pytest.approx(math.log(count * 4**n))

    @kinds
    @forms
    def test_marginals_are_those_of_all_trees(self, kind, labelled, dtype):
        for scores, oracle in self.cases(kind, labelled, dtype, exact=True):
            marginals = self.trees.marginals(scores)
            for name in ARRAYS:
                array = getattr(marginals, name)
                if getattr(scores, name) is None:
                    assert array is None, name
                    continue
                assert array.dtype == np.float64
                np.testing.assert_allclose(array, getattr(oracle.marginals, name), err_msg=name, **CLOSE)
                assert (array >= 0).all()
                assert (array <= 1 + 1e-9).all()
            np.testing.assert_allclose(marginals.arc[:, 1:].sum(axis=0), 1.0, **CLOSE)

    @kinds
    @forms
    def test_entropy_is_that_of_all_trees(self, kind, labelled, dtype):
        for scores, oracle in self.cases(kind, labelled, dtype, exact=True):
            entropy = self.trees.entropy(scores)
            assert isinstance(entropy, float)
            # log Z and the expected score, whose difference it is, are of the order of 1e5 for extreme scores
            assert entropy == pytest.approx(oracle.entropy, abs=1e-5 if kind == "extreme" else 1e-8)
            assert entropy >= -1e-9

    @kinds
    @labelled_or_not
    def test_log_prob_is_that_of_the_tree(self, kind, labelled):
        rng = np.random.default_rng(9)
        for scores, oracle in self.cases(kind, labelled, np.float64, exact=True):
            for heads in oracle.trees[rng.integers(len(oracle.trees), size=3)]:
                chance = self.trees.log_prob(scores, heads)
                assert isinstance(chance, float)
                assert chance == pytest.approx(oracle.log_prob(heads), rel=1e-11, abs=1e-8)
                if labelled:
                    labels = np.append(-1, rng.integers(3, size=scores.n)).astype(np.int32)
                    chance = self.trees.log_prob(scores, heads, labels)
                    assert chance == pytest.approx(oracle.log_prob(heads, labels), rel=1e-11, abs=1e-8)

    def test_probabilities_sum_to_one(self):
        scores = self.draw(1, 4)
        trees = all_trees(4, self.projective, self.single_root)
        assert math.fsum(math.exp(self.trees.log_prob(scores, heads)) for heads in trees) == pytest.approx(1.0)

    def test_marginals_are_the_gradient_of_log_partition(self):
        arrays = self.draw_arrays(2, 4)
        marginals = self.trees.marginals(Scores(**arrays))
        rng = np.random.default_rng(2)
        for name, array in arrays.items():
            exists = can_exist("arc" if name == "label" else name, 4, self.projective, self.single_root)
            for index in rng.permutation(np.argwhere(exists))[:4]:
                index = (*index, 1) if name == "label" else tuple(index)
                nudged = []
                for step in (1e-4, -1e-4):
                    other = array.copy()
                    other[index] += step
                    nudged.append(self.trees.log_partition(Scores(**{**arrays, name: other})))
                slope = (nudged[0] - nudged[1]) / 2e-4
                assert getattr(marginals, name)[index] == pytest.approx(slope, abs=1e-7), (name, index)

    @pytest.mark.parametrize("kind", ["random", "extreme", "root-heavy", "positive"])
    def test_marginals_of_longer_sentences_agree_with_each_other(self, kind):
        marginals = self.trees.marginals(self.draw(3, self.long, kind))
        np.testing.assert_allclose(marginals.arc[:, 1:].sum(axis=0), 1.0, **CLOSE)
        np.testing.assert_allclose(marginals.label.sum(axis=2), marginals.arc, **CLOSE)
        if self.single_root:
            assert marginals.arc[0].sum() == pytest.approx(1.0, abs=1e-7)
        if "sibling" in self.names:
            np.testing.assert_allclose(marginals.sibling.sum(axis=1), marginals.arc, **CLOSE)
        if "tri_sibling" in self.names:
            np.testing.assert_allclose(marginals.tri_sibling.sum(axis=1), marginals.sibling, **CLOSE)
        if model(self.factorization) in ("grandchild", "grand-sibling"):
            np.testing.assert_allclose(marginals.grandchild.sum(axis=0), marginals.arc, **CLOSE)
        if model(self.factorization) == "grand-sibling":
            np.testing.assert_allclose(marginals.grand_sibling.sum(axis=0), marginals.sibling, **CLOSE)
        if "last" in self.names:  # every word has one on each side, the root on its right
            np.testing.assert_allclose(marginals.last[1:].sum(axis=1), 1.0, **CLOSE)
            np.testing.assert_allclose(marginals.last[0].sum(axis=0), [0.0, 1.0], **CLOSE)

    def test_entropy_of_longer_sentences_is_log_partition_less_the_expected_score(self):
        scores = self.draw(4, self.long)
        marginals = self.trees.marginals(scores)
        expected = 0.0
        for name, array in arrays_of(marginals).items():
            expected += (array[array > 0] * getattr(scores, name)[array > 0]).sum()
        assert self.trees.entropy(scores) == pytest.approx(self.trees.log_partition(scores) - expected, abs=1e-8)

    @pytest.mark.parametrize("n", [3, 4])
    @labelled_or_not
    def test_samples_are_as_frequent_as_trees_are_probable(self, n, labelled):
        scores = self.draw(5, n, "random", labelled).scaled(0.3)  # so that many trees have a chance
        oracle = self.oracle(scores)
        rows = self.rows(self.trees.sample(scores, 10_000, 11), oracle)
        assert chance_of(np.bincount(rows, minlength=len(oracle.trees)), oracle.probabilities) > 1e-6

    def test_samples_do_not_depend_on_each_other(self):
        scores = self.draw(6, 3, "random", False)
        oracle = self.oracle(scores)
        rows, count = self.rows(self.trees.sample(scores, 10_000, 12), oracle), len(oracle.trees)
        for pairs in (rows[:-1:2] * count + rows[1::2], rows[:5000] * count + rows[5000:]):
            expected = np.outer(oracle.probabilities, oracle.probabilities).ravel()
            assert chance_of(np.bincount(pairs, minlength=count**2), expected) > 1e-6

    @kinds
    @forms
    def test_samples_are_trees_that_can_be(self, kind, labelled, dtype):
        for scores, oracle in self.cases(kind, labelled, dtype, exact=True):
            samples = self.trees.sample(scores, 8, 13)
            assert samples.dtype == np.int32
            assert samples.shape == (8, scores.n + 1)
            assert (samples[:, 0] == -1).all()
            assert (oracle.probabilities[self.rows(samples, oracle)] > 1e-12).all()

    def test_samples_of_longer_sentences_are_trees(self):
        scores = self.draw(7, self.long)
        samples = self.trees.sample(scores, 2000, 14)
        for heads in samples[:50]:
            self.check_kind(heads)
        marginals = self.trees.marginals(scores).arc
        for m in range(1, self.long + 1):
            frequencies = np.bincount(samples[:, m], minlength=self.long + 1) / 2000
            assert np.abs(frequencies - marginals[:, m]).max() < 6 * math.sqrt(0.25 / 2000)

    def test_a_seed_gives_the_same_samples_and_another_gives_others(self):
        scores = self.draw(8, 5, "tied")
        first = self.trees.sample(scores, 100, 1)
        assert np.array_equal(first, self.trees.sample(scores, 100, 1))
        assert not np.array_equal(first, self.trees.sample(scores, 100, 2))
        assert len(np.unique(first, axis=0)) > 1

    def test_no_samples(self):
        samples = self.trees.sample(self.draw(9, 4), 0, 1)
        assert samples.shape == (0, 5)
        assert samples.dtype == np.int32

    def rows(self, samples, oracle) -> np.ndarray:
        """Where each sample stands among all trees."""
        known = {tuple(heads): row for row, heads in enumerate(oracle.trees.tolist())}
        return np.array([known[tuple(heads)] for heads in samples.tolist()])


def chance_of(counts: np.ndarray, probabilities: np.ndarray) -> float:
    """How probable counts as odd as these are, by a χ² test; the rarest are pooled until five are expected."""
    order = np.argsort(probabilities)
    counts, expected = counts[order], probabilities[order] * counts.sum()
    pooled = int(np.searchsorted(np.cumsum(expected), 5.0)) + 1
    counts = np.append(counts[:pooled].sum(), counts[pooled:])
    expected = np.append(expected[:pooled].sum(), expected[pooled:])
    assert len(counts) > 1, "too few kinds of outcome to test"
    return float(chi2.sf(((counts - expected) ** 2 / expected).sum(), len(counts) - 1))
