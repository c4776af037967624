from __future__ import annotations

import gzip
import json
import os

import pytest

import treewright
from tests.paths import DATA
from treewright.files import open_input
from treewright.treebank import read, read_string

EWT = DATA / "ewt.conllu"
#: Columns of CoNLL-U that a parser fills in.
PARSED = {2, 3, 4, 5, 6, 7}


def test_text_becomes_conllu(run):
    outcome = run("parse", "--text", "The dog sleeps. It dreams.")
    first, second = read_string(outcome.out)
    assert outcome.code == 0
    assert first.text == "The dog sleeps."
    assert first.heads.tolist() == [2, 3, 0, 3]
    assert second.forms == ["It", "dreams", "."]


def test_standard_input_is_read_when_nothing_is_given(run):
    assert [s.text for s in read_string(run("parse", stdin=b"One tree.\n\nTwo trees.\n").out)] == [
        "One tree.",
        "Two trees.",
    ]
    assert [s.text for s in read_string(run("parse", "-", stdin=b"One tree.").out)] == ["One tree."]


def test_everything_else_in_a_treebank_passes_through(run):
    outcome = run("parse", EWT, "--workers", 2)
    before, after = EWT.read_text().splitlines(), outcome.out.splitlines()
    assert len(before) == len(after)
    changed = False
    for old, new in zip(before, after, strict=True):
        if old.partition("\t")[0].isdigit():
            pairs = list(zip(old.split("\t"), new.split("\t"), strict=True))
            assert all(a == b for column, (a, b) in enumerate(pairs) if column not in PARSED)
            changed = changed or old != new
        else:
            assert old == new
    assert changed, "a parser that never differs from the gold standard has not been run"


def test_keep_tags_keeps_them(run):
    gold = list(read(EWT))
    own = read_string(run("parse", EWT).out)
    kept = read_string(run("parse", EWT, "--keep-tags").out)
    assert [list(s.xpos) for s in kept] == [list(s.xpos) for s in gold]
    assert [list(s.xpos) for s in own] != [list(s.xpos) for s in gold]


def test_several_files_keep_their_order(run, tmp_path):
    (tmp_path / "a.txt").write_text("A first.")
    with gzip.open(tmp_path / "b.txt.gz", "wt") as file:
        file.write("Then a second.")
    texts = [sentence.text for sentence in read_string(run("parse", "b.txt.gz", "a.txt").out)]
    assert texts == ["Then a second.", "A first."]


def test_workers_change_nothing(run):
    assert run("parse", EWT, "--workers", 1).out == run("parse", EWT, "--workers", 3).out


def test_json_has_one_object_a_line(run):
    lines = run("parse", "--text", "Don't panic. Breathe.", "--to", "json").out.splitlines()
    first, second = map(json.loads, lines)
    assert first["text"] == "Don't panic."
    assert first["tokens"] == [{"words": "1-2", "form": "Don't"}]
    assert [word["form"] for word in first["words"]] == ["Do", "n't", "panic", "."]
    assert {"id": 1, "form": "Breathe", "upos": "VERB", "head": 0}.items() <= second["words"][0].items()
    assert second["words"][0]["misc"] == "SpaceAfter=No"


def test_trees_are_drawn(run):
    picture = run("parse", "--text", "The dog sleeps.", "--to", "tree").out
    assert picture.startswith("The dog sleeps.\n")
    assert all(word in picture for word in ("dog", "nsubj", "►"))


def test_output_goes_to_a_file(run, tmp_path):
    outcome = run("parse", "--text", "A tree.", "--output", "out.conllu.gz")
    assert outcome.code == 0
    assert not outcome.out
    assert "Parsed 1 sentence (" in outcome.err
    assert [s.text for s in read(tmp_path / "out.conllu.gz")] == ["A tree."]


@pytest.mark.parametrize(("name", "start"), [("x.json", "{"), ("x.JSONL.gz", "{"), ("x.conll", "1\t"), ("x", "# text")])
def test_the_name_of_the_output_says_its_format(run, tmp_path, name, start):
    assert run("parse", "--text", "Go", "--output", name, "-q").code == 0
    with open_input(tmp_path / name) as file:
        assert file.read().decode().startswith(start)


@pytest.mark.parametrize("suffix", ["pdf", "csv", "mrg", "xml.gz"])
def test_a_name_that_says_something_else_is_refused(run, tmp_path, suffix):
    assert run("parse", "--text", "Go", "--output", f"x.{suffix}").fails_with(f"x.{suffix}", "--to", "conllu")
    assert run("parse", "--text", "Go", "--output", f"x.{suffix}", "--to", "json", "-q").code == 0


def test_lines_and_tokens(run, tmp_path):
    (tmp_path / "a.txt").write_text("The dog barks. It sleeps\nDon't .\n")
    lines = read_string(run("parse", "a.txt", "--from", "lines").out)
    assert [sentence.text for sentence in lines] == ["The dog barks. It sleeps", "Don't ."]
    assert lines[1].forms == ["Do", "n't", "."]
    assert [s.forms[0] for s in read_string(run("parse", "a.txt", "--from", "tokens").out)] == ["The", "Don't"]
    assert run("parse", "a.txt", "--from", "tokens", "--keep-tags").fails_with("--keep-tags")


