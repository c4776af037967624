"""``parse --model auto``: each paragraph by the model of its language."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from treewright.cli.languages import find_model_of, tasks_by_language
from treewright.dependency.parser import Parser
from treewright.parsing.languages import in_language
from treewright.treebank import read_string

ENGLISH = "The dog chased a cat. She planted a tree in the garden."
LITHUANIAN = "Šuo lojo visą naktį, ir kaimynai nebuvo labai patenkinti."
GERMAN = "Der Hund hat die ganze Nacht gebellt, und die Nachbarn waren nicht sehr froh."


@pytest.fixture(autouse=True)
def embedded(tmp_path, monkeypatch, text_parser):
    """Let there be two small models in the package, which differ in their language alone."""
    folder = tmp_path / "embedded"
    folder.mkdir()
    text_parser.save(folder / "en.tw")
    replace(text_parser, info={"name": "tiny-lt", "language": "lt"}).save(folder / "lt-small.tw")
    monkeypatch.setattr("treewright.model.embedded._FOLDER", folder)
    return folder


def languages_of(text):
    """List the language and the words of each sentence."""
    found = []
    for sentence in read_string(text):
        (language,) = (comment[-2:] for comment in sentence.comments if comment.startswith("# language = "))
        assert (sentence.heads >= 0).all()
        found.append((language, sentence.forms[0]))
    return found


def test_each_paragraph_has_the_model_of_its_language(run, monkeypatch):
    Path("mixed.txt").write_text(f"{ENGLISH}\n\n{LITHUANIAN}\n\n\n{ENGLISH}\n{ENGLISH}\n")
    opened, open_model = list[str](), Parser.open
    monkeypatch.setattr(Parser, "open", lambda name: opened.append(name) or open_model(name))
    outcome = run("parse", "mixed.txt", "--model", "auto")
    assert opened == ["en", "lt-small"], "each is opened once, when it is needed"
    assert (outcome.code, outcome.err) == (0, "")
    parts = [("en", "The"), ("en", "She")], [("lt", "Šuo")], [("en", "The"), ("en", "She")] * 2
    assert languages_of(outcome.out) == [pair for part in parts for pair in part]
    assert outcome.out.count("# newpar") == 3
    assert outcome.out.count("# newdoc") == 1


def test_a_line_each(run):
    text = f"{ENGLISH}\n{LITHUANIAN}\n"
    for format in ("lines", "tokens"):
        outcome = run("parse", "--from", format, "--model", "auto", stdin=text.encode())
        assert languages_of(outcome.out) == [("en", "The"), ("lt", "Šuo")]


def test_where_it_is_not_sure_the_text_around_it_decides(run):
    text = f"Rio Tinto.\n\n{LITHUANIAN}\n\n2024\n\nAida.\n\n{ENGLISH}\n\nTosca.\n"
    outcome = run("parse", "--model", "auto", stdin=text.encode())
    assert [language for language, _ in languages_of(outcome.out)] == ["lt", "lt", "lt", "lt", "en", "en", "en"]
    assert len(outcome.err.splitlines()) == 1
    assert outcome.err.startswith("<stdin>:1: not sure which language this is (Portuguese?): read as Lithuanian")
    assert run("parse", "--quiet", "--model", "auto", stdin=text.encode()).err == ""


def test_nothing_but_doubt_is_english(run):
    outcome = run("parse", "--model", "auto", "--text", "12:30")
    assert languages_of(outcome.out) == [("en", "12:30")]
    assert run("parse", "--model", "auto", "--text", "").out == ""


def test_a_language_without_a_model_stops_or_is_skipped(run):
    Path("mixed.txt").write_text(f"{ENGLISH}\n\n{GERMAN}\n\n{GERMAN}\n\n{LITHUANIAN}\n")
    outcome = run("parse", "mixed.txt", "--model", "auto", "--output", "out.conllu")
    assert outcome.fails_with("mixed.txt:3: this looks like German", "treewright models", "--on-error skip")
    assert not Path("out.conllu").exists()
    outcome = run("parse", "mixed.txt", "--model", "auto", "--on-error", "skip")
    assert [line.rpartition(" (")[2] for line in outcome.err.splitlines()] == ["paragraph skipped)"] * 2
    assert [language for language, _ in languages_of(outcome.out)] == ["en", "en", "lt"]


def test_what_does_not_go_together(run):
    Path("a.conllu").write_text("")
    assert run("parse", "a.conllu", "--model", "auto").fails_with("raw text", "name a model")
    for option in ("--rerank", "--resume", "--cluster"):
        assert run("parse", "--text", "x", "--model", "auto", option, "y").fails_with(option, "name a model")


def test_other_options_work_as_ever(run):
    text = f"{LITHUANIAN}\n\n{ENGLISH}\n"
    lines = run("parse", "--model", "auto", "--to", "json", "--k-best", "2", stdin=text.encode()).out.splitlines()
    assert [json.loads(line)["language"] for line in lines] == ["lt", "lt", "en", "en", "en", "en"]
    sort = ("--sort", "doubt", "--confidence")
    assert len(languages_of(run("parse", "--model", "auto", *sort, stdin=text.encode()).out)) == 3


def test_models_are_chosen_by_name_and_kind(embedded, text_parser):
    text_parser.save(embedded / "en-other.tw")
    text_parser.save(embedded / "sv.tw")  # which is English
    assert (find_model_of("en"), find_model_of("lt")) == ("en", "lt-small")
    assert find_model_of("sv") is None
    (embedded / "en.tw").unlink()
    assert find_model_of("en") == "en-other"


def test_tasks_travel_to_workers():
    task = pickle.loads(pickle.dumps(tasks_by_language({}, 1)))
    sentences = [*in_language(read_string("1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"), "en")]
    assert [tree.forms for tree in task(sentences)] == [["Go"]]
    assert list(task.tasks) == ["en"]
    assert len(task.identity) == 1
