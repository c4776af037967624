"""Training in the background: what is learned from, what is held out, and what happens when it fails."""

import pytest

from treewright.errors import UsageError
from treewright.server.annotation.retraining import Retraining, examples_of
from treewright.server.annotation.session import Session
from treewright.server.annotation.state import Annotated, Change
from treewright.treebank import write

QUICK = ("--factorization", "arc", "--epochs", "2", "--bits", "14", "--tags", "gold", "--calibrate", "none")


@pytest.fixture
def session(tmp_path, ewt, gold_parser):
    path = tmp_path / "some.conllu"
    write(ewt[:24], path)
    with Session.open(path, None) as session:
        yield session


def confirm(session, numbers):
    for index in numbers:
        session.act({"sentence": index, "do": "confirm"})


def test_sentences_that_are_done_and_arcs_that_were_looked_at_are_learned_from(ewt):
    states = [Annotated.of(sentence) for sentence in ewt[:20]]
    done = [Change(word, "status", "_", "word") for word in range(1, 100)]
    for index in (1, 2, 9, 19):
        states[index] = states[index].after(done[: len(ewt[index])])
    states[5] = states[5].after([Change(2, "status", "_", "arc")])
    learned, held_out = examples_of(states)
    assert [sentence.forms for sentence in learned] == [ewt[index].forms for index in (1, 2, 5)]
    assert [sentence.forms for sentence in held_out] == [ewt[index].forms for index in (9, 19)]
    assert [head >= 0 for head in learned[2].heads] == [word == 2 for word in range(1, len(ewt[5]) + 1)]
    learned, held_out = examples_of(states, ewt[20:35])
    assert len(learned) == 14 + 3
    assert len(held_out) == 1 + 2


def test_a_parser_is_trained_in_the_background_and_used(session):
    retraining = Retraining(session, every=20, more=QUICK)
    heard = []
    session.on_confirmed, hear = (lambda: (heard.append(1), hear())), session.on_confirmed
    confirm(session, range(19))
    assert retraining.status.state == "idle"
    confirm(session, [19])
    retraining.wait(300)
    assert len(heard) == 20
    assert retraining.status.state == "swapped", retraining.status
    assert session.adviser.parser is not None
    assert session.adviser.suggestion(22).heads is not None
    retraining.close()


def test_a_parser_that_is_worse_is_not_used(session, gold_parser):
    session.adviser.use(gold_parser)  # which has seen all of these sentences
    confirm(session, range(20))
    retraining = Retraining(session, more=(*QUICK, "--epochs", "1"))
    retraining.start()
    with pytest.raises(UsageError, match="already"):
        retraining.start()
    retraining.wait(300)
    assert retraining.status.state == "kept", retraining.status
    assert session.adviser.parser is gold_parser


def test_failures_are_told_and_harm_nobody(session):
    confirm(session, range(20))
    retraining = Retraining(session, more=("--no-such-option",))
    retraining.start()
    retraining.wait(300)
    assert retraining.status.state == "failed"
    assert "no-such-option" in retraining.status.line
    session.act({"sentence": 21, "do": "confirm"})
    assert session.states[21].is_done


def test_too_few_sentences_wait_for_more(session):
    retraining = Retraining(session, every=2)
    confirm(session, range(3))
    assert retraining.status.state == "idle"
    assert "too few" in retraining.status.line
    with pytest.raises(UsageError, match="too few"):
        retraining.start()


def test_training_ends_with_the_session(session):
    confirm(session, range(20))
    retraining = Retraining(session)
    retraining.start()
    retraining.close()
    assert retraining.status.state == "failed"
