"""The laws that every searcher obeys, whatever its trees and factorization; truth is enumeration."""

import numpy as np
import pytest

from treewright.inference import Scores, Trees

from .enumeration import all_scores, all_trees, is_projective, is_single_root, is_tree, random_tree
from .instances import KINDS, draw, many

kinds = pytest.mark.parametrize("kind", sorted(KINDS))
labelled_or_not = pytest.mark.parametrize("labelled", [False, True], ids=["unlabelled", "labelled"])
dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])

#: The total of five scores of up to 1e4 is exact to about 1e-11.
EXACT = {"rel": 1e-14, "abs": 1e-9}


class SearchLaws:
    """Inherit, and say which trees are searched."""

    projective: bool
    single_root: bool

    @property
    def trees(self) -> Trees:
        return Trees(projective=self.projective, single_root=self.single_root)

    def check_kind(self, heads):
        assert heads.dtype == np.int32
        assert heads[0] == -1
        assert is_tree(heads)
        assert is_projective(heads) or not self.projective
        assert is_single_root(heads) or not self.single_root

    @kinds
    @labelled_or_not
    @dtypes
    def test_argmax_is_the_best_of_all_trees(self, kind, labelled, dtype):
        for scores in many(kind, labelled, dtype):
            totals = all_scores(scores.arc, scores.label, all_trees(scores.n, self.projective, self.single_root))
            if totals.max() == -np.inf:
                with pytest.raises(ValueError, match="tree is possible"):
                    self.trees.argmax(scores)
                continue
            parse = self.trees.argmax(scores)
            self.check_kind(parse.heads)
            assert parse.score == pytest.approx(totals.max(), **EXACT)
            chosen = all_scores(scores.arc, scores.label, parse.heads[None])[0]
            assert chosen == pytest.approx(totals.max(), **EXACT)

    @labelled_or_not
    @dtypes
    def test_the_score_is_that_of_the_tree(self, labelled, dtype):
        for scores in many("extreme", labelled, dtype, each=20):
            parse = self.trees.argmax(scores)
            total = 0.0
            for m in range(1, scores.n + 1):
                total += float(scores.arc[parse.heads[m], m])
                if labelled:
                    total += float(scores.label[parse.heads[m], m, parse.labels[m]])
            assert isinstance(parse.score, float)
            assert parse.score == pytest.approx(total, **EXACT)

    def test_labels_are_the_best_of_each_arc(self):
        for scores in many("random", True, np.float64, each=20):
            parse = self.trees.argmax(scores)
            assert parse.labels.dtype == np.int32
            assert parse.labels[0] == -1
            for m in range(1, scores.n + 1):
                assert parse.labels[m] == scores.label[parse.heads[m], m].argmax()

    def test_no_labels_without_label_scores(self):
        assert self.trees.argmax(Scores(arc=np.zeros((3, 3)))).labels is None

    @labelled_or_not
    @dtypes
    def test_inputs_are_not_written_to(self, labelled, dtype):
        for scores in many("random", labelled, dtype, each=5):
            before = [None if a is None else a.copy() for a in (scores.arc, scores.label)]
            self.trees.argmax(scores)
            for array, copy in zip((scores.arc, scores.label), before, strict=True):
                assert array is None or np.array_equal(array, copy, equal_nan=True)

    @pytest.mark.parametrize("junk", [np.nan, np.inf, -np.inf, 1e30])
    def test_self_arcs_and_arcs_into_the_root_never_count(self, junk):
        rng = np.random.default_rng(1)
        arc = rng.normal(size=(9, 9))
        best = self.trees.argmax(Scores(arc=arc))
        arc[:, 0] = arc[np.diag_indices(9)] = junk
        assert np.array_equal(self.trees.argmax(Scores(arc=arc)).heads, best.heads)

    def test_a_constant_on_all_arcs_into_a_word_changes_only_the_score(self):
        rng = np.random.default_rng(2)
        for n in (2, 5, 12):
            arc, constants = rng.normal(size=(n + 1, n + 1)), rng.normal(size=n + 1) * 100
            before, after = (self.trees.argmax(Scores(arc=a)) for a in (arc, arc + constants))
            assert np.array_equal(before.heads, after.heads)
            assert after.score - before.score == pytest.approx(constants[1:].sum())

    def test_one_word(self):
        parse = self.trees.argmax(Scores(arc=np.array([[0.0, -3.5], [0.0, 9.0]])))
        assert parse.heads.tolist() == [-1, 0]
        assert parse.score == -3.5

    @dtypes
    def test_no_random_tree_is_better(self, dtype):
        rng = np.random.default_rng(3)
        for kind in ("random", "tied", "extreme", "root-heavy"):
            scores = draw(rng, kind, 30, False, dtype)
            rows = np.array([random_tree(rng, 30, self.projective, self.single_root) for _ in range(200)])
            for heads in rows[:5]:
                self.check_kind(heads)
            parse = self.trees.argmax(scores)
            self.check_kind(parse.heads)
            assert parse.score >= all_scores(scores.arc, None, rows).max()

    def test_a_planted_tree_is_found(self):
        rng = np.random.default_rng(4)
        for n in (6, 30, 90):
            heads = random_tree(rng, n, self.projective, self.single_root)
            arc = rng.normal(size=(n + 1, n + 1))
            arc[heads[1:], np.arange(1, n + 1)] += 50.0
            assert np.array_equal(self.trees.argmax(Scores(arc=arc)).heads, heads)

    def test_a_single_root_is_the_best_choice_of_root(self):
        rng = np.random.default_rng(5)
        several = Trees(projective=self.projective, single_root=False)
        for kind in ("random", "tied", "positive", "root-heavy"):
            arc = draw(rng, kind, 15, False, np.float64).arc
            best = -np.inf
            for k in range(1, 16):
                only = arc.copy()
                only[0, np.arange(16) != k] = -np.inf
                best = max(best, several.argmax(Scores(arc=only)).score)
            parse = Trees(projective=self.projective, single_root=True).argmax(Scores(arc=arc))
            assert parse.score == pytest.approx(best, **EXACT)

    def test_a_long_chain(self):
        n = 2000
        arc = np.zeros((n + 1, n + 1), np.float32)
        arc[np.arange(n), np.arange(1, n + 1)] = 1.0
        parse = self.trees.argmax(Scores(arc=arc))
        assert parse.score == n
        assert np.array_equal(parse.heads, np.arange(-1, n))

    def test_memory_order_does_not_matter(self):
        arc = np.random.default_rng(6).normal(size=(8, 8))
        best = self.trees.argmax(Scores(arc=arc)).heads
        assert np.array_equal(self.trees.argmax(Scores(arc=np.asfortranarray(arc))).heads, best)
        wide = np.repeat(arc, 2, axis=1)
        assert np.array_equal(self.trees.argmax(Scores(arc=wide[:, ::2])).heads, best)
        arc.flags.writeable = False
        assert np.array_equal(self.trees.argmax(Scores(arc=arc)).heads, best)

    def test_a_word_without_a_head_is_named(self):
        arc = np.zeros((5, 5))
        arc[:, 3] = -np.inf
        with pytest.raises(ValueError, match="word 3 cannot get a head"):
            self.trees.argmax(Scores(arc=arc))

    def test_a_word_cut_off_from_the_root_is_named(self):
        arc = np.full((4, 4), -np.inf)
        arc[0, 1] = arc[2, 3] = arc[3, 2] = 0.0
        with pytest.raises(ValueError, match="word 2 cannot be reached"):
            self.trees.argmax(Scores(arc=arc))
