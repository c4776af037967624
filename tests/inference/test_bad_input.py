"""What cannot be answered is refused, with the name and the index of what is wrong."""

import tracemalloc

import numpy as np
import pytest

from tests.inference.laws_base import METHODS, methods
from tests.inference.parts import MODELS, PARTS, RANKS, model, shape_of
from treewright.inference import Scores, Trees

HIGHER = [name for name in RANKS if name != "arc"]
higher = pytest.mark.parametrize("name", HIGHER)
#: For each array, an entry that some tree of three words has.
EXISTS = {
    "arc": (2, 1),
    "label": (0, 2, 1),
    "sibling": (0, 1, 3),
    "last": (2, 2, 0),
    "grandchild": (0, 2, 1),
    "grand_sibling": (0, 1, 2, 3),
    "tri_sibling": (0, 1, 2, 3),
}


def zeros(name: str, n: int = 3) -> np.ndarray:
    return np.zeros((n + 1, n + 1, 2) if name == "label" else shape_of(name, n))


@pytest.mark.parametrize("name", EXISTS)
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nan_and_plus_infinity_are_refused_by_index(name, value, dtype):
    array = zeros(name).astype(dtype)
    array[EXISTS[name]] = value
    index = ", ".join(map(str, EXISTS[name]))
    with pytest.raises(ValueError, match=rf"^{name}\[{index}\] is {value}"):
        Scores(**{"arc": zeros("arc"), name: array})


@pytest.mark.parametrize("name", EXISTS)
def test_infinities_that_cancel_do_not_hide(name):
    array = zeros(name)
    array[EXISTS[name]] = np.inf
    array[(0, 0, 0, 1)[-array.ndim :] if name != "label" else (0, 1, 0)] = -np.inf
    with pytest.raises(ValueError, match=rf"^{name}\[.*\] is inf"):
        Scores(**{"arc": zeros("arc"), name: array})


@higher
@pytest.mark.parametrize("shape", [(4,), (4, 4), (4, 4, 5), (3, 3, 3), (4, 4, 4, 3), (3, 3, 3, 3), (4, 4, 4, 4, 4), ()])
def test_part_arrays_fit_the_arcs(name, shape):
    with pytest.raises(ValueError, match=rf"{name} has shape"):
        Scores(**{"arc": zeros("arc"), name: np.zeros(shape)})


@higher
def test_what_is_not_a_real_number_is_refused(name):
    with pytest.raises(ValueError, match=f"{name} holds complex128"):
        Scores(**{"arc": zeros("arc"), name: zeros(name).astype(complex)})
    with pytest.raises(ValueError, match=f"{name} holds"):
        Scores(**{"arc": zeros("arc"), name: zeros(name).astype(str)})


@pytest.mark.parametrize("shape", [(0, 0), (1, 1)])
def test_no_words(shape):
    with pytest.raises(ValueError, match="there are no words"):
        Scores(arc=np.zeros(shape))


@pytest.mark.parametrize("shape", [(4,), (3, 4), (5, 5), (4, 4, 1)])
def test_allowed_fits_the_arcs(shape):
    with pytest.raises(ValueError, match="allowed has shape"):
        Scores(arc=zeros("arc"), allowed=np.ones(shape, bool))


@pytest.mark.parametrize("shape", [(3,), (5,), (4, 1), ()])
def test_fixed_heads_fit_the_words(shape):
    with pytest.raises(ValueError, match="fixed_heads has shape"):
        Scores(arc=zeros("arc"), fixed_heads=np.full(shape, -1))


@pytest.mark.parametrize(("word", "head"), [(1, 4), (2, -2), (3, 3), (1, 100)])
def test_a_fixed_head_is_a_word_or_the_root(word, head):
    fixed = np.full(4, -1)
    fixed[word] = head
    with pytest.raises(ValueError, match=rf"fixed_heads\[{word}\]"):
        Trees().argmax(Scores(arc=zeros("arc"), fixed_heads=fixed))


def test_fixed_heads_are_whole_numbers():
    with pytest.raises(ValueError, match="fixed_heads"):
        Scores(arc=zeros("arc"), fixed_heads=np.array([-1, 0.5, 1.0, 1.0]))


@pytest.mark.parametrize("factorization", MODELS)
@methods
def test_an_array_that_is_not_scored_is_named(factorization, method):
    for name in set(HIGHER) - set(PARTS.get(f"{factorization}+last", PARTS[factorization])):
        scores = Scores(**{"arc": zeros("arc"), name: zeros(name)})
        with pytest.raises(ValueError, match=rf"\b{name}\b"):
            METHODS[method](Trees(factorization=factorization), scores)


@pytest.mark.parametrize("factorization", ["grandchild", "carreras", "tri-sibling"])
@pytest.mark.parametrize("single_root", [True, False])
def test_some_higher_orders_are_projective(factorization, single_root):
    with pytest.raises(NotImplementedError, match="use factorization='grand-sibling'"):
        Trees(projective=False, single_root=single_root, factorization=factorization)


