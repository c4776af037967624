"""Bracket scores, worked out by hand from the documented rules of EVALB with COLLINS.prm."""

import io
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from treewright.errors import UsageError
from treewright.evaluation import BracketRules, Score, evaluate_brackets, render_brackets
from treewright.treebank import ConstituentTree

tree = ConstituentTree.from_string


def bare(text):
    """Give each word that is a small letter a tag."""
    return re.sub(r" ([a-z])(?=[ )])", r" (N \1)", text)


# The gold tree, the system's, then: correct, gold, system, crossing, correct tags, words.
CASES = {
    "the same": ("(S (NP (N a)) (VP (V b)))", "(S (NP (N a)) (VP (V b)))", (3, 3, 3, 0, 2, 2)),
    "a wrong label": ("(S (NP (N a)) (VP (V b)))", "(S (NP (N a)) (NP (V b)))", (2, 3, 3, 0, 2, 2)),
    "a wrong tag is no wrong bracket": ("(S (NP (N a)) (VP (V b)))", "(S (NP (V a)) (VP (V b)))", (3, 3, 3, 0, 1, 2)),
    "TOP is not counted": ("(TOP (S (N a) (N b)))", "(TOP (X (N a) (N b)))", (0, 1, 1, 0, 2, 2)),
    "nor is S1": ("(S1 (S (N a) (N b)))", "(S1 (X (N a) (N b)))", (0, 1, 1, 0, 2, 2)),
    "nor is ROOT": ("(ROOT (S (N a) (N b)))", "(ROOT (X (N a) (N b)))", (0, 1, 1, 0, 2, 2)),
    "nor is the empty bracket": ("( (S (N a)))", "(TOP (S (N a)))", (1, 1, 1, 0, 1, 1)),
    "ADVP and PRT are the same": ("(S (PRT (N a)) (ADVP (N b)))", "(S (ADVP (N a)) (PRT (N b)))", (3, 3, 3, 0, 2, 2)),
    "function tags do not matter": (
        "(S (NP-SBJ-1 (N a)) (NP=2 (N b)))",
        "(S (NP (N a)) (NP (N b)))",
        (3, 3, 3, 0, 2, 2),
    ),
    "nor do traces and what has nothing else": (
        "(S (NP (N a)) (VP (V b) (SBAR (-NONE- 0) (S (-NONE- *T*-1)))))",
        "(S (NP (N a)) (VP (V b)))",
        (3, 3, 3, 0, 2, 2),
    ),
    "punctuation is taken out before brackets are compared": (
        "(S (NP (N a) (, ,)) (VP (V b)) (. .))",
        "(S (NP (N a)) (, ,) (VP (V b) (. .)))",
        (3, 3, 3, 0, 2, 2),
    ),
    "a constituent of punctuation goes with it": ("(S (PRN (: --)) (N a))", "(S (: --) (N a))", (1, 1, 1, 0, 1, 1)),
    "all of its tags": (
        "(S (`` x) (, x) (N a) (: x) ('' x) (. x) (-LRB- y))",
        "(S (X (`` x) (, x) (N a) (: x) ('' x) (. x)) (-LRB- y))",
        (1, 1, 2, 0, 2, 2),
    ),
    "the gold tags tell what is punctuation": ("(S (NP (N a)) (, ,))", "(S (NP (N a) (N ,)))", (2, 2, 2, 0, 1, 1)),
    "m > n of the same": ("(S (NP (N a)))", "(S (NP (NP (NP (N a)))))", (2, 2, 4, 0, 1, 1)),
    "n > m of the same": ("(S (NP (NP (NP (N a)))))", "(S (NP (N a)))", (2, 4, 2, 0, 1, 1)),
    "one crossing": (bare("(S (A a b) c)"), bare("(S a (A b c))"), (1, 2, 2, 1, 3, 3)),
    "a bracket crosses once, however many it crosses": (
        bare("(S (A a b) (B c d))"),
        bare("(S a (A b c) d)"),
        (1, 3, 2, 1, 4, 4),
    ),
    "two that cross one are two": (bare("(S a (B b c) d)"), bare("(S (A a b) (B c d))"), (1, 2, 3, 2, 4, 4)),
    "nesting is no crossing": (bare("(S (A a b c) d)"), bare("(S (A a b) c d)"), (1, 2, 2, 0, 4, 4)),
    "nor is touching": (bare("(S (A a b) c d)"), bare("(S a b (A c d))"), (1, 2, 2, 0, 4, 4)),
    "no crossing over punctuation": (
        "(S (A (N a) (, ,)) (N b))",
        "(S (N a) (A (, ,) (N b)))",
        (1, 2, 2, 0, 2, 2),
    ),
    "a word alone has no brackets": ("(N a)", "(N a)", (0, 0, 0, 0, 1, 1)),
}


