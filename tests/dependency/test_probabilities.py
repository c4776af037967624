"""What a parser says about its trees: confidence, the k best, trees with some heads known."""

import itertools
import re

import numpy as np
import pytest
from scipy.special import logsumexp

from tests.inference.enumeration import all_trees, is_projective, is_single_root, is_tree
from tests.inference.parts import parts_of
from treewright.dependency.annotation import with_confidence, with_ranks
from treewright.dependency.calibration import Calibration
from treewright.dependency.parser import Parser
from treewright.dependency.probabilities import find_marginals
from treewright.errors import UsageError
from treewright.parsing.mixture import Mixture
from treewright.treebank import Sentence
from treewright.treebank.conllu.confidence import read_confidence

PARSERS = pytest.mark.parametrize("which", ["log_linear_parser", "third_order_parser", "gold_parser"])


def changed(parser, **changes):
    """The same parser with another pruner or another calibration."""
    arguments = {"pruner": parser.pruner, "calibration": parser.calibration} | changes
    return Parser(parser.scorer, parser.trees, parser.tagger, parser.info, **arguments)


def short(sentences):
    return [s for s in sentences if 2 <= len(s) <= 5]


def tables_of(scores):
    """The scores of parts, by name and row."""
    tables = {}
    for name, array in scores.arrays.items():
        kind = "arc" if name == "label" else name
        rows = getattr(scores.parts, kind).tolist() if scores.parts is not None else np.ndindex(scores.arc.shape)
        flat = array.reshape(-1, array.shape[-1]) if name == "label" else array.reshape(-1)
        tables[name] = dict(zip(map(tuple, rows), flat.astype(np.float64), strict=True))
    return tables


def enumerated(parser, sentence, inner, outer):
    """All trees, the log-probability of each whatever its labels, and that of each with its best labels.

    Label scores are divided by ``inner`` before they are summed on each arc, and all by ``outer`` afterwards.
    """
    tables = tables_of(parser.scores(sentence))
    trees = all_trees(len(sentence), parser.trees.projective, parser.trees.single_root)
    summed, best = [], []
    for heads in trees:
        arcs = [(int(h), m) for m, h in enumerate(heads) if m > 0]
        if not all(arc in tables["arc"] for arc in arcs):
            total, labels = -np.inf, [[0.0]]
        else:
            parts = parts_of(heads, parser.trees.factorization)
            total = sum(tables[name][row] for name, rows in parts.items() for row in rows)
            labels = [tables["label"][arc] for arc in arcs]
        summed.append(
            (total + sum(inner.mean(lambda t, row=row: t * logsumexp(np.array(row) / t)) for row in labels)) / outer
        )
        best.append((total + sum(max(row) for row in labels)) / outer)
    log_partition = logsumexp(summed)
    return trees, np.array(summed) - log_partition, np.array(best) - log_partition


def mixed(parser, sentence, mixture, inner):
    """Average over temperatures."""
    found = [(share, enumerated(parser, sentence, inner(outer), outer)) for outer, share in mixture]
    logs = [[np.log(share) + np.array(one[k]) for share, one in found] for k in (1, 2)]
    return found[0][1][0], *(logsumexp(some, axis=0) for some in logs)


def of_heads(parser, sentence):
    return mixed(parser, sentence, parser.calibration.heads, lambda outer: parser.calibration.relations)


def of_trees(parser, sentence):
    return mixed(parser, sentence, parser.calibration.trees, lambda outer: Mixture((outer,)))


def confidences(sentence):
    return [float(re.search(r"\bConfidence=([\d.]+)", misc)[1]) for misc in sentence.misc]


@PARSERS
def test_confidence_is_the_exact_marginal_of_each_arc(ewt, which, request):
    parser = request.getfixturevalue(which)
    for sentence in short(ewt):
        parsed = parser.parse_sentence(sentence, keep_tags=True, confidence=True)
        trees, logs, _ = of_heads(parser, sentence)
        exact = [np.exp(logs[trees[:, m] == h]).sum() for m, h in enumerate(parsed.heads, 1)]
        assert confidences(parsed) == pytest.approx(exact, abs=6e-5)
        plain = parser.parse_sentence(sentence, keep_tags=True)
        assert np.array_equal(plain.heads, parsed.heads)
        assert plain.misc == sentence.misc


