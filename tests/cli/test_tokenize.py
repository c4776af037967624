"""``treewright tokenize``: text in, sentences and words out."""

import json
from dataclasses import replace

import pytest

from tests.paths import DATA
from treewright.treebank import read_string

TEXT = "Mr. Brown didn't sleep. Why?"


def test_words_in_columns_or_on_lines(run):
    first, second = read_string(run("tokenize", "--text", TEXT).out)
    assert first.forms == ["Mr.", "Brown", "did", "n't", "sleep", "."]
    assert (first.heads < 0).all()
    assert second.text == "Why?"
    assert run("tokenize", "--text", TEXT, "--to", "tokens").out == "Mr. Brown did n't sleep .\nWhy ?\n"
    assert run("tokenize", "--text", TEXT, "--to", "lines").out == "Mr. Brown didn't sleep.\nWhy?\n"
    assert [json.loads(line)["text"] for line in run("tokenize", "--to", "json", stdin=TEXT.encode()).out.splitlines()]


def test_languages_differ(run):
    text = "Der 3. Mai. Ende."
    assert run("tokenize", "--text", text, "--language", "de", "--to", "tokens").out == "Der 3. Mai .\nEnde .\n"
    assert run("tokenize", "--text", text, "--language", "en", "--to", "tokens").out.startswith("Der 3 .")


def test_files_become_documents(run, tmp_path):
    (tmp_path / "a.txt").write_text("One. Two.")
    (tmp_path / "b.txt").write_text("Three.")
    assert run("tokenize", "a.txt", "b.txt", "--output", "all.conllu").err == "Found 3 sentences (6 words).\n"
    comments = [line for line in (tmp_path / "all.conllu").read_text().splitlines() if "id = " in line]
    assert comments == [
        "# newdoc id = a",
        "# sent_id = a-1",
        "# sent_id = a-2",
        "# newdoc id = b",
        "# sent_id = b-1",
    ]


def test_treebanks_are_refused(run):
    assert run("tokenize", DATA / "ewt.conllu").fails_with("words are split already", "--from text")


def ranges_of(outcome):
    """List the ranges that were written, each with its form."""
    cells = [line.split("\t") for line in outcome.out.splitlines() if line[:1].isdigit()]
    found = [(one[1], one[9].rpartition("TokenRange=")[2]) for one in cells if "TokenRange=" in one[9]]
    return [(form, *map(int, place.split(":"))) for form, place in found]


STRANGE = "Don't\u200b go.\r\nWe\u2019re  caf\u00e9 \U0001f600!\r\n \r\n\tEnd\u2028"


@pytest.mark.parametrize("format", ["text", "lines", "tokens"])
def test_ranges_point_back_into_a_file(run, tmp_path, format):
    line = " long" * 100 + ("\n" if format == "tokens" else "")  # else a line is longer than what is read at a time
    text = STRANGE + line * 140 + "\n"
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbf" + text.encode())
    found = ranges_of(run("tokenize", "a.txt", "--from", format, "--ranges", "--to", "conllu"))
    assert len(found) > 14_004
    assert all(text[start:end] == form for form, start, end in found)
    assert [start for _, start, _ in found] == sorted({start for _, start, _ in found})


def test_trees_have_ranges(run):
    outcome = run("parse", "--ranges", stdin=STRANGE.encode())
    assert [(form, STRANGE[start:end]) for form, start, end in ranges_of(outcome)] == [
        (form, form) for form in ("Don't", "go", ".", "We\u2019re", "caf\u00e9", "\U0001f600", "!", "End")
    ]


def test_ranges_are_places_in_text(run):
    assert run("parse", DATA / "ewt.conllu", "--ranges").fails_with("--ranges are places in raw text")


def test_lines_and_paragraphs(run):
    text = b"One. Two\nthree.\n\nFour"
    assert run("tokenize", "--lines", "--to", "lines", stdin=text).out == "One. Two\nthree.\nFour\n"
    assert run("tokenize", "--paragraphs", "--to", "lines", stdin=text).out == "One.\nTwo three.\nFour\n"
    for other in (["--from", "tokens"], ["--paragraphs"]):
        assert run("tokenize", "--lines", *other, stdin=text).fails_with("--lines", other[0], "do not go together")


def test_as_a_model_does(run, tmp_path, text_parser, english):
    replace(text_parser, tokenizer=english).save(tmp_path / "my.tw")
    found = run("tokenize", "--model", "my.tw", "--text", TEXT, "--to", "tokens").out.splitlines()
    assert found == [" ".join(words for token in tokens for words in token.words) for tokens in english.split(TEXT)]
    assert run("tokenize", "--model", "my.tw", "--language", "en", "--text", TEXT).fails_with("leave out one")