@pytest.mark.parametrize("name", CASES)
def test_cases(name):
    gold, system, (correct, in_gold, in_system, crossing, tags, words) = CASES[name]
    scores = evaluate_brackets([tree(gold)], [tree(system)]).all
    assert scores.brackets == Score(correct, in_gold, in_system)
    assert scores.crossing == crossing
    assert scores.tags == Score(tags, words, words)
    assert scores.exact.correct == (correct == in_gold == in_system)
    assert (scores.no_crossing.correct, scores.few_crossing.correct) == (crossing == 0, crossing <= 2)


def test_counts_are_added_up_over_sentences():
    gold = [tree(CASES[name][0]) for name in ("one crossing", "two that cross one are two", "m > n of the same")]
    system = [tree(CASES[name][1]) for name in ("one crossing", "two that cross one are two", "m > n of the same")]
    evaluation = evaluate_brackets(gold * 2, system * 2)
    scores = evaluation.all
    assert scores.brackets == Score(8, 12, 18)
    assert (scores.brackets.precision, scores.brackets.recall) == (
        pytest.approx(100 * 8 / 18),
        pytest.approx(100 * 8 / 12),
    )
    assert (scores.crossing, scores.average_crossing) == (6, 1.0)
    assert (scores.no_crossing.correct, scores.few_crossing.correct, scores.sentences) == (2, 6, 6)
    assert evaluation.by_label == {"S": Score(6, 6, 6), "NP": Score(2, 2, 6), "A": Score(0, 2, 4), "B": Score(0, 2, 2)}


def test_lengths_count_punctuation_but_no_traces():
    forty = bare(f"(S{' a' * 39} (-NONE- *) (. .))")
    more = bare(f"(S{' a' * 40} (. .))")
    evaluation = evaluate_brackets([tree(forty), tree(more)], [tree(forty), tree(more)])
    assert (evaluation.all.sentences, evaluation.up_to_40.sentences) == (2, 1)
    assert {name: scores.sentences for name, scores in evaluation.by_length.items()} == {
        "1-10": 0,
        "11-20": 0,
        "21-30": 0,
        "31-40": 1,
        "41+": 1,
    }
    assert evaluation.up_to_40.words == 39


def test_a_sentence_of_punctuation_is_not_counted():
    dots = tree("(S (: ...))")
    assert evaluate_brackets([dots, tree("(S (N a))")], [dots, tree("(S (N a))")]).all.sentences == 1
    with pytest.raises(UsageError, match="nothing to evaluate"):
        evaluate_brackets([dots], [dots])


def test_other_rules():
    rules = BracketRules(deleted=frozenset({"CODE"}), equal={}, empty="historical")
    gold, system = tree("(CODE (IP (NP *pro*) (PRT (N a)) (. .)))"), tree("(CODE (IP (ADVP (N a)) (. .)))")
    scores = evaluate_brackets([gold], [system], rules).all
    assert scores.brackets == Score(1, 2, 2)
    assert scores.words == 2


