"""Two systems of brackets, compared."""

import io
import json

from rich.console import Console

from treewright.evaluation import BracketRules, Score, compare_brackets, evaluate_brackets, render_bracket_comparison
from treewright.treebank import ConstituentTree

GOLD = ConstituentTree.from_string("(ROOT (S (NP (N a)) (VP (V b) (NP (N c)))))")
FLAT = ConstituentTree.from_string("(ROOT (S (N a) (V b) (N c)))")
WRONG = ConstituentTree.from_string("(ROOT (S (NP (N a)) (NP (V b) (NP (N c)))))")
DOTS = ConstituentTree.from_string("(S (: ...))")


def test_counts_are_those_of_the_sentences_and_of_the_whole():
    gold, a, b = [GOLD, GOLD, DOTS, GOLD], [GOLD, WRONG, DOTS, FLAT], [FLAT, WRONG, DOTS, GOLD]
    comparison = compare_brackets(iter(gold), iter(a), iter(b))
    assert comparison.sentences == 3  # that of punctuation is not scored
    assert comparison.a == evaluate_brackets(gold, a).all.brackets == Score(8, 12, 9)
    assert comparison.b == comparison.a
    assert (comparison.f1.better, comparison.f1.worse, comparison.f1.tied) == (1, 1, 1)
    assert (comparison.bootstrap.difference, comparison.bootstrap.p) == (0, 1)


def test_the_rules_are_those_given():
    strict = compare_brackets([GOLD], [GOLD], [FLAT], BracketRules(deleted=frozenset()))
    assert (strict.a, strict.b) == (Score(5, 5, 5), Score(2, 5, 2))


def test_the_report():
    comparison = compare_brackets([GOLD] * 9, [GOLD] * 9, [GOLD] * 3 + [FLAT] * 6)
    file = io.StringIO()
    Console(file=file, width=80).print(render_bracket_comparison(comparison, ("new.mrg", "old.mrg")))
    text = file.getvalue()
    for expected in ("new.mrg", "100.00", "66.67", "+33.33", "p = 0.0312", "bootstrap", "95 %"):
        assert expected in text
    assert max(map(len, text.splitlines())) <= 80
    plain = comparison.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert (plain["f1"]["better"], plain["b"]["correct"], plain["bootstrap"]["samples"]) == (6, 18, 10_000)