@pytest.mark.parametrize("factorization", ["sibling", "grand-sibling"])
@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("method", [name for name in METHODS if name not in ("argmax", "score")])
def test_higher_orders_without_projectivity_have_a_best_tree_only(factorization, single_root, method):
    trees = Trees(projective=False, single_root=single_root, factorization=factorization)
    with pytest.raises(NotImplementedError, match="have argmax and score only"):
        METHODS[method](trees, Scores(arc=zeros("arc")))


def test_an_unknown_factorization():
    with pytest.raises(ValueError, match="there is no factorization 'siblings'"):
        Trees(factorization="siblings")


@pytest.mark.parametrize("factorization", PARTS)
@pytest.mark.parametrize("method", [name for name in METHODS if name != "score"])
def test_no_tree_under_the_constraints(factorization, method):
    trees, ask = Trees(factorization=model(factorization)), METHODS[method]
    allowed = np.ones((4, 4), bool)
    allowed[:, 2] = False
    with pytest.raises(ValueError, match="word 2 cannot get a head"):
        ask(trees, Scores(arc=zeros("arc"), allowed=allowed))
    cycle = np.array([-1, 2, 1, -1])
    with pytest.raises(ValueError, match="word 1 cannot be reached"):
        ask(trees, Scores(arc=zeros("arc"), fixed_heads=cycle))
    with pytest.raises(ValueError, match="no single-root"):
        ask(trees, Scores(arc=zeros("arc"), fixed_heads=np.array([-1, 0, 0, -1])))
    crossing = np.array([-1, 3, 0, 2])
    with pytest.raises(ValueError, match="tree is possible"):
        ask(trees, Scores(arc=zeros("arc"), fixed_heads=crossing))


@pytest.mark.parametrize("factorization", [name for name in PARTS if name != "arc"])
@pytest.mark.parametrize("method", [name for name in METHODS if name != "score"])
def test_no_tree_because_of_forbidden_parts(factorization, method):
    for name in set(PARTS[factorization]) - {"arc"}:
        scores = Scores(**{"arc": zeros("arc"), name: np.full(shape_of(name, 3), -np.inf)})
        with pytest.raises(ValueError, match="tree is possible"):
            METHODS[method](Trees(factorization=model(factorization)), scores)


@methods
def test_the_bad_problem_of_a_batch_is_refused(method):
    good, bad = Scores(arc=zeros("arc")), Scores(arc=np.full((4, 4), -np.inf))
    if method == "score":
        bad = Scores(arc=zeros("arc"), sibling=zeros("sibling"))
    with pytest.raises(ValueError, match=r"cannot get a head|sibling"):
        METHODS[method](Trees().batch(threads=2), [good, bad])


NO_TREES = {
    "short": [-1, 0, 1],
    "long": [-1, 0, 1, 2, 3],
    "nested": [[-1, 0, 1, 2]],
    "cycle": [-1, 2, 1, 0],
    "outside": [-1, 0, 1, 4],
    "free": [-1, 0, -1, 2],
    "itself": [-1, 0, 1, 3],
}


@pytest.mark.parametrize("method", ["score", "log_prob"])
@pytest.mark.parametrize("heads", NO_TREES.values(), ids=NO_TREES)
def test_heads_that_are_no_tree(method, heads):
    with pytest.raises(ValueError, match="heads"):
        getattr(Trees(), method)(Scores(arc=zeros("arc")), np.array(heads))


@pytest.mark.parametrize("method", ["score", "log_prob"])
@pytest.mark.parametrize("labels", [[-1, 0, 1], [-1, 0, 1, 2], [-1, 0, -1, 1]])
def test_labels_that_are_not_scored(method, labels):
    scores = Scores(arc=zeros("arc"), label=zeros("label"))
    with pytest.raises(ValueError, match="label"):
        getattr(Trees(), method)(scores, np.array([-1, 0, 1, 2]), np.array(labels))


def test_a_negative_number_of_trees():
    scores = Scores(arc=zeros("arc"))
    with pytest.raises(ValueError, match="k "):
        Trees().k_best(scores, -1)
    with pytest.raises(ValueError, match="size"):
        Trees().sample(scores, -1, 0)


@pytest.mark.parametrize("factorization", ["grandchild", "carreras", "grand-sibling", "tri-sibling"])
@pytest.mark.parametrize("method", ["argmax", "log_partition", "marginals"])
def test_more_than_2_gb_is_refused_before_it_is_allocated(factorization, method):
    """A dense chart of n³ items."""
    refused(factorization, method, lambda: Scores(arc=np.broadcast_to(np.float32(0), (2501, 2501))))


@pytest.mark.parametrize("name", ["grand_sibling", "tri_sibling"])
def test_more_than_2_gb_of_marginals_is_refused_before_it_is_allocated(name):
    """Dense parts of n⁴ numbers, of which there is but one in memory: their marginals would be nine gigabytes."""
    parts = {"arc": np.zeros((181, 181)), name: np.broadcast_to(np.float32(0), (181,) * 4)}
    refused(name.replace("_", "-"), "marginals", lambda: Scores(**parts))


def refused(factorization, method, scores):
    """Whether a request is refused; scores are made only now, as they may be refused already."""
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"(?i)prun"):
            METHODS[method](Trees(factorization=factorization), scores())
        assert tracemalloc.get_traced_memory()[1] < 2e9
    finally:
        tracemalloc.stop()
