"""The probabilities of tags and the k best sequences against all sequences of tags."""

import numpy as np
import pytest

from tests.tagging.test_sequence import MASK, best_of, problems, score_of, sequences
from treewright.tagging.lattice import k_best_tags, tag_marginals
from treewright.tagging.sequence import emission_scores


def distribution(x, weights, factor):
    """List all sequences with their scores, and the logarithm of the sum of their exponentials."""
    scores = {tags: factor * score_of(x, tags, weights) / weights.scale for tags in sequences(x)}
    return scores, np.logaddexp.reduce(list(scores.values()))


def k_best(x, weights, factor, k):
    """Find the k best sequences."""
    return k_best_tags(x, emission_scores(x, weights.values, MASK), weights.values, MASK, factor, k)


def with_unknown_tag(x):
    """Let the second word have one candidate, a tag that was never seen."""
    if len(x.starts) < 3:
        return x
    a, b = x.starts[1:3]
    candidates = np.concatenate([x.candidates[:a], [-1], x.candidates[b:]]).astype(np.int32)
    starts = np.concatenate([x.starts[:2], x.starts[2:] - (b - a) + 1]).astype(np.int32)
    return x._replace(candidates=candidates, starts=starts)


def test_marginals_are_sums_over_all_sequences():
    for rng, x, weights in problems(True):
        factor = weights.scale * rng.choice([0.3, 1.0, 4.0])
        scores, log_total = distribution(x, weights, factor)
        found, shares = tag_marginals(x, emission_scores(x, weights.values, MASK), weights.values, MASK, factor)
        assert found == pytest.approx(log_total, rel=1e-5, abs=1e-4)
        for i in range(len(x.starts) - 1):
            for c in range(x.starts[i], x.starts[i + 1]):
                logs = [score for tags, score in scores.items() if tags[i] == x.candidates[c]]
                assert shares[c] == pytest.approx(np.exp(np.logaddexp.reduce(logs) - log_total), abs=1e-4)


@pytest.mark.parametrize("k", [1, 2, 7, 2000])
def test_the_k_best_sequences_are_the_best_of_all(k):
    for _, x, weights in problems(True):
        scores, _ = distribution(x, weights, weights.scale)
        rows, found = k_best(x, weights, weights.scale, k)
        assert len(rows) == len(found) == min(k, len(scores)) == len({tuple(row) for row in rows.tolist()})
        assert found.tolist() == sorted(found.tolist(), reverse=True)
        assert found == pytest.approx(sorted(scores.values(), reverse=True)[:k], abs=1e-4)
        assert found == pytest.approx([scores[tuple(row)] for row in rows.tolist()], abs=1e-4)


def test_the_first_of_the_k_best_is_the_best():
    for _, x, weights in problems(True):
        rows, _ = k_best(x, weights, 1.0, 3)
        assert rows[0].tolist() == best_of(x, weights).tolist()


def test_an_unknown_tag_parts_a_sentence_in_two():
    """What comes before it and what comes after do not matter to each other."""
    for _, x, weights in problems(True):
        factor, cut = weights.scale, with_unknown_tag(x)
        if len(x.starts) < 4:
            continue
        rows, found = k_best(cut, weights, factor, 1000)
        assert (rows[:, 1] == -1).all()
        assert rows[0].tolist() == best_of(cut, weights).tolist()
        logs = {tuple(row): score for row, score in zip(rows.tolist(), found.tolist(), strict=True)}
        first, last = min(logs), max(logs)
        crossed = logs[first[:1] + last[1:]] + logs[last[:1] + first[1:]]
        assert crossed == pytest.approx(logs[first] + logs[last], abs=1e-4)
        log_total, shares = tag_marginals(cut, emission_scores(cut, weights.values, MASK), weights.values, MASK, factor)
        assert log_total == pytest.approx(np.logaddexp.reduce(found), abs=1e-4)
        assert shares[cut.starts[1]] == pytest.approx(1.0)
