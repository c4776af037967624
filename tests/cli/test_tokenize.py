"""``treewright tokenize``: text in, sentences and words out."""

import json

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
