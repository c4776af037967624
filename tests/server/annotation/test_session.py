"""What an annotator says is kept: undone, done again, replayed after a crash, and written without touching the rest."""

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.paths import DATA
from treewright.errors import UsageError
from treewright.server.annotation.document import Document
from treewright.server.annotation.session import Session, StaleError, journal_of
from treewright.server.annotation.suggestions import suggest
from treewright.treebank import Sentence, read, write

COLUMNS = ("heads", "deprels", "upos", "xpos", "lemmas", "feats")


def cells(session):
    """Give everything that annotators can change."""
    return [(state.status, *(tuple(getattr(state.sentence, name)) for name in COLUMNS)) for state in session.states]


@pytest.fixture
def path(tmp_path):
    return Path(shutil.copy(DATA / "ewt.conllu", tmp_path / "ewt.conllu"))


@pytest.fixture
def bare(tmp_path, ewt):
    """Twelve sentences with tags and without heads."""
    path = tmp_path / "bare.conllu"
    chosen = [s for s in ewt if 4 <= len(s) <= 15][:12]
    write([s.replace(heads=[-1] * len(s), deprels=["_"] * len(s)) for s in chosen], path)
    return path


# Bytes -----------------------------------------------------------------------------------------------------------


def test_what_nobody_changes_is_written_byte_for_byte(tmp_path):
    text = (DATA / "ewt.conllu").read_bytes()
    first, second, rest = text.split(b"\n\n", 2)
    odd = (
        b"\xef\xbb\xbf# a comment of no sentence\n\n"
        + first.replace(b"\n", b"\r\n")
        + b"\r\n\r\n"
        + second
        + b"\n\n\n\n"
        + rest
    )
    path = tmp_path / "odd.conllu"
    path.write_bytes(odd)
    with Session.open(path) as session:
        assert session.content() == odd
        session.act({"sentence": 1, "do": "lemma", "word": 2, "lemma": "new lemma"})
        ours, theirs = session.content().split(b"\n"), odd.split(b"\n")
        different = [(a, b) for a, b in zip(ours, theirs, strict=True) if a != b]
        assert len(different) == 1
        assert different[0][0].split(b"\t")[2] == b"new lemma"
        session.undo()
        assert session.content() == odd


def test_compressed_files_stay_compressed(tmp_path):
    path = tmp_path / "ewt.conllu.gz"
    path.write_bytes(gzip.compress((DATA / "ewt.conllu").read_bytes()))
    with Session.open(path) as session:
        session.act({"sentence": 0, "do": "xpos", "word": 1, "xpos": "NEW"})
        session.save()
    assert gzip.decompress(path.read_bytes()).count(b"\tNEW\t") == 1
    with Session.open(path) as session:
        assert session.states[0].sentence.xpos[0] == "NEW"


def test_the_output_may_be_another_file(path, tmp_path):
    before = path.read_bytes()
    with Session.open(path, output=tmp_path / "out.conllu") as session:
        assert not session.is_saved
        session.act({"sentence": 0, "do": "upos", "word": 1, "upos": "X"})
        assert session.save() == str(tmp_path / "out.conllu")
        assert session.is_saved
    assert path.read_bytes() == before
    assert next(read(tmp_path / "out.conllu")).upos[0] == "X"


# Journals --------------------------------------------------------------------------------------------------------

WRITER = """
import os, sys
from treewright.server.annotation.session import Session

session = Session.open(sys.argv[1])
for number in range(10_000):
    sentence = number % len(session.states)
    session.act({"sentence": sentence, "do": "lemma", "word": 1, "lemma": f"lemma{number}"})
    if number % 7 == 3:
        session.undo()
    if number % 14 == 10:
        session.redo()
    os.write(1, b"%d\\n" % number)
"""


@pytest.mark.parametrize("acknowledged", [1, 40, 111])
def test_nothing_acknowledged_is_lost_by_kill_9(path, acknowledged):
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE)
    for _ in range(acknowledged):
        number = int(writer.stdout.readline())
    os.kill(writer.pid, signal.SIGKILL)
    rest = writer.stdout.read().split()
    writer.wait()
    writer.stdout.close()
    last = max([number, *map(int, rest)])
    with Session.open(path) as session:
        lemmas = [state.sentence.lemmas[0] for state in session.states]
        steps = [number for number in range(last + 2) if number % 7 != 3 or number % 14 == 10]
        expected = {number % len(lemmas): f"lemma{number}" for number in steps if number <= last}
        unsure = {(last + 1) % len(lemmas)}  # done, and perhaps not acknowledged
        wrong = [i for i, lemma in expected.items() if lemmas[i] != lemma and i not in unsure]
        assert not wrong
        session.save()
    assert sum(lemma.startswith("lemma") for s in read(path) for lemma in s.lemmas) >= len(expected) - 1


