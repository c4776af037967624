"""Trees under constraints against all labelled trees that obey."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from tests.inference.enumeration import all_trees
from treewright.inference import ConstrainedTrees, Constraints, DualDecomposition, Parts, Scores, Trees
from treewright.inference.problem import NoEndError, NoTreeError

LABELS = 2
SPACES = [
    Trees(projective=True, single_root=True),
    Trees(projective=True, single_root=False),
    Trees(projective=False, single_root=True),
    Trees(projective=False, single_root=False),
    Trees(projective=True, single_root=False, factorization="sibling"),
    Trees(projective=False, single_root=True, factorization="sibling"),
]
spaces = pytest.mark.parametrize("trees", SPACES, ids=str)


def descendants(heads, word):
    found = {word}
    while True:
        more = {m for m in range(1, len(heads)) if heads[m] in found} | found
        if more == found:
            return found
        found = more


def obeys(constraints, heads, labels) -> bool:
    """Whether a labelled tree obeys, from the definitions."""
    arcs = {(heads[m], m) for m in range(1, len(heads))}
    labelled = {(heads[m], m, labels[m]) for m in range(1, len(heads))}
    either = {*labelled, *((None, m, label) for _, m, label in labelled)}
    subtrees = [descendants(heads, m) for m in range(1, len(heads))]
    counts = [
        sum(h == head and l == label for h, _, l in labelled) for head in heads for label in constraints.at_most_one
    ]
    return (
        all(arc in arcs for arc in constraints.required)
        and not any(arc in arcs for arc in constraints.forbidden)
        and all((h, m, l) in either or (h is not None and (h, m) not in arcs) for h, m, l in constraints.labels)
        and not any(one in either for one in constraints.forbidden_labels)
        and all(set(range(i, j + 1)) in subtrees for i, j in constraints.spans)
        and max(counts, default=0) <= 1
        and all(
            set(range(min(m, heads[m]) + 1, max(m, heads[m]))) <= descendants(heads, heads[m])
            for m in constraints.projective
        )
    )


def draw_constraints(rng, n, *, sums=False):
    def some(draw, most=1):
        return [draw() for _ in range(rng.integers(0, most + 1))] if rng.random() < 0.5 else []

    def arc():
        m = int(rng.integers(1, n + 1))
        return int(rng.choice([h for h in range(n + 1) if h != m])), m

    def labelled():
        head, word = arc()
        return head if rng.random() < 0.5 else None, word, int(rng.integers(LABELS))

    def span():
        first = int(rng.integers(1, n + 1))
        return first, int(rng.integers(first, n + 1))

    rules = {} if sums else {"at_most_one": some(lambda: int(rng.integers(LABELS)), 2)}
    if not sums:
        rules["projective"] = some(lambda: int(rng.integers(1, n + 1)), 2)
    return Constraints(some(arc), some(arc), some(labelled, 2), some(labelled, 2), some(span, 2), **rules)


def draw_problem(rng, trees, *, sums=False):
    n = int(rng.choice([1, 2, 3, 3, 3, 4]))
    arrays = {"arc": rng.normal(size=(n + 1, n + 1)), "label": rng.normal(size=(n + 1, n + 1, LABELS))}
    if trees.factorization == "sibling":
        arrays["sibling"] = rng.normal(size=(n + 1, n + 1, n + 1))
    return Scores(**arrays), draw_constraints(rng, n, sums=sums)


def truth(trees, scores, constraints):
    """Score every labelled tree that obeys."""
    found = {}
    plain, label = replace(scores, label=None), scores.label.tolist()
    for heads in all_trees(scores.n, trees.projective, trees.single_root).tolist():
        score = trees.score(plain, heads)
        for chosen in itertools.product(range(LABELS), repeat=scores.n):
            labels = (-1, *chosen)
            if obeys(constraints, heads, labels):
                found[tuple(heads), labels] = score + sum(label[heads[m]][m][labels[m]] for m in range(1, scores.n + 1))
    return found


def cases(trees, count, *, sums=False):
    rng = np.random.default_rng(3)
    for _ in range(count):
        scores, constraints = draw_problem(rng, trees, sums=sums)
        yield scores, constraints, truth(trees, scores, constraints)


@spaces
def test_the_best_tree_that_obeys_is_found(trees):
    possible, search = 0, DualDecomposition(trees, exact=True).argmax if trees.is_hard else None
    for scores, constraints, all_that_obey in cases(trees, 60):
        space = ConstrainedTrees(trees, constraints)
        if not all_that_obey:
            with pytest.raises(NoTreeError, match="tree"):
                space.argmax(scores, search)
            continue
        parse = space.argmax(scores, search)
        assert parse.certificate
        assert parse.score == pytest.approx(max(all_that_obey.values()))
        assert all_that_obey[tuple(parse.heads.tolist()), tuple(parse.labels.tolist())] == pytest.approx(parse.score)
        possible += 1
    assert possible > 25


@pytest.mark.parametrize("trees", [space for space in SPACES if not space.is_hard], ids=str)
def test_the_k_best_trees_that_obey_are_found(trees):
    for scores, constraints, all_that_obey in cases(trees, 30):
        space = ConstrainedTrees(trees, constraints)
        if not all_that_obey:
            with pytest.raises(NoTreeError, match="tree"):
                space.k_best(scores, 3)
            continue
        found = space.k_best(scores, 7, labelled=True)
        assert [parse.score for parse in found] == pytest.approx(sorted(all_that_obey.values(), reverse=True)[:7])
        best = {}
        for (heads, _), score in all_that_obey.items():
            best[heads] = max(score, best.get(heads, -np.inf))
        found = space.k_best(scores, 5)
        assert [parse.score for parse in found] == pytest.approx(sorted(best.values(), reverse=True)[:5])
        assert len({tuple(parse.heads) for parse in found}) == len(found)


@pytest.mark.parametrize("trees", [space for space in SPACES if not space.is_hard], ids=str)
def test_sums_are_over_the_trees_that_obey(trees):
    possible = 0
    for scores, constraints, all_that_obey in cases(trees, 40, sums=True):
        space = ConstrainedTrees(trees, constraints)
        if not all_that_obey:
            with pytest.raises(NoTreeError, match="tree"):
                space.log_partition(scores)
            continue
        possible += 1
        log_total = math.log(math.fsum(map(math.exp, all_that_obey.values())))
        assert space.log_partition(scores) == pytest.approx(log_total, abs=1e-8)
        marginals = np.zeros_like(scores.label)
        for (heads, labels), score in all_that_obey.items():
            for m in range(1, scores.n + 1):
                marginals[heads[m], m, labels[m]] += math.exp(score - log_total)
        found = space.marginals(scores)
        assert found.label[:, 1:] == pytest.approx(marginals[:, 1:], abs=1e-8)
        entropy = -math.fsum((score - log_total) * math.exp(score - log_total) for score in all_that_obey.values())
        assert space.entropy(scores) == pytest.approx(entropy, abs=1e-7)
        heads, labels = max(all_that_obey, key=all_that_obey.get)
        assert space.log_prob(scores, heads, labels) == pytest.approx(
            all_that_obey[heads, labels] - log_total, abs=1e-8
        )
        trees_that_obey = {heads for heads, _ in all_that_obey}
        assert {tuple(row) for row in space.sample(scores, 30).tolist()} <= trees_that_obey
        arcs = marginals.sum(axis=2)
        expected = {heads: sum(arcs[heads[m], m] for m in range(1, scores.n + 1)) for heads in trees_that_obey}
        assert space.mbr(scores).score == pytest.approx(max(expected.values()), abs=1e-8)
    assert possible > 15


def test_a_tree_with_two_ways_into_a_span_has_no_probability():
    space = ConstrainedTrees(Trees(single_root=False), Constraints(spans=[(1, 2)]))
    scores = Scores(arc=np.zeros((4, 4)))
    assert space.log_prob(scores, [-1, 0, 0, 0]) == -math.inf
    assert space.log_prob(scores, [-1, 0, 1, 0]) > -math.inf


def test_pruned_parts_under_constraints():
    rng = np.random.default_rng(8)
    arc, label = rng.normal(size=(5, 5)), rng.normal(size=(5, 5, LABELS))
    constraints = Constraints(
        spans=[(2, 3)], labels=[(None, 1, 1)], forbidden_labels=[(None, 4, 0)], at_most_one=[1], forbidden=[(0, 4)]
    )
    parts = Parts(~np.eye(5, dtype=bool))
    index = tuple(parts.arc.T)
    pruned = Scores(arc=arc[index], label=label[index], parts=parts)
    space = ConstrainedTrees(Trees(), constraints)
    whole, parse = space.argmax(Scores(arc=arc, label=label)), space.argmax(pruned)
    assert parse.heads.tolist() == whole.heads.tolist()
    assert parse.labels.tolist() == whole.labels.tolist()
    assert parse.score == pytest.approx(whole.score)


def test_many_who_would_be_the_one():
    """Twelve words under one head all prefer the same label; a search that forbids one at a time would never end."""
    n = 12
    arc, label = np.full((n + 1, n + 1), -9.0), np.zeros((n + 1, n + 1, 2))
    arc[0, 1], arc[1, 2:] = 0.0, np.arange(2, n + 1)
    label[:, :, 0] = np.linspace(1, 2, n + 1)
    parse = ConstrainedTrees(Trees(), Constraints(at_most_one=[0])).argmax(Scores(arc=arc, label=label))
    assert parse.certificate
    assert np.count_nonzero(parse.labels[2:] == 0) == 1
    assert parse.labels[n] == 0


@pytest.mark.parametrize(
    ("constraints", "clash"),
    [
        (Constraints(required=[(0, 1), (0, 2)], forbidden=[(3, 1)]), "word 1 is a root; word 2 is a root"),
        (
            Constraints(spans=[(1, 2), (2, 3)], forbidden=[(0, 4)], at_most_one=[0]),
            "words 1 to 2 form a subtree; words 2 to 3 form a subtree",
        ),
        (
            Constraints(required=[(4, 3), (2, 1)], labels=[(None, 3, 1)], forbidden_labels=[(4, 3, 1)], spans=[(1, 4)]),
            "the head of word 3 is word 4; word 3 is 1; the arc from 4 to 3 is not 1",
        ),
        (
            Constraints(required=[(4, 3), (4, 2)], labels=[(None, 3, 1), (None, 2, 1)], at_most_one=[0, 1]),
            "the head of word 3 is word 4; the head of word 2 is word 4; word 3 is 1; word 2 is 1; "
            "at most one 1 under a head",
        ),
    ],
)
def test_a_contradiction_names_the_fewest_constraints_that_clash(constraints, clash):
    scores = Scores(arc=np.zeros((5, 5)), label=np.zeros((5, 5, 2)))
    with pytest.raises(NoTreeError) as raised:
        ConstrainedTrees(Trees(), constraints).argmax(scores)
    assert str(raised.value) == f"no tree obeys: {clash}"


def test_scores_without_a_tree_are_not_blamed_on_constraints():
    arc = np.zeros((3, 3))
    arc[:, 1] = -np.inf
    with pytest.raises(NoTreeError, match="word 1 cannot get a head"):
        ConstrainedTrees(Trees(), Constraints(required=[(0, 2)])).argmax(Scores(arc=arc))


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        (Constraints(required=[(0, 9)]), "no such arc"),
        (Constraints(forbidden=[(1, 1)]), "no such arc"),
        (Constraints(labels=[(None, 0, 1)]), "no such arc"),
        (Constraints(labels=[(0, 1, 7)]), "no label 7"),
        (Constraints(spans=[(2, 1)]), "words 1 to 2"),
        (Constraints(projective=[3]), "word 3"),
    ],
)
def test_what_the_sentence_does_not_have_is_refused(constraints, message):
    with pytest.raises(ValueError, match=message):
        ConstrainedTrees(Trees(), constraints).argmax(Scores(arc=np.zeros((3, 3)), label=np.zeros((3, 3, 2))))


def test_sums_under_rules_about_several_arcs_are_refused():
    scores = Scores(arc=np.zeros((3, 3)), label=np.zeros((3, 3, 2)))
    with pytest.raises(NotImplementedError, match="intractable"):
        ConstrainedTrees(Trees(), Constraints(at_most_one=[0])).marginals(scores)
    with pytest.raises(NotImplementedError, match="intractable"):
        ConstrainedTrees(Trees(projective=False), Constraints(projective=[1])).entropy(scores)


def test_a_search_that_is_out_of_time_is_content_with_less():
    rng = np.random.default_rng(1)
    scores = Scores(arc=rng.normal(size=(15, 15)), label=rng.normal(size=(15, 15, 2)))
    trees, rules = Trees(), Constraints(at_most_one=[0, 1])
    best = ConstrainedTrees(trees, rules).argmax(scores)
    hurried = ConstrainedTrees(trees, rules, time_limit=-1.0)
    assert best.certificate
    with pytest.raises(NoEndError, match="in time"):
        hurried.argmax(scores)
    with pytest.raises(NoEndError, match="only"):
        hurried.k_best(scores, 3)
    obeyed = replace(hurried, constraints=Constraints(forbidden=[(0, 1)]))
    assert obeyed.argmax(scores).certificate  # there is nothing to branch on


def test_late_trees_obey_and_have_no_certificate(monkeypatch):
    rng = np.random.default_rng(1)
    scores = Scores(arc=rng.normal(size=(15, 15)), label=rng.normal(size=(15, 15, 2)))
    rules = Constraints(at_most_one=[0, 1])
    best = ConstrainedTrees(Trees(), rules).argmax(scores)
    monkeypatch.setattr("treewright.inference.branching.MOST_BYTES", 1)
    late = ConstrainedTrees(Trees(), rules, time_limit=1e6).argmax(scores)
    assert obeys(rules, late.heads.tolist(), late.labels.tolist())
    assert not late.certificate
    assert late.score <= best.score <= late.upper_bound + 1e-9


def test_what_clashes_is_not_searched_for_long():
    rules = Constraints(required=[(1, 2), (2, 1)], forbidden=[(0, 3)])
    with pytest.raises(NoTreeError) as caught:
        ConstrainedTrees(Trees(), rules, time_limit=-1.0).argmax(Scores(arc=np.zeros((4, 4))))
    assert caught.value.clash == rules
    with pytest.raises(NoTreeError) as caught:
        ConstrainedTrees(Trees(), rules).argmax(Scores(arc=np.zeros((4, 4))))
    assert caught.value.clash == Constraints(required=[(1, 2), (2, 1)])