def test_confidence_depends_on_the_temperature(ewt, log_linear_parser):
    means = []
    for temperature in (0.5, 1.0, 3.0):
        parser = changed(log_linear_parser, calibration=Calibration.of(heads=temperature))
        parsed = [parser.parse_sentence(s, keep_tags=True, confidence=True) for s in ewt[20:30]]
        means.append(np.mean([value for s in parsed for value in confidences(s)]))
    assert means[0] > means[1] > means[2]


def test_a_confidence_takes_the_place_of_an_old_one(ewt, log_linear_parser):
    sentence = ewt[3].replace(misc=["Confidence=0.5|SpaceAfter=No", "A=1|Confidence=0.5", "_", "B=2", "Confidence=1"])
    parsed = log_linear_parser.parse_sentence(sentence, keep_tags=True, confidence=True)
    assert [re.sub(r"(Label)?Confidence=[01]\.\d{4}", "C", misc) for misc in parsed.misc] == [
        "SpaceAfter=No|C|C",
        "A=1|C|C",
        "C|C",
        "B=2|C|C",
        "C|C",
    ]
    assert with_confidence("_", {"Confidence": 1 + 1e-12}) == "Confidence=1.0000"


# The k best ------------------------------------------------------------------------------------------------------


@PARSERS
def test_the_k_best_are_the_most_probable_of_all_trees(ewt, which, request):
    parser = request.getfixturevalue(which)
    for sentence in short(ewt):
        trees, _, logs = of_trees(parser, sentence)
        order = np.argsort(-logs, kind="stable")
        order = order[np.isfinite(logs[order])]
        found = parser.k_best(sentence, 7, keep_tags=True, labelled=False)
        assert len(found) == min(7, len(order))
        assert [ranked.probability for ranked in found] == pytest.approx(np.exp(logs[order[:7]]), rel=1e-4)
        assert all(one >= other for (_, one), (_, other) in itertools.pairwise(found))
        heads = [tuple(tree.heads.tolist()) for tree, _ in found]
        assert len(set(heads)) == len(heads)
        place = {tuple(tree[1:].tolist()): number for number, tree in enumerate(trees)}
        assert np.exp([logs[place[one]] for one in heads]) == pytest.approx(
            [ranked.probability for ranked in found], rel=1e-4
        )
        best = parser.parse_sentence(sentence, keep_tags=True)
        assert heads[0] == tuple(best.heads.tolist())
        assert found[0][0].deprels == best.deprels


def test_the_k_best_are_noted_in_comments_in_place_of_old_ones(ewt, log_linear_parser):
    sentence = ewt[3].replace(comments=["# sent_id = 1", "# tree = 9", "# text = a b c d e", "# probability = 0.5"])
    lists = log_linear_parser.k_best_all([sentence, ewt[0]], 3, keep_tags=True, threads=2, confidence=True)
    trees = [tree for ranked in lists for tree in with_ranks(ranked)]
    assert len(trees) == 6
    expected = log_linear_parser.k_best(sentence, 3, keep_tags=True)
    for rank, (tree, ranked) in enumerate(zip(trees[:3], expected, strict=True), 1):
        other, probability = ranked.tree, ranked.probability
        first, second, errors, *last = tree.comments
        assert [first, second] == ["# sent_id = 1", "# text = a b c d e"]
        assert last == [f"# tree = {rank}", f"# probability = {probability:.4g}"]
        assert re.fullmatch(r"# expected_errors = \d+\.\d\d", errors)
        assert np.array_equal(tree.heads, other.heads)
        assert len(confidences(tree)) == len(tree)


def test_no_words_have_one_tree(log_linear_parser):
    empty = Sentence.from_forms([])
    assert log_linear_parser.k_best(empty, 3) == [(empty, 0.0)]


# Heads that are known --------------------------------------------------------------------------------------------


@PARSERS
def test_the_best_tree_with_known_heads_is_found(ewt, which, request):
    """By enumeration, in models without a pruner and with one that cannot rule it out."""
    parser = request.getfixturevalue(which)
    if parser.pruner is not None:
        parser = changed(parser, pruner=parser.pruner.with_limits(beam=1e-300))
    rng = np.random.default_rng(1)
    for sentence in short(ewt) * 3:
        trees, _, logs = of_trees(parser, sentence)
        some = trees[rng.integers(len(trees))][1:]
        known = np.where(rng.random(len(some)) < 0.5, some, -1)
        draft = sentence.replace(heads=known, deprels=["_"] * len(sentence))
        parsed = parser.parse_sentence(draft, keep_tags=True, fix_heads=True, confidence=True)
        assert (parsed.heads == known)[known >= 0].all()
        fits = ((trees[:, 1:] == known) | (known < 0)).all(axis=1)
        [chosen] = np.flatnonzero((trees[:, 1:] == parsed.heads).all(axis=1))
        assert logs[chosen] == pytest.approx(logs[fits].max(), abs=1e-4)
        assert all(value == 1 for value, head in zip(confidences(parsed), known, strict=True) if head >= 0)