def test_a_line_that_was_cut_off_is_dropped(path):
    with Session.open(path) as session:
        for upos in ("X", "SYM"):
            session.act({"sentence": 0, "do": "upos", "word": 1, "upos": upos})
    journal = journal_of(path)
    whole = journal.read_bytes()
    for end in range(len(whole) - 1, whole.rstrip(b"\n").rfind(b"\n"), -7):
        journal.write_bytes(whole[:end])
        with Session.open(path) as session:
            assert session.states[0].sentence.upos[0] == "X"
            session.act({"sentence": 0, "do": "upos", "word": 1, "upos": "NUM"})
        with Session.open(path) as session:
            assert session.states[0].sentence.upos[0] == "NUM"


def test_the_journal_of_another_file_is_refused(path):
    with Session.open(path) as session:
        session.act({"sentence": 0, "do": "upos", "word": 1, "upos": "X"})
    path.write_bytes(path.read_bytes().replace(b"Museum", b"museum"))
    with pytest.raises(UsageError, match="journal of another file"):
        Session.open(path)


@pytest.mark.parametrize(
    "line",
    [
        b"not JSON",
        b"[]",
        b'{"do": "upos", "sentence": 0, "changes": [[99, "upos", "_", "X"]]}',
        b'{"do": "upos", "sentence": 10000, "changes": [[1, "upos", "_", "X"]]}',
        b'{"do": "head", "sentence": 0, "changes": [[1, "head", "_", "999"]]}',
        b'{"do": "head", "sentence": 0, "changes": [[1, "forms", "a", "b"]]}',
        b'{"do": "head", "sentence": 0, "changes": [[1, "upos", "X"]]}',
        b'{"do": "undo"}',
        b'{"do": "confirm", "sentence": 0, "changes": [[1, "status", "_", "sure"]]}',
    ],
)
def test_a_damaged_journal_is_refused_and_left_alone(path, line):
    Session.open(path).close()
    journal = journal_of(path)
    content = journal.read_bytes() + line + b"\n"
    journal.write_bytes(content)
    with pytest.raises(UsageError, match="journal"):
        Session.open(path)
    assert journal.read_bytes() == content


def test_a_file_is_annotated_once_at_a_time(path):
    with Session.open(path), pytest.raises(UsageError, match="annotating this file already"):
        Session.open(path)
    Session.open(path).close()


def test_actions_can_be_undone_after_a_save_and_a_restart(path):
    before = path.read_bytes()
    with Session.open(path) as session:
        session.act({"sentence": 3, "do": "upos", "word": 1, "upos": "X"})
        session.save()
        session.act({"sentence": 3, "do": "upos", "word": 2, "upos": "X"})
    assert path.read_bytes() != before
    with Session.open(path) as session:  # the file is the one that was saved, the last action is in the journal alone
        assert session.states[3].sentence.upos[:2] == ["X", "X"]
        assert session.undo() == session.undo() == 3
        assert session.content() == before


def test_a_crash_between_the_journal_and_the_file(path, monkeypatch):
    with Session.open(path) as session:
        session.act({"sentence": 0, "do": "upos", "word": 1, "upos": "X"})
        monkeypatch.setattr(Document, "write", lambda *args: (_ for _ in ()).throw(OSError("no room")))
        with pytest.raises(OSError, match="no room"):
            session.save()
    with Session.open(path) as session:
        assert session.states[0].sentence.upos[0] == "X"


# Actions ---------------------------------------------------------------------------------------------------------