def test_a_word_that_the_system_takes_for_an_empty_element_is_kept():
    gold = tree("(IP (NP *pro*) (NP (NUM 0) (N a)))")
    system = tree("(IP (NP (N 0) (N a)))")  # a 0 that is no number is an empty element
    scores = evaluate_brackets([gold], [system], BracketRules(empty="historical")).all
    assert (scores.brackets, scores.tags) == (Score(2, 2, 2), Score(1, 2, 2))
    penn = evaluate_brackets([tree("(S (N a) (NP (-NONE- *)))")], [tree("(S (-NONE- a))")]).all
    assert (penn.brackets, penn.tags) == (Score(1, 1, 1), Score(0, 1, 1))


@st.composite
def pairs(draw):
    """Two trees over the same words, as nested lists: they are split at random places."""
    tags = draw(st.lists(st.sampled_from(["N", "V", ",", "."]), min_size=1, max_size=7))

    def build(first, last):
        label = draw(st.sampled_from(["S", "NP", "PRT", "ADVP", "TOP"]))
        if last - first == 1:
            leaf = f"({tags[first]} w{first})"
            return f"({label} {leaf})" if draw(st.booleans()) else leaf
        cut = draw(st.integers(first + 1, last - 1))
        inside = f"{build(first, cut)} {build(cut, last)}"
        return f"({label} {inside})" if draw(st.booleans()) or (first, last) == (0, len(tags)) else inside

    def whole():
        return tree(f"(S {build(0, len(tags))})")

    return whole(), whole()


def slow_brackets(one):
    """Sets of words instead of spans: as the rules are told in words."""
    kept = {i for i, tag in enumerate(one.tags) if tag not in (",", ".")}
    found = []
    for node, label in enumerate(one.labels):
        words = frozenset(range(one.starts[node], one.ends[node])) & kept
        if words and not one.is_leaf[node] and label != "TOP":
            found.append(("ADVP" if label == "PRT" else label, words))
    return found


@given(pairs())
def test_any_pair_agrees_with_the_rules_in_words(pair):
    gold, system = pair
    if not set(gold.tags) - {",", "."}:
        return
    one, two = slow_brackets(gold), slow_brackets(system)
    correct = sum((Counter(one) & Counter(two)).values())
    crossing = sum(any(a & b and a - b and b - a for _, a in one) for _, b in two)
    scores = evaluate_brackets([gold], [system]).all
    assert scores.brackets == Score(correct, len(one), len(two))
    assert scores.crossing == crossing


@pytest.mark.parametrize(
    ("gold", "system", "reason"),
    [
        (["(N a)"], ["(N b)"], "tree 1: word 1 is 'a' in the gold standard and 'b' in the system"),
        (["(N a)"], ["(S (N a) (N b))"], "tree 1: the gold standard has 1 words and the system 2"),
        (["(N a)", "(N a)"], ["(N a)"], "tree 2 is only in the gold standard"),
        (["(N a)"], ["(N a)", "(N a)"], "tree 2 is only in the system"),
    ],
)
def test_what_cannot_be_compared_is_refused(gold, system, reason):
    with pytest.raises(UsageError, match=reason):
        evaluate_brackets(map(tree, gold), map(tree, system))


def test_the_report():
    gold, system, _ = CASES["one crossing"]
    evaluation = evaluate_brackets([tree(gold)], [tree(system)])
    file = io.StringIO()
    Console(file=file, width=80).print(render_brackets(evaluation, by_label=True, by_length=True))
    text = file.getvalue()
    for expected in ("1 sentence, 3 words", "50.00", "≤ 2 CB", "1-10", "41+", "precision"):
        assert expected in text
    assert max(map(len, text.splitlines())) <= 80
    plain = evaluation.to_dict()
    assert plain["all"]["brackets"]["f1"] == 50
    assert plain["by_length"]["41+"]["sentences"] == 0
