"""UAS, LAS, CLAS, UPOS and XPOS agree to the last digit with udeval, the scorer of Universal Dependencies."""

import io
import random

import pytest

from tests.evaluation.helpers import DATA, perturb, write_system
from treewright.evaluation import evaluate
from treewright.treebank import read_string

udeval = pytest.importorskip("udtools.udeval")


@pytest.fixture(scope="module")
def text():
    return (DATA / "gold.conllu").read_text(encoding="utf-8")


def official(gold_text, system_text):
    gold = udeval.load_conllu(io.StringIO(gold_text), "gold", {})
    return udeval.evaluate(gold, udeval.load_conllu(io.StringIO(system_text), "system", {}))


@pytest.mark.parametrize("rate", [0.0, 0.03, 0.2, 0.9])
@pytest.mark.parametrize("seed", range(3))
def test_agrees_to_the_last_digit(text, rate, seed):
    gold = read_string(text)
    rng = random.Random(seed)
    system = [perturb(sentence, rate, rng) for sentence in gold]
    theirs = official(text, write_system(text, system))
    ours = evaluate(gold, system, subtypes=False)
    for name in ("UAS", "LAS", "CLAS", "UPOS", "XPOS"):
        score, reference = getattr(ours, name.lower()), theirs[name]
        assert (score.correct, score.gold, score.system) == (
            reference.correct,
            reference.gold_total,
            reference.system_total,
        ), name
        assert score.precision == 100 * reference.precision, name
        assert score.recall == 100 * reference.recall, name
        assert score.f1 == 100 * reference.f1, name


def test_the_systems_are_really_different(text):
    """Guard the test above: the comparison must see errors of every kind."""
    gold = read_string(text)
    rng = random.Random(0)
    system = [perturb(sentence, 0.2, rng) for sentence in gold]
    ours, full = evaluate(gold, system, subtypes=False), evaluate(gold, system)
    assert 0 < full.las.f1 < ours.las.f1 < ours.uas.f1 < 100
    assert ours.clas.gold != ours.clas.system
    assert ours.uas == full.uas
    assert any(len(sentence.comments) > 0 for sentence in gold)


def test_content_relations_are_those_of_the_official_scorer():
    from treewright.evaluation import breakdown

    assert breakdown._CONTENT == udeval.CONTENT_DEPRELS