def test_a_new_root_releases_the_old_one_and_a_cycle_is_opened(path):
    sentence = next(read(path))
    root = int(np.flatnonzero(sentence.heads == 0)[0]) + 1
    below = int(np.flatnonzero(sentence.heads == root)[0]) + 1
    with Session.open(path) as session:
        session.act({"sentence": 0, "do": "head", "word": below, "head": 0})
        heads = session.states[0].sentence.heads
        assert (heads[below - 1], heads[root - 1]) == (0, -1)
        session.act({"sentence": 0, "do": "head", "word": root, "head": below})
        assert session.states[0].status[root - 1] == "arc"
        session.act({"sentence": 0, "do": "head", "word": below, "head": root})
        heads = session.states[0].sentence.heads
        assert (heads[below - 1], heads[root - 1]) == (root, -1)
        while session.can_undo:
            session.undo()
        assert session.content() == path.read_bytes()


@pytest.mark.parametrize(
    ("action", "complaint"),
    [
        ({"do": "fly", "word": 1}, "no action 'fly'"),
        ({"do": "head", "word": 1, "head": 1}, "its own head"),
        ({"do": "head", "word": 1, "head": 99}, "head is 99"),
        ({"do": "head", "word": 1, "head": True}, "head is True"),
        ({"do": "head", "word": 0, "head": 1}, "word is 0"),
        ({"do": "head", "head": 1}, "word is None"),
        ({"do": "upos", "word": 1, "upos": "a\tb"}, "without tabs"),
        ({"do": "upos", "word": 1, "upos": "a\u2028b"}, "without tabs"),
        ({"do": "upos", "word": 1, "upos": "\ud800"}, "without tabs"),
        ({"do": "upos", "word": 1, "upos": "a b"}, "spaces"),
        ({"do": "upos", "word": 1, "upos": 3}, "a text"),
        ({"do": "lemma", "word": 1, "lemma": "x" * 1001}, "at most 1,000"),
        ({"do": "confirm", "word": "1"}, "word is '1'"),
    ],
)
def test_what_cannot_be_done_is_refused_and_changes_nothing(path, action, complaint):
    with Session.open(path) as session:
        before = journal_of(path).read_bytes()
        with pytest.raises(UsageError, match=complaint):
            session.act({"sentence": 0, **action})
        assert journal_of(path).read_bytes() == before
        assert session.content() == path.read_bytes()
        for sentence in (-1, 9999, None, "0", True):
            with pytest.raises(UsageError, match="sentence is"):
                session.act({"sentence": sentence, **action})


def test_confirming_takes_over_what_is_suggested(bare, gold_parser):
    with Session.open(bare, gold_parser) as session:
        tree = session.adviser.suggestion(0).tree
        assert (tree.heads >= 0).all()
        assert (session.states[0].sentence.heads == -1).all()
        session.act({"sentence": 0, "do": "confirm", "word": 2})
        one = session.states[0]
        assert [status == "word" for status in one.status] == [word == 2 for word in range(1, len(tree) + 1)]
        assert one.sentence.heads[1] == tree.heads[1]
        assert one.sentence.deprels[1] == tree.deprels[1]
        session.act({"sentence": 0, "do": "confirm"})
        assert session.states[0].is_done
        assert session.states[0].sentence.heads.tolist() == session.adviser.suggestion(0).tree.heads.tolist()
        session.act({"sentence": 0, "do": "reopen", "word": 1})
        assert not session.states[0].is_done
        session.save()
    assert [(s.heads >= 0).all() for s in read(bare)] == [True, *[False] * 11]


def test_given_cells_never_change_and_the_rest_is_parsed_around_them(bare, gold_parser):
    with Session.open(bare, gold_parser) as session:
        for index in range(4):
            n = len(session.states[index].sentence)
            session.act({"sentence": index, "do": "head", "word": 1, "head": n, "deprel": "vocative"})
            tree = session.adviser.suggestion(index).tree
            assert tree.heads[0] == n
            assert tree.deprels[0] == "vocative"
            assert (tree.heads >= 0).all()
            assert session.adviser.suggestion(index).correct[0] == pytest.approx(1, abs=1e-6)


def test_a_relation_settles_the_arc_that_is_shown(bare, gold_parser):
    with Session.open(bare, gold_parser) as session:
        tree = session.adviser.suggestion(0).tree
        word = int(np.flatnonzero(tree.heads != 0)[0]) + 1
        session.act({"sentence": 0, "do": "deprel", "word": word, "deprel": "discourse"})
        assert session.states[0].sentence.heads[word - 1] == tree.heads[word - 1]
        assert session.states[0].status[word - 1] == "arc"


