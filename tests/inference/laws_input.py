"""Laws of what goes in: what does not count, constraints, batches, and that nothing is left behind."""

import numpy as np
import pytest

from tests.inference.enumeration import random_tree
from tests.inference.instances import never
from tests.inference.laws_base import (
    EXACT,
    METHODS,
    LawsBase,
    arrays_of,
    assert_same,
    directions,
    dtypes,
    flat,
    methods,
)
from tests.inference.parts import can_exist, constrained_arcs, shape_of
from treewright.inference import Scores, Trees

#: What never means anything but must be refused by nobody.
junks = pytest.mark.parametrize("junk", [np.nan, np.inf, -np.inf, 1e30])


class InputLaws(LawsBase):
    @methods
    @junks
    def test_entries_that_belong_to_no_tree_never_count(self, method, junk):
        arrays = {name: np.nan_to_num(array, posinf=0, neginf=0) for name, array in self.draw_arrays(1, 5).items()}
        clean = METHODS[method](self.trees, Scores(**arrays))
        for name, array in arrays.items():
            array[never(name, 5)] = junk
        assert_same(METHODS[method](self.trees, Scores(**arrays)), clean)

    @methods
    @pytest.mark.parametrize("junk", [1e30, -1e30, -np.inf])
    def test_entries_that_belong_to_no_tree_of_this_kind_never_count(self, method, junk):
        arrays = self.draw_arrays(2, 5)
        clean = METHODS[method](self.trees, Scores(**arrays))
        for name, array in arrays.items():
            kind = "arc" if name == "label" else name
            array[~can_exist(kind, 5, self.projective, self.single_root) & ~never(name, 5)] = junk
        assert_same(METHODS[method](self.trees, Scores(**arrays)), clean)

    @methods
    @dtypes
    def test_inputs_are_not_written_to_and_may_be_read_only(self, method, dtype):
        arrays = self.draw_arrays(3, 5, dtype=dtype)
        allowed, fixed = np.ones((6, 6), bool), np.array([-1, 0, -1, -1, -1, -1])
        everything = [*arrays.values(), allowed, fixed]
        copies = [array.copy() for array in everything]
        for writeable in (True, False):
            for array in everything:
                array.flags.writeable = writeable
            METHODS[method](self.trees, Scores(**arrays, allowed=allowed, fixed_heads=fixed))
            for array, copy in zip(everything, copies, strict=True):
                assert np.array_equal(array, copy, equal_nan=array.dtype.kind == "f")

    @methods
    def test_memory_order_does_not_matter(self, method):
        arrays = self.draw_arrays(4, 5)
        answer = METHODS[method](self.trees, Scores(**arrays))
        for change in (np.asfortranarray, lambda a: np.repeat(a, 2, axis=-1)[..., ::2], lambda a: a[::-1].copy()[::-1]):
            changed = Scores(**{name: change(array) for name, array in arrays.items()})
            assert_same(METHODS[method](self.trees, changed), answer)

    @methods
    def test_float32_gives_what_the_same_numbers_in_float64_give(self, method):
        arrays = self.draw_arrays(5, 5, dtype=np.float32)
        wide = {name: array.astype(np.float64) for name, array in arrays.items()}
        assert_same(METHODS[method](self.trees, Scores(**arrays)), METHODS[method](self.trees, Scores(**wide)))

    @methods
    def test_arrays_that_are_missing_count_as_zero(self, method):
        arrays = self.draw_arrays(6, 4)
        for missing in [name for name in self.names if name != "arc"]:
            zero = Scores(**{**arrays, missing: np.zeros(shape_of(missing, 4))})
            none = Scores(**{**arrays, missing: None})
            answer, other = METHODS[method](self.trees, none), METHODS[method](self.trees, zero)
            if method == "sample" and missing == "last":  # another program, which spends the same numbers otherwise
                continue
            if method == "tangents":  # with the same direction
                other = self.trees.tangents(zero, directions(none))
            if method in ("marginals", "tangents"):
                assert getattr(answer, missing) is None
                other = Scores(**{**arrays_of(other), missing: None})
            assert_same(answer, other)

    @methods
    def test_parts_of_zero_leave_what_arcs_alone_say(self, method):
        arrays = self.draw_arrays(7, 10)
        only = Scores(arc=arrays["arc"], label=arrays["label"])
        answer, other = METHODS[method](self.trees, only), METHODS[method](self.trees_of("arc"), only)
        if method != "sample":  # the same numbers may be spent in another order
            assert_same(answer, other, rtol=1e-9, atol=1e-10)

    def test_a_constant_on_all_arcs_into_a_word_changes_only_the_score(self):
        rng = np.random.default_rng(8)
        for n in (2, 5, self.long):
            arrays, constants = self.draw_arrays(8, n), rng.normal(size=n + 1) * 100
            shifted = Scores(**{**arrays, "arc": arrays["arc"] + constants})
            scores, total = Scores(**arrays), constants[1:].sum()
            before, after = self.trees.argmax(scores), self.trees.argmax(shifted)
            assert np.array_equal(before.heads, after.heads)
            assert after.score - before.score == pytest.approx(total)
            change = self.trees.log_partition(shifted) - self.trees.log_partition(scores)
            assert change == pytest.approx(total, abs=1e-9)
            for method in ("marginals", "tangents", "entropy", "log_prob", "mbr"):
                ask = METHODS[method]
                assert_same(ask(self.trees, shifted), ask(self.trees, scores), rtol=1e-8, atol=1e-9)

    @methods
    def test_constraints_that_forbid_nothing_change_nothing(self, method):
        for n in (1, 2, 5, 8):
            arrays = self.draw_arrays(9, n)
            answer = METHODS[method](self.trees, Scores(**arrays))
            allowed, free = np.ones((n + 1, n + 1), bool), np.full(n + 1, -1)
            for constraints in ({"allowed": allowed}, {"fixed_heads": free}, {"allowed": allowed, "fixed_heads": free}):
                assert_same(METHODS[method](self.trees, Scores(**arrays, **constraints)), answer)

    @methods
    @pytest.mark.parametrize("which", ["allowed", "fixed_heads", "both"])
    def test_constraints_forbid_as_minus_infinity_does(self, method, which):
        rng = np.random.default_rng(10)
        for n in (2, 4, 5, 8):
            for kind in ("random", "extreme", "positive"):
                arrays, constraints = self.draw_arrays(10, n, kind), {}
                heads = chain_or_not(rng, n, self)
                if which != "fixed_heads":
                    allowed = rng.random((n + 1, n + 1)) < 0.5
                    allowed[heads[1:], np.arange(1, n + 1)] = True
                    constraints["allowed"] = allowed
                if which != "allowed":
                    constraints["fixed_heads"] = np.where(rng.random(n + 1) < 0.4, heads, -1)
                    constraints["fixed_heads"][0] = n  # which is not looked at
                constrained = Scores(**arrays, **constraints)
                masked = Scores(**{**arrays, "arc": constrained_arcs(constrained)})
                answer, expected = METHODS[method](self.trees, constrained), METHODS[method](self.trees, masked)
                assert_same(answer, expected)

    def test_fixed_heads_are_kept_by_every_tree(self):
        rng = np.random.default_rng(11)
        for n in (3, 5, self.long):
            heads = random_tree(rng, n, self.projective, self.single_root)
            fixed = np.where(rng.random(n + 1) < 0.5, heads, -1)
            scores = Scores(**self.draw_arrays(11, n, "extreme"), fixed_heads=fixed)
            found = [parse.heads for parse in (self.trees.argmax(scores), self.trees.mbr(scores))]
            found += [parse.heads for parse in self.trees.k_best(scores, 5)]
            for kept in [*found, *self.trees.sample(scores, 10, 3)]:
                self.check_kind(kept)
                assert (kept[1:] == fixed[1:])[fixed[1:] >= 0].all()

    @pytest.mark.parametrize("method", [name for name in METHODS if name not in ("score", "log_prob")])
    def test_a_tree_that_is_all_fixed_is_the_only_one(self, method):
        heads = random_tree(np.random.default_rng(12), 6, self.projective, self.single_root)
        scores = Scores(**self.draw_arrays(12, 6, labelled=False), fixed_heads=heads)
        total = self.oracle(scores).score(heads)
        answer = METHODS[method](self.trees, scores)
        if method == "log_partition":
            assert answer == pytest.approx(total, **EXACT)
        elif method == "entropy":
            assert answer == pytest.approx(0.0, abs=1e-9)
        elif method == "marginals":
            assert answer.arc.sum() == pytest.approx(6)
            np.testing.assert_allclose(answer.arc[heads[1:], np.arange(1, 7)], 1.0)
        elif method == "tangents":
            np.testing.assert_allclose(np.concatenate([array.ravel() for array in flat(answer)]), 0.0, atol=1e-12)
        elif method == "sample":
            assert (answer == heads).all()
        else:
            (parse,) = answer if method == "k_best" else [answer]
            assert np.array_equal(parse.heads, heads)
            assert parse.score == pytest.approx(6.0 if method == "mbr" else total, **EXACT)

    @methods
    @pytest.mark.parametrize("threads", [1, 2])
    def test_a_batch_is_its_problems_one_by_one(self, method, threads):
        lengths = [5, 1, 8, 2, 2, 7, 3, 1, 6]
        batch = [self.draw(13 + k, n, labelled=k % 2 == 0) for k, n in enumerate(lengths)]
        answers = METHODS[method](self.trees.batch(threads), batch)
        assert isinstance(answers, list)
        assert len(answers) == len(batch)
        for scores, answer in zip(batch, answers, strict=True):
            if method == "sample":  # each problem of a batch may have a stream of its own
                assert answer.shape == (20, scores.n + 1)
                for heads in answer:
                    self.check_kind(heads)
            else:
                assert_same(answer, METHODS[method](self.trees, scores))
        assert_same(answers, METHODS[method](self.trees.batch(3 - threads), batch))
        assert METHODS[method](self.trees.batch(), []) == []

    @methods
    def test_no_state_is_shared(self, method):
        problems = [(self.trees, self.draw(20, n)) for n in (6, 3, 5)]
        plain = Trees(projective=self.projective, single_root=not self.single_root)
        problems += [(plain, Scores(arc=scores.arc)) for _, scores in problems]
        fresh = [METHODS[method](trees, scores) for trees, scores in problems]
        kept = [flat_copy(answer) for answer in fresh]
        for k in (5, 0, 3, 2, 4, 1, 0, 5):
            trees, scores = problems[k]
            assert_same(METHODS[method](trees, scores), fresh[k], rtol=0, atol=0)
        assert all(same_now(answer, copy) for answer, copy in zip(fresh, kept, strict=True))

    @pytest.mark.parametrize("method", [name for name in METHODS if name != "score"])
    def test_a_word_without_a_head_is_named(self, method):
        arc = np.zeros((5, 5))
        arc[:, 3] = -np.inf
        with pytest.raises(ValueError, match="word 3 cannot get a head"):
            METHODS[method](self.trees, Scores(arc=arc))

    @pytest.mark.parametrize("method", [name for name in METHODS if name != "score"])
    def test_a_word_cut_off_from_the_root_is_named(self, method):
        arc = np.full((4, 4), -np.inf)
        arc[0, 1] = arc[2, 3] = arc[3, 2] = 0.0
        with pytest.raises(ValueError, match="word 2 cannot be reached"):
            METHODS[method](self.trees, Scores(arc=arc))


def chain_or_not(rng, n, laws) -> np.ndarray:
    """A chain, which METHODS ask about, or else a tree of the kind."""
    return np.arange(-1, n) if n % 2 else random_tree(rng, n, laws.projective, laws.single_root)


def flat_copy(answer):
    return [array.copy() for array in flat(answer)]


def same_now(answer, copy) -> bool:
    return all(np.array_equal(array, old) for array, old in zip(flat(answer), copy, strict=True))
