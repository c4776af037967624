"""Parsers under constraints: what they find, what they refuse, and what they learn."""

import itertools

import numpy as np
import pytest

from treewright import Constraints, TrainingOptions, train_parser
from treewright.dependency.annotation import constraints_in
from treewright.dependency.parser import Parser
from treewright.errors import UsageError
from treewright.treebank import Sentence

PARSERS = pytest.mark.parametrize("which", ["gold_parser", "third_order_parser"])


def pairs(sentence):
    """How many words share their head and relation with another one, of relations that at most one may have."""
    named = [one for one in zip(sentence.heads.tolist(), sentence.deprels, strict=True) if one[1] in ("nsubj", "punct")]
    return len(named) - len(set(named))


@PARSERS
def test_at_most_one_modifier_has_a_relation(ewt, which, request):
    parser = request.getfixturevalue(which)
    rule = Constraints(at_most_one=["nsubj", "punct"])
    free = list(parser.parse_all(ewt[:30], keep_tags=True, threads=1))
    bound = list(parser.parse_all(ewt[:30], keep_tags=True, constraints=rule, threads=1))
    assert sum(map(pairs, free)) >= 3
    assert sum(map(pairs, bound)) == 0
    for one, other in zip(free, bound, strict=True):
        assert not any("certificate" in comment for comment in other.comments)
        if not pairs(one):
            assert (one.heads.tolist(), one.deprels) == (other.heads.tolist(), other.deprels)


@PARSERS
def test_what_is_known_of_a_tree_holds(ewt, which, request):
    parser, rng = request.getfixturevalue(which), np.random.default_rng(0)
    for sentence in [s for s in ewt if 5 <= len(s) <= 12][:8]:
        n = len(sentence)
        head, word = (int(number) for number in rng.choice(np.arange(1, n + 1), 2, replace=False))
        first = int(rng.integers(1, n))
        span = first, int(rng.integers(first, min(n, first + 3)))
        chosen = Constraints(forbidden=[(head, word)], labels=[(None, word, "obj")], spans=[span])
        found = parser.parse_sentence(sentence, keep_tags=True, constraints=chosen, confidence=True)
        assert found.heads[word - 1] != head
        assert found.deprels[word - 1] == "obj"
        inside = range(span[0], span[1] + 1)
        assert sum(found.heads[m - 1] not in inside for m in inside) == 1
        assert not any(found.heads[m - 1] in inside for m in range(1, n + 1) if m not in inside)
        several = parser.k_best(sentence, 5, keep_tags=True, constraints=chosen)
        assert several[0].tree.heads.tolist() == found.heads.tolist()
        assert all(one.tree.deprels[word - 1] == "obj" for one in several)
        assert sum(one.probability for one in several) <= 1 + 1e-6
        comment = f'# constraints = {{"forbidden": [[{head}, {word}]], "labels": [[null, {word}, "obj"]]}}'
        again = parser.parse_sentence(
            sentence.replace(comments=[comment]), keep_tags=True, obey=True, constraints=Constraints(spans=[span])
        )
        assert (again.heads.tolist(), again.deprels) == (found.heads.tolist(), found.deprels)


def test_the_k_best_trees_differ_in_relations_too(ewt, log_linear_parser):
    sentence = next(s for s in ewt if len(s) > 9)
    several = [ranked.tree for ranked in log_linear_parser.k_best(sentence, 30, keep_tags=True)]
    assert len({(*tree.heads, *tree.deprels) for tree in several}) == 30
    by_heads = [ranked.tree for ranked in log_linear_parser.candidates(sentence, 30, keep_tags=True)]
    assert len({(*tree.heads,) for tree in several}) < len({(*tree.heads,) for tree in by_heads}) == 30


def test_a_tree_that_was_pruned_is_found_if_no_other_obeys(ewt, third_order_parser):
    """With a beam of one a single head of each word survives; two objects of the same verb must then part."""
    parser = Parser(
        third_order_parser.scorer,
        third_order_parser.trees,
        third_order_parser.tagger,
        third_order_parser.info,
        third_order_parser.pruner.with_limits(beam=1.0),
    )
    tried = 0
    for sentence in ewt:
        heads = parser.parse_sentence(sentence, keep_tags=True).heads.tolist()
        same = [
            (i, j) for i, j in itertools.combinations(range(1, len(heads) + 1), 2) if heads[i - 1] == heads[j - 1] > 0
        ]
        if not same or len(heads) > 10:
            continue
        tried += 1
        i, j = same[0]
        rules = Constraints(labels=[(None, i, "obj"), (None, j, "obj")], at_most_one=["obj"])
        found = parser.parse_sentence(sentence, keep_tags=True, constraints=rules)
        assert found.deprels[i - 1] == found.deprels[j - 1] == "obj"
        assert found.heads[i - 1] != found.heads[j - 1]
    assert tried > 3


def test_constraints_that_clash_are_named(gold_parser):
    sentence = Sentence.from_forms(["odd", "little", "words"], upos=["NOUN"] * 3)
    rules = Constraints(required=[(0, 1), (0, 2)], spans=[(2, 3)], labels=[(None, 3, "det")])
    with pytest.raises(UsageError, match=r"'odd little words' .*: no tree obeys: word 1 is a root; word 2 is a root$"):
        gold_parser.parse_sentence(sentence, keep_tags=True, constraints=rules)
    with pytest.raises(UsageError, match="no label 'subject'"):
        gold_parser.parse_sentence(sentence, keep_tags=True, constraints=Constraints(at_most_one=["subject"]))


@pytest.mark.parametrize(
    "comment", ["# constraints = 7", "# constraints = {", '# constraints = {"required": [7]}', "# constraints ="]
)
def test_comments_that_are_no_constraints_are_refused(comment):
    with pytest.raises(UsageError, match="constraint"):
        constraints_in(Sentence.from_forms(["Go"], comments=[comment]))


def test_a_parser_learns_under_the_rule_it_parses_under(ewt, tmp_path):
    rule = {"at_most_one": ["nsubj", "punct"]}
    options = TrainingOptions(tags="gold", epochs=2, threads=1, factorization="arc", **rule)
    parser = train_parser(ewt[:25], ewt[25:35], options)
    parser.save(tmp_path / "rule.tw")
    parser = Parser.open(tmp_path / "rule.tw")
    assert sum(map(pairs, parser.parse_all(ewt[:30], keep_tags=True, threads=1))) == 0
    with pytest.raises(UsageError, match="at-most-one"):
        train_parser(ewt[:9], ewt[9:12], TrainingOptions(tags="gold", learner="log-linear", **rule))
    with pytest.raises(UsageError, match="no label 'subject'"):
        train_parser(ewt[:9], ewt[9:12], TrainingOptions(tags="gold", factorization="arc", at_most_one=["subject"]))