def test_a_sentence_with_errors_is_not_confirmed(path, gold_parser):
    with Session.open(path, gold_parser) as session:
        session.act({"sentence": 0, "do": "upos", "word": 1, "upos": "NOSUCH"})
        with pytest.raises(UsageError, match="cannot be confirmed: there is no tag NOSUCH"):
            session.act({"sentence": 0, "do": "confirm"})
        session.undo()
        session.act({"sentence": 0, "do": "confirm"})
        assert session.states[0].is_done


def test_nobody_confirms_what_they_have_not_seen(bare, gold_parser, text_parser):
    with Session.open(bare, gold_parser) as session:
        session.adviser.suggestion(0)
        seen = session.adviser.version(0)
        session.adviser.use(text_parser)
        session.act({"sentence": 0, "do": "confirm", "word": 1, "seen": seen})  # still what was seen
        with pytest.raises(StaleError):
            session.act({"sentence": 0, "do": "confirm", "seen": seen})
        session.adviser.suggestion(1)
        seen = session.adviser.version(1)
        session.adviser.use(gold_parser)
        session.adviser.renew(1)
        session.adviser.suggestion(1)
        with pytest.raises(StaleError):
            session.act({"sentence": 1, "do": "confirm", "seen": seen})


def test_columns_that_a_treebank_does_not_have_stay_empty(tmp_path, ewt, text_parser):
    def opened(name, **columns):
        blank = ["_"] * len(ewt[0])
        write([ewt[0].replace(**dict.fromkeys(COLUMNS[2:], blank) | columns)], tmp_path / name)
        with Session.open(tmp_path / name, text_parser) as session:
            return session.adviser.suggestion(0).tree

    bare, tagged = opened("bare.conllu"), opened("tagged.conllu", upos=ewt[0].upos)
    assert "_" not in bare.upos + bare.xpos
    assert set(bare.feats) > {"_"}
    assert list(tagged.upos) == list(ewt[0].upos)
    assert set(tagged.xpos + tagged.feats + tagged.lemmas) == {"_"}
    both = opened("both.conllu", upos=ewt[0].upos, feats=["_", *ewt[0].feats[1:]])
    assert both.feats[0] == "_"  # the word has a tag, and no features


def test_without_a_parser_people_do_everything_themselves(bare):
    with Session.open(bare) as session:
        with pytest.raises(UsageError, match="word 1 has no head yet"):
            session.act({"sentence": 0, "do": "confirm"})
        assert session.queue() == list(range(12))
        assert not session.adviser.score_next()


# Queues ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["doubt", "entropy", "margin"])
def test_the_most_doubtful_come_first(bare, log_linear_parser, order):
    with Session.open(bare, log_linear_parser, order=order) as session:
        assert session.queue() == list(range(12))
        session.adviser.score_next()
        session.adviser.score_next()
        assert set(session.queue()[:2]) == {0, 1}
        while session.adviser.score_next():
            pass
        doubts = [session.adviser.doubt(index) for index in session.queue()]
        assert doubts == sorted(doubts, reverse=True)
        assert doubts[0] > doubts[-1]
        assert session.progress()["scored"] == 12
        first = session.queue()[0]
        found = suggest(log_linear_parser, session.states[first])
        if order == "doubt":
            assert session.adviser.doubt(first) == pytest.approx((1 - found.correct).sum())
        if order == "margin":
            ordered = np.sort(found.heads, axis=1)
            assert session.adviser.doubt(first) == pytest.approx(1 - (ordered[:, -1] - ordered[:, -2]).min())
        errors = {index for index in range(12) if any(one.level == "error" for one in session.findings(index))}
        first = next(index for index in session.queue() if index not in errors)
        session.act({"sentence": first, "do": "confirm"})
        assert first not in session.queue()
        assert session.queue(done=True) == [first]


def test_what_has_been_looked_at_is_no_longer_doubtful(bare, log_linear_parser):
    with Session.open(bare, log_linear_parser, order="doubt") as session:
        index = 0
        before = session.adviser.suggestion(index)
        word = int(np.argmin(before.correct)) + 1
        session.act({"sentence": index, "do": "confirm", "word": word})
        after = session.adviser.suggestion(index)
        assert after.correct[word - 1] == pytest.approx(1, abs=1e-6)
        assert session.adviser.doubt(index) < before.expected_errors([True] * len(before.tree))
        assert after.entropy < before.entropy