def test_sentences_of_files_have_names_and_paragraphs(run, tmp_path):
    (tmp_path / "a.txt").write_text("One tree. Two.\n\nThree.\n")
    comments = [[c for c in s.comments if "text" not in c] for s in read_string(run("parse", "a.txt").out)]
    assert comments == [
        ["# newdoc id = a", "# newpar", "# sent_id = a-1"],
        ["# sent_id = a-2"],
        ["# newpar", "# sent_id = a-3"],
    ]
    first, _, third = map(json.loads, run("parse", "a.txt", "--to", "json").out.splitlines())
    assert (first["newdoc_id"], first["newpar"], third["sent_id"]) == ("a", True, "a-3")
    assert "sent_id" not in run("parse", stdin=b"One tree.").out


def test_a_text_in_another_language_is_pointed_out_once(run):
    german = (
        "Der Hund hat die ganze Nacht gebellt, und wir haben uns auf der Straße nicht sehr über ihn gefreut. " * 40
    ).encode()
    outcome = run("parse", stdin=german)
    assert outcome.err.count("This looks like German, and is read as English") == len(outcome.err.splitlines()) == 1
    assert run("parse", "--quiet", stdin=german).err == ""
    assert run("tokenize", "--language", "de", stdin=german).err == ""
    assert run("parse", stdin=b"Der Hund bellt.").err == ""


def test_empty_input_is_fine(run):
    assert run("parse", stdin=b"").out == ""
    assert run("parse", "--text", "").out == ""
    assert run("parse", "--from", "conllu", stdin=b"").out == ""
    assert run("parse", "--from", "conllu", stdin=b"# only a comment\n").out == "# only a comment\n"


@pytest.mark.parametrize("name", sorted(p.name for p in (DATA / "bad").glob("*.conllu")))
def test_a_bad_file_is_one_line_and_no_output(run, name, tmp_path):
    outcome = run("parse", DATA / "bad" / name, "--output", "out.conllu")
    assert outcome.fails_with(f"{name}:")
    assert os.listdir(tmp_path) == []


def test_skipping_counts_and_says_so(run):
    good = "1\tGo\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    bad = "1\tGo\n\n"
    outcome = run("parse", "--from", "conllu", "--on-error", "skip", stdin=(good + bad + good).encode())
    assert outcome.code == 0
    assert len(read_string(outcome.out)) == 2
    assert "<stdin>:3:" in outcome.err
    assert "skipped 1 malformed" in outcome.err


@pytest.mark.parametrize("model", ["en-constituents", "nowhere"])
def test_a_model_that_cannot_be_used_is_refused_before_anything_is_compiled(run, monkeypatch, model):
    monkeypatch.setattr("treewright.kernels.are_compiled", lambda task: False)
    assert run("parse", "--text", "Go", "--model", model).fails_with(model)


def test_bad_requests_are_one_line(run, tmp_path):
    assert run("parse", "nowhere.txt").fails_with("nowhere.txt")
    assert run("parse", tmp_path).fails_with(str(tmp_path))
    assert run("parse", "--model", "xx", "--text", "a").fails_with("no model 'xx'", "en")
    assert run("parse", "--model", EWT, "--text", "a").fails_with("not a Treewright model")
    assert run("parse", "--text", "a", EWT).fails_with("either files or --text")
    assert run("parse", "--text", "a", "--keep-tags").fails_with("--keep-tags")
    assert run("parse", "--text", "a", "--output", "no/such/folder").fails_with("no/such/folder")
    assert run("parse", "--to", "xml").fails_with("xml", "--help", code=2)
    assert run("parse", "--workers", "many").fails_with("--workers", "integer", code=2)
    assert run("prase").fails_with("prase", code=2)
    assert run("parse", stdin=b"ok\n\xc3\xa9 \xff\xfe broken").fails_with("<stdin>:2:3: byte 0xff is not UTF-8")


def test_too_long_a_sentence_is_one_line(run):
    lines = "".join(f"{i}\tword\t_\t_\t_\t_\t_\t_\t_\t_\n" for i in range(1, 1502))
    assert run("parse", "--from", "conllu", stdin=lines.encode()).fails_with("1,501 words")


def test_a_text_without_sentence_ends_is_parsed_in_pieces(run):
    sentences = read_string(run("parse", stdin=b"word " * 1_200).out)
    assert sum(map(len, sentences)) == 1_200
    assert max(map(len, sentences)) <= 500


def test_help_has_examples(run):
    for command in ("parse", "train", "evaluate", "info", "models"):
        outcome = run(command, "--help")
        assert outcome.code == 0
        assert f"treewright {command}" in outcome.out
    assert "parse" in run("--help").out
    assert run("--version").out == f"treewright {treewright.__version__}\n"
