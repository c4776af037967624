"""All scores agree to the last digit with udeval, the scorer of Universal Dependencies and of CoNLL 2018."""

import io
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluation.helpers import DATA, perturb, write_system
from tests.evaluation.retokenization import retokenize, to_conllu, tokens_of
from tests.paths import DATA as TREEBANKS
from treewright.errors import TreebankError, UsageError
from treewright.evaluation import content, evaluate, tags
from treewright.treebank import read, read_string

udeval = pytest.importorskip("udtools.udeval")

SEGMENTATION = ("Tokens", "Sentences", "Words")
SCORES = {
    "UPOS": "upos",
    "XPOS": "xpos",
    "UFeats": "ufeats",
    "AllTags": "all_tags",
    "Lemmas": "lemmas",
    "UAS": "uas",
    "LAS": "las",
    "CLAS": "clas",
    "MLAS": "mlas",
    "BLEX": "blex",
}


@pytest.fixture(scope="module")
def text():
    return (DATA / "gold.conllu").read_text(encoding="utf-8")


def official(gold_text, system_text):
    return udeval.evaluate(*(udeval.load_conllu(io.StringIO(text), "", {}) for text in (gold_text, system_text)))


def compared(gold_text, system_text):
    """Evaluate by both scorers, compare everything, and return the evaluation."""
    theirs = official(gold_text, system_text)
    ours = evaluate(read_string(gold_text), read_string(system_text), subtypes=False)
    named = [(name, ours.segmentation[name.lower()]) for name in SEGMENTATION]
    named += [(name, getattr(ours, attribute)) for name, attribute in SCORES.items()]
    for name, score in named:
        if not score.given:
            continue  # a column that one side leaves empty: see below
        reference = theirs[name]
        counts = (reference.correct, reference.gold_total, reference.system_total)
        assert (score.correct, score.gold, score.system) == counts, name
        assert score.precision == 100 * reference.precision, name
        assert score.recall == 100 * reference.recall, name
        assert score.f1 == 100 * reference.f1, name
        if name not in SEGMENTATION:
            assert score.aligned_accuracy == 100 * (reference.aligned_accuracy or 0), name
    return ours


@pytest.mark.parametrize("rate", [0.0, 0.03, 0.2, 0.9])
@pytest.mark.parametrize("seed", range(3))
def test_the_same_words(text, rate, seed):
    rng = random.Random(seed)
    system = [perturb(sentence, rate, rng) for sentence in read_string(text)]
    ours = compared(text, write_system(text, system))
    assert ours.same_words
    assert all(score.f1 == 100 for score in ours.segmentation.values())


TOKENS = {name: list(read(TREEBANKS / name)) for name in ("ewt.conllu", "alksnis.conllu")}


@st.composite
def retokenizations(draw):
    """Draw a few sentences of a treebank, and what two systems may make of their text."""
    sentences = TOKENS[draw(st.sampled_from(sorted(TOKENS)))]
    first = draw(st.integers(0, len(sentences) - 1))
    chosen = sentences[first : first + draw(st.integers(1, 4))]
    rng = random.Random(draw(st.integers(0, 2**32)))
    rates = st.sampled_from([0.0, 0.02, 0.1, 0.4])
    gold = retokenize(tokens_of(chosen), draw(st.sampled_from([0.0, 0.2])), rng)
    system = retokenize(tokens_of(chosen), draw(rates), rng)
    return to_conllu(gold, 0.0, rng), to_conllu(system, draw(rates), rng)


@given(retokenizations())
def test_other_words_of_the_same_text(sides):
    compared(*sides)


def small_document(text, rng):
    """Cut a text of few different letters anyhow: nearly every word is like another one, and spans overlap."""
    rows, blocks, i = [], [], 0
    while i < len(text):
        surface = text[i : i + rng.choice([1, 1, 2, 3])]
        i += len(surface)
        words = [rng.choice(["a", "b", "A", "ab", "a b"]) for _ in range(rng.choice([2, 3]))]
        rows.append((surface, words if rng.random() < 0.4 else [surface]))
        if rng.random() < 0.3 or i >= len(text):
            blocks.append(small_block(rows, rng))
            rows = []
    return "".join(blocks)