def test_heads_of_the_file_that_a_parser_finds_unlikely_are_doubtful(path, log_linear_parser, ewt):
    sentence = next(s for s in ewt if len(s) >= 8)
    index = ewt.index(sentence)
    with Session.open(path, log_linear_parser, order="doubt") as session:
        right = session.adviser.suggestion(index).correct.sum()
        wrong = sentence.heads.copy()
        root = int(np.flatnonzero(wrong == 0)[0]) + 1
        leaves = [m for m in range(1, len(sentence) + 1) if m not in wrong.tolist() and m != root]
        wrong[leaves[0] - 1] = leaves[-1]
        write([sentence.replace(heads=wrong)], path.with_name("wrong.conllu"))
    with Session.open(path.with_name("wrong.conllu"), log_linear_parser, order="doubt") as session:
        suggestion = session.adviser.suggestion(0)
        assert suggestion.tree.heads.tolist() == wrong.tolist()
        assert suggestion.correct.sum() < right
        assert suggestion.correct[leaves[0] - 1] < 0.5


# A plain model ---------------------------------------------------------------------------------------------------

SMALL = [
    Sentence.from_forms(["Go", "on", "."], heads=[0, -1, 1], deprels=["root", "_", "punct"]),
    Sentence.from_forms(["We", "saw", "her", "duck"]),
]
WORDS = st.integers(1, 4)
ACTIONS = st.one_of(
    st.fixed_dictionaries({"do": st.just("head"), "word": WORDS, "head": st.one_of(st.none(), st.integers(0, 4))}),
    st.fixed_dictionaries(
        {"do": st.just("head"), "word": WORDS, "head": st.integers(0, 4), "deprel": st.sampled_from(["obj", "root"])}
    ),
    st.fixed_dictionaries({"do": st.just("upos"), "word": WORDS, "upos": st.sampled_from(["NOUN", "VERB", "_"])}),
    st.fixed_dictionaries({"do": st.just("deprel"), "word": WORDS, "deprel": st.sampled_from(["obj", "_"])}),
    st.fixed_dictionaries({"do": st.sampled_from(["confirm", "reopen"]), "word": WORDS}),
    st.fixed_dictionaries({"do": st.sampled_from(["confirm", "undo", "redo", "save", "restart"])}),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.integers(0, 1), ACTIONS), max_size=25))
def test_any_actions_in_any_order(tmp_path, steps):
    """Undo and redo walk through the states that there were; a restart or a save in between changes nothing."""
    path = tmp_path / "small.conllu"
    journal_of(path).unlink(missing_ok=True)
    write(SMALL, path)
    session = Session.open(path)
    past, future = [cells(session)], []
    try:
        for sentence, action in steps:
            if action["do"] == "restart":
                session.close()
                session = Session.open(path)
            elif action["do"] == "save":
                session.save()
                assert session.is_saved
            elif action["do"] in ("undo", "redo"):
                source = past[1:] if action["do"] == "undo" else future
                if not source:
                    with pytest.raises(UsageError, match="nothing to"):
                        getattr(session, action["do"])()
                elif action["do"] == "undo":
                    session.undo()
                    future.append(past.pop())
                else:
                    session.redo()
                    past.append(future.pop())
            else:
                try:
                    session.act({"sentence": sentence, **action})
                except UsageError:
                    pass
                else:
                    if cells(session) != past[-1]:
                        past.append(cells(session))
                        future.clear()
            assert cells(session) == past[-1]
            for state in session.states:
                assert np.count_nonzero(state.sentence.heads == 0) <= 1
            assert len(Document.open(path).sentences) == 2
        path.with_name("out.conllu").write_bytes(session.content())
        found = list(read(path.with_name("out.conllu")))
        assert [s.heads.tolist() for s in found] == [state.sentence.heads.tolist() for state in session.states]
    finally:
        session.close()


def test_the_journal_can_be_read_by_people(path):
    with Session.open(path) as session:
        session.act({"sentence": 0, "do": "head", "word": 1, "head": 2, "deprel": "obj"})
        session.undo()
    first, action, undo = map(json.loads, journal_of(path).read_text().splitlines())
    assert first["journal"] == "treewright annotate"
    assert action["do"] == "head"
    assert action["changes"][0][:2] == [1, "head"]
    assert undo == {"do": "undo"}
