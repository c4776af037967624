"""What the laws share: instances beside their oracle, every question in one table, and comparison of answers."""

import functools

import numpy as np
import pytest

from tests.inference.enumeration import is_projective, is_single_root, is_tree
from tests.inference.instances import KINDS, draw_arrays, many
from tests.inference.parts import PARTS, RANKS, Oracle, model
from treewright.inference import Parse, Scores, Trees

kinds = pytest.mark.parametrize("kind", sorted(KINDS))
labelled_or_not = pytest.mark.parametrize("labelled", [False, True], ids=["unlabelled", "labelled"])
dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])
#: Both at once: what depends on labels does not depend on the type, which the laws of input vary by itself.
forms = pytest.mark.parametrize(
    ("labelled", "dtype"), [(False, np.float64), (True, np.float32)], ids=["unlabelled-float64", "labelled-float32"]
)

#: The total of some thirty scores of up to 1e4 is exact to about 1e-10.
EXACT = {"rel": 1e-13, "abs": 1e-9}
#: A probability is the exponential of such a total.
CLOSE = {"rtol": 1e-7, "atol": 1e-8}

ARRAYS = ("arc", "label", *list(RANKS)[1:])


def chains(scores):
    """A tree of every kind, for one problem or for each of a batch."""
    return [chains(each) for each in scores] if isinstance(scores, list) else np.arange(-1, scores.n, dtype=np.int32)


def directions(scores, seed=0):
    """A direction for one problem, or for each of a batch; what is forbidden moves to nowhere."""
    if isinstance(scores, list):
        return [directions(each, seed) for each in scores]
    arrays = {}
    for name, array in arrays_of(scores).items():
        rng = np.random.default_rng([seed, ARRAYS.index(name), *array.shape])
        arrays[name] = np.where(array > -np.inf, rng.normal(size=array.shape), np.nan)
    return Scores.unchecked(**arrays, parts=scores.parts)


#: Every question, asked the same way of `Trees` about one problem and of a `Batch` about many.
METHODS = {
    "argmax": lambda trees, scores: trees.argmax(scores),
    "k_best": lambda trees, scores: trees.k_best(scores, 4),
    "log_partition": lambda trees, scores: trees.log_partition(scores),
    "marginals": lambda trees, scores: trees.marginals(scores),
    "tangents": lambda trees, scores: trees.tangents(scores, directions(scores)),
    "sample": lambda trees, scores: trees.sample(scores, 20, 7),
    "entropy": lambda trees, scores: trees.entropy(scores),
    "log_prob": lambda trees, scores: trees.log_prob(scores, chains(scores)),
    "score": lambda trees, scores: trees.score(scores, chains(scores)),
    "mbr": lambda trees, scores: trees.mbr(scores),
}
methods = pytest.mark.parametrize("method", METHODS)


def arrays_of(scores: Scores) -> dict[str, np.ndarray]:
    """The arrays that are there, by name."""
    found = {name: getattr(scores, name, None) for name in ARRAYS}
    return {name: array for name, array in found.items() if array is not None}


def flat(answer) -> list[np.ndarray]:
    """The numbers in any answer, in order."""
    if isinstance(answer, Parse):
        return [answer.heads, np.array([]) if answer.labels is None else answer.labels, np.array(answer.score)]
    if isinstance(answer, Scores):
        return list(arrays_of(answer).values())
    if isinstance(answer, list):
        return [array for each in answer for array in flat(each)]
    return [np.asarray(answer)]


def assert_same(answer, other, **tolerance) -> None:
    """Whether two answers are the same but for rounding."""
    assert type(answer) is type(other)
    for array, expected in zip(flat(answer), flat(other), strict=True):
        np.testing.assert_allclose(array, expected, **{"rtol": 1e-11, "atol": 1e-11, **tolerance})


@functools.lru_cache(maxsize=64)
def _cases(projective, single_root, factorization, kind, labelled, dtype, each):
    longest = 6 if factorization == "arc" else 5
    instances = many(kind, labelled, dtype, each, longest, factorization)
    return [(scores, Oracle(scores, projective, single_root, factorization)) for scores in instances]


class LawsBase:
    """Inherit, and say which trees are searched and how their scores fall into parts."""

    projective: bool
    single_root: bool
    factorization: str

    @property
    def trees(self) -> Trees:
        return self.trees_of(self.factorization)

    def trees_of(self, factorization: str) -> Trees:
        return Trees(projective=self.projective, single_root=self.single_root, factorization=model(factorization))

    @property
    def names(self) -> tuple[str, ...]:
        """The arrays that count."""
        return PARTS[self.factorization]

    @property
    def long(self) -> int:
        """As many words as are cheap with dense arrays."""
        return 30 if self.factorization == "arc" else 12

    def oracle(self, scores: Scores) -> Oracle:
        return Oracle(scores, self.projective, self.single_root, self.factorization)

    def cases(self, kind, labelled, dtype, possible=True, exact=False):
        """Instances with the truth about them; if asked, those that have trees, and trees without a lowest float."""
        each = 8 if self.factorization == "arc" else 3
        found = _cases(self.projective, self.single_root, self.factorization, kind, labelled, dtype, each)
        found = [case for case in found if (case[1].possible or not possible) and (case[1].exact or not exact)]
        assert found, "no instance has a tree: the test would pass whatever the answers are"
        return found

    def draw(self, seed: int, n: int, kind: str = "random", labelled: bool = True, dtype: type = np.float64) -> Scores:
        """One instance."""
        return Scores(**self.draw_arrays(seed, n, kind, labelled, dtype))

    def draw_arrays(self, seed, n, kind="random", labelled=True, dtype=np.float64):
        rng = np.random.default_rng([seed, n, sorted(KINDS).index(kind)])
        return draw_arrays(rng, kind, n, labelled, dtype, self.factorization)

    def check_kind(self, heads) -> None:
        assert heads.dtype == np.int32
        assert heads[0] == -1
        assert is_tree(heads)
        assert is_projective(heads) or not self.projective
        assert is_single_root(heads) or not self.single_root