def small_block(rows, rng):
    lines, n = [], sum(len(words) for _, words in rows)
    order = rng.sample(range(1, n + 1), n)
    heads = {word: rng.choice(order[:i]) if i else 0 for i, word in enumerate(order)}
    number = 0
    for surface, words in rows:
        if len(words) > 1:
            lines.append(f"{number + 1}-{number + len(words)}\t{surface}" + "\t_" * 8)
        for word in words:
            number += 1
            upos, deprel = rng.choice(["NOUN", "DET"]), rng.choice(["nsubj", "det", "case", "obj"])
            lines.append(f"{number}\t{word}\t{rng.choice('ab_')}\t{upos}\tX\t_\t{heads[number]}\t{deprel}\t_\t_")
    return "\n".join(lines) + "\n\n"


@given(st.text("abA", min_size=1, max_size=14), st.integers(0, 2**32))
def test_small_documents_with_many_multiword_tokens(text, seed):
    rng = random.Random(seed)
    compared(small_document(text, rng), small_document(text, rng))


def test_the_systems_are_really_different(text):
    """Guard the tests above: the comparison must see errors of every kind."""
    rng = random.Random(0)
    found, ranges = set(), 0
    for sentences in TOKENS.values():
        gold = to_conllu(tokens_of(sentences), 0.0, rng)
        ours = compared(gold, to_conllu(retokenize(tokens_of(sentences), 0.2, rng), 0.1, rng))
        assert not ours.same_words
        scores = {**ours.segmentation, **{name: getattr(ours, name) for name in SCORES.values()}}
        found |= {name for name, score in scores.items() if 5 < score.f1 < 95 and score.gold != score.system}
        ranges += sum("-" in line.partition("\t")[0] for line in gold.splitlines())
    assert found == {"tokens", "sentences", "words", *SCORES.values()}
    assert ranges > 5


def test_subtypes_count_unless_told_otherwise(text):
    gold = list(read_string(text))
    system = [perturb(sentence, 0.2, random.Random(0)) for sentence in gold]
    ours, full = evaluate(gold, system, subtypes=False), evaluate(gold, system)
    assert 0 < full.las.f1 < ours.las.f1 < ours.uas.f1 < 100
    assert ours.uas == full.uas


def rows(*words):
    return (
        "".join(f"{i}\t{form}" + "\t_" * 4 + f"\t{head}\tdep\t_\t_\n" for i, (form, head) in enumerate(words, 1)) + "\n"
    )


def test_cycles_are_refused_and_several_roots_are_scored_arc_by_arc():
    """Treebanks outside Universal Dependencies have several roots."""
    gold, cycle, roots = (rows(("a", head), ("b", other)) for head, other in ((0, 1), (2, 1), (0, 0)))
    with pytest.raises(udeval.UDError, match="cycle"):
        official(gold, cycle)
    with pytest.raises(TreebankError, match="cycle"):
        evaluate(read_string(gold), read_string(cycle))
    with pytest.raises(udeval.UDError, match="multiple roots"):
        official(gold, roots)
    assert evaluate(read_string(gold), read_string(roots)).uas.correct == 1


def test_empty_nodes_do_not_count():
    gold = rows(("a", 0), ("b", 1))
    system = gold.replace("2\tb", "1.1\tempty" + "\t_" * 8 + "\n2\tb")
    assert "empty" in system
    assert compared(gold, system).same_words


def test_spaces_in_words_do_not_count():
    ours = compared(rows(("10 000", 2), ("km", 0)), rows(("10\u00a0000", 2), ("k m", 0)))
    assert not ours.same_words
    assert ours.segmentation["words"].f1 == 100
    only_spaces = rows(("a", 0), ("\u00a0", 1))
    with pytest.raises(udeval.UDError, match="empty FORM"):
        official(only_spaces, rows(("a", 0)))
    with pytest.raises(UsageError, match="sentence 1: a word of the gold standard has no characters but spaces"):
        evaluate(read_string(only_spaces), read_string(rows(("a", 0))))


def test_lists_are_those_of_the_official_scorer():
    assert content._CONTENT == udeval.CONTENT_DEPRELS
    assert content._FUNCTION == udeval.FUNCTIONAL_DEPRELS
    assert tags._UNIVERSAL == udeval.UNIVERSAL_FEATURES