@pytest.mark.parametrize("beam", [1e-4, 1.0])
def test_any_head_can_be_known_though_it_would_be_pruned(ewt, third_order_parser, beam):
    """With a beam of one a single tree survives pruning; the others must make way for the head that is known."""
    parser = changed(third_order_parser, pruner=third_order_parser.pruner.with_limits(beam=beam))
    moved = 0
    for sentence in [s for s in ewt if 3 <= len(s) <= 7]:
        usual = parser.parse_sentence(sentence, keep_tags=True)
        for m, h in itertools.product(range(len(sentence)), range(len(sentence) + 1)):
            if h == m + 1:
                continue
            known = np.full(len(sentence), -1)
            known[m] = h
            parsed = parser.parse_sentence(sentence.replace(heads=known), keep_tags=True, fix_heads=True)
            heads = parsed.rooted_heads()
            assert parsed.heads[m] == h
            assert is_tree(heads)
            assert is_projective(heads)
            assert is_single_root(heads)
            moved += (parsed.heads != usual.heads).sum() > 1
    assert moved > 10


@PARSERS
def test_known_heads_that_no_tree_has_are_named(which, request):
    parser, heads = request.getfixturevalue(which), [2, 1, -1, -1]
    sentence = Sentence.from_forms(["some", "four", "odd", "words"], upos=["NOUN"] * 4, heads=heads)
    for ask in (parser.parse_sentence, lambda *one, **options: parser.k_best(*one, 2, **options)):
        with pytest.raises(UsageError, match="the sentence 'some four odd words' cannot be parsed: no ") as caught:
            ask(sentence, keep_tags=True, fix_heads=True)
        assert "\n" not in str(caught.value)
    assert parser.parse_sentence(sentence, keep_tags=True).heads.tolist() != heads


@pytest.mark.parametrize("head", [9, 2])
@pytest.mark.parametrize("which", ["log_linear_parser", "third_order_parser"])
def test_known_heads_that_are_no_heads_are_named(which, head, request):
    sentence = Sentence.from_forms(["odd", "words"], upos=["NOUN"] * 2, heads=[-1, head])
    with pytest.raises(UsageError, match=f"'odd words' cannot be parsed: the arc from {head} to 2"):
        request.getfixturevalue(which).parse_sentence(sentence, keep_tags=True, fix_heads=True)


@pytest.mark.parametrize("which", ["log_linear_parser", "third_order_parser"])
def test_rivals_are_the_most_probable_other_heads_and_relations(ewt, which, request):
    parser = changed(request.getfixturevalue(which), calibration=Calibration.of(3.0, 3.0, 3.0))
    sentence = next(s for s in ewt if len(s) == 6)
    parsed = parser.parse_sentence(sentence, keep_tags=True, alternatives=3)
    marginals = find_marginals(parser.trees, parser.distribution(sentence))
    listed = 0
    for m, misc in enumerate(parsed.misc, 1):
        found = read_confidence(misc)
        heads = [h for h in range(len(sentence) + 1) if h != m]
        if marginals.parts is not None:
            heads = [h for h in heads if marginals.parts.arcs.number[h, m] >= 0]
            rows = [marginals.label[marginals.parts.arcs.number[h, m]] for h in heads]
        else:
            rows = [marginals.label[h, m] for h in heads]
        joint = {
            (h, name): p
            for h, row in zip(heads, rows, strict=True)
            for name, p in zip(parser.scorer.labels, row, strict=True)
        }
        own = joint.pop((int(parsed.heads[m - 1]), parsed.deprels[m - 1]))
        assert found.head * found.relation == pytest.approx(own, abs=2e-4)
        expected = sorted(joint.values(), reverse=True)[:3] if own < 0.9 else []
        assert [rival.probability for rival in found.rivals] == pytest.approx(
            [p for p in expected if p >= 0.005], abs=6e-5
        )
        assert all(
            joint[rival.head, rival.relation] == pytest.approx(rival.probability, abs=6e-5) for rival in found.rivals
        )
        listed += len(found.rivals)
    assert listed > 0
    again = parser.parse_sentence(parsed, keep_tags=True, confidence=True)
    assert not any("Rivals=" in misc for misc in again.misc)
