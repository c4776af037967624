"""Laws of single trees: the best, the k best, the one with most arcs expected right, and what a tree scores."""

from dataclasses import replace

import numpy as np
import pytest

from tests.inference.enumeration import random_tree
from tests.inference.laws_base import EXACT, LawsBase, dtypes, forms, kinds, labelled_or_not
from tests.inference.parts import score_of
from treewright.inference import Scores


class SearchLaws(LawsBase):
    @kinds
    @forms
    def test_argmax_is_the_best_of_all_trees(self, kind, labelled, dtype):
        for scores, oracle in self.cases(kind, labelled, dtype, possible=False):
            if not oracle.possible:
                with pytest.raises(ValueError, match="tree is possible"):
                    self.trees.argmax(scores)
                continue
            parse = self.trees.argmax(scores)
            self.check_kind(parse.heads)
            assert isinstance(parse.score, float)
            assert parse.score == pytest.approx(oracle.best, **EXACT)
            assert oracle.score(parse.heads, parse.labels) == pytest.approx(oracle.best, **EXACT)

    def test_labels_are_the_best_of_each_arc(self):
        for scores, _ in self.cases("random", True, np.float64):
            for parse in (self.trees.argmax(scores), self.trees.k_best(scores, 3)[-1], self.trees.mbr(scores)):
                assert parse.labels.dtype == np.int32
                assert parse.labels[0] == -1
                for m in range(1, scores.n + 1):
                    assert parse.labels[m] == scores.label[parse.heads[m], m].argmax()

    def test_no_labels_without_label_scores(self):
        scores = Scores(arc=np.zeros((3, 3)))
        assert self.trees.argmax(scores).labels is None
        assert self.trees.k_best(scores, 1)[0].labels is None
        assert self.trees.mbr(scores).labels is None

    @kinds
    @forms
    def test_k_best_are_the_best_of_all_trees(self, kind, labelled, dtype):
        for scores, oracle in self.cases(kind, labelled, dtype, possible=False):
            if not oracle.possible:
                with pytest.raises(ValueError, match="tree is possible"):
                    self.trees.k_best(scores, 2)
                continue
            k = 12 if scores.n > 3 else len(oracle.ranking) + 3
            parses = self.trees.k_best(scores, k)
            for parse in parses:
                self.check_kind(parse.heads)
                assert parse.score == pytest.approx(oracle.score(parse.heads, parse.labels), **EXACT)
            assert [parse.score for parse in parses] == pytest.approx(oracle.ranking[:k].tolist(), **EXACT)
            assert len({tuple(parse.heads) for parse in parses}) == len(parses)

    @pytest.mark.parametrize("kind", ["random", "tied", "masked", "extreme"])
    def test_k_best_beyond_the_number_of_trees_are_all_trees(self, kind):
        for scores, oracle in self.cases(kind, False, np.float64):
            if scores.n == 4:
                parses = self.trees.k_best(scores, len(oracle.ranking) + 10)
                found = {tuple(parse.heads) for parse in parses}
                assert found == {tuple(heads) for heads in oracle.trees[oracle.totals > -np.inf]}
                assert len(parses) == len(found)
                assert [parse.score for parse in parses] == pytest.approx(oracle.ranking.tolist(), **EXACT)

    def test_the_best_of_fewer_are_a_prefix(self):
        scores = self.draw(1, 5)
        everything = self.trees.k_best(scores, 20)
        assert np.array_equal(everything[0].heads, self.trees.argmax(scores).heads)
        for k in (1, 2, 3, 7, 19):
            some = self.trees.k_best(scores, k)
            assert len(some) == min(k, len(everything))
            for parse, other in zip(some, everything, strict=False):
                assert np.array_equal(parse.heads, other.heads)
                assert parse.score == pytest.approx(other.score, **EXACT)

    def test_k_best_of_longer_sentences(self):
        scores = self.draw(2, self.long)
        parses = self.trees.k_best(scores, 50)
        totals = [parse.score for parse in parses]
        assert totals == sorted(totals, reverse=True)
        assert len({tuple(parse.heads) for parse in parses}) == 50
        assert parses[0].score == pytest.approx(self.trees.argmax(scores).score, **EXACT)
        for parse in parses:
            self.check_kind(parse.heads)
            total = score_of(scores, parse.heads, self.factorization, parse.labels)
            assert parse.score == pytest.approx(total, **EXACT)

    @pytest.mark.parametrize("kind", ["random", "masked", "extreme"])
    @labelled_or_not
    def test_score_is_that_of_the_tree(self, kind, labelled):
        rng = np.random.default_rng(8)
        for scores, oracle in self.cases(kind, labelled, np.float32):
            for heads in oracle.trees[rng.integers(len(oracle.trees), size=3)]:
                total = self.trees.score(scores, heads)
                assert isinstance(total, float)
                assert total == pytest.approx(oracle.score(heads), **EXACT)
                if labelled:
                    labels = np.append(-1, rng.integers(3, size=scores.n)).astype(np.int32)
                    total = self.trees.score(scores, heads, labels)
                    assert total == pytest.approx(oracle.score(heads, labels), **EXACT)

    @kinds
    @labelled_or_not
    def test_mbr_has_most_arcs_expected_right(self, kind, labelled):
        for scores, oracle in self.cases(kind, labelled, np.float64, exact=True):
            parse = self.trees.mbr(scores)
            self.check_kind(parse.heads)
            assert parse.score == pytest.approx(oracle.mbr, abs=1e-7)
            assert oracle.expected_arcs(parse.heads[None])[0] == pytest.approx(oracle.mbr, abs=1e-7)
            assert oracle.allowed(parse.heads[None])[0]

    @dtypes
    def test_no_random_tree_is_better(self, dtype):
        rng = np.random.default_rng(3)
        for kind in ("random", "tied", "extreme", "root-heavy"):
            scores = self.draw(3, self.long, kind, False, dtype)
            parse = self.trees.argmax(scores)
            self.check_kind(parse.heads)
            for _ in range(30):
                heads = random_tree(rng, self.long, self.projective, self.single_root)
                self.check_kind(heads)
                total = score_of(scores, heads, self.factorization)
                assert parse.score >= total - 1e-9
                assert self.trees.score(scores, heads) == pytest.approx(total, **EXACT)

    def test_a_planted_tree_is_found(self):
        rng = np.random.default_rng(4)
        for n in (6, self.long, 90 if self.factorization == "arc" else 16):
            heads = random_tree(rng, n, self.projective, self.single_root)
            arrays = self.draw_arrays(4, n)
            arrays["arc"][heads[1:], np.arange(1, n + 1)] += 200.0
            assert np.array_equal(self.trees.argmax(Scores(**arrays)).heads, heads)

    def test_a_single_root_is_the_best_choice_of_root(self):
        n = self.long // 2
        several, single = replace(self.trees, single_root=False), replace(self.trees, single_root=True)
        for kind in ("random", "tied", "positive", "root-heavy"):
            arrays = self.draw_arrays(5, n, kind)
            best = -np.inf
            for k in range(1, n + 1):
                only = arrays["arc"].copy()
                only[0, np.arange(n + 1) != k] = -np.inf
                best = max(best, several.argmax(Scores(**{**arrays, "arc": only})).score)
            assert single.argmax(Scores(**arrays)).score == pytest.approx(best, **EXACT)

    def test_one_word(self):
        scores = Scores(arc=np.array([[0.0, -3.5], [0.0, 9.0]]))
        for parse in (self.trees.argmax(scores), *self.trees.k_best(scores, 5)):
            assert parse.heads.tolist() == [-1, 0]
            assert parse.score == -3.5
        assert len(self.trees.k_best(scores, 5)) == 1
        assert self.trees.log_partition(scores) == pytest.approx(-3.5)
        assert self.trees.marginals(scores).arc.tolist() == [[0.0, 1.0], [0.0, 0.0]]
        assert self.trees.sample(scores, 3, 0).tolist() == [[-1, 0]] * 3
        assert self.trees.entropy(scores) == pytest.approx(0.0, abs=1e-12)
        assert self.trees.mbr(scores).score == pytest.approx(1.0)
