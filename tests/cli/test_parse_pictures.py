"""Trees drawn and tables written by commands: whole files, from one sentence or many."""

import csv
import io
import lzma
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.paths import DATA
from treewright.treebank import read
from treewright.treebank.conllu.table import plain_cell

EWT = DATA / "ewt.conllu"
TEXT = ("parse", "--text", "The dog sleeps. It dreams <b>.", "--model", "en-linear")


def texts_in(picture, kind):
    texts = ET.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")
    return [text.text for text in texts if kind in (text.get("class") or "")]


def test_svg_of_several_sentences_is_one_picture(run):
    picture = run(*TEXT, "--to", "svg").out
    assert picture.count("<?xml") == 0
    assert len(ET.fromstring(picture).findall("{*}svg")) == 2
    assert texts_in(picture, "form")[:4] == ["The", "dog", "sleeps", "."]
    assert "<b>" not in picture


def test_the_name_of_the_file_says_it(run):
    for name, begin in {
        "a.svg": "<svg ",
        "a.html": "<!DOCTYPE html>",
        "a.tex": r"\documentclass",
        "a.tsv": "sentence\tsent_id\ttree\tid\tform\t",
    }.items():
        assert run(*TEXT, "--output", name).code == 0
        assert Path(name).read_text("utf-8").startswith(begin)
    assert run(*TEXT, "--output", "a.svg.xz").code == 0
    assert lzma.decompress(Path("a.svg.xz").read_bytes()).startswith(b"<svg ")
    for name in ("a.pdf", "a.csv", "a.yaml"):
        assert run(*TEXT, "--output", name).fails_with(name)
    assert run(*TEXT, "--output", "a.png").fails_with("a.png", "--to", "svg, html, latex")
    assert run("tokenize", "--text", "Go.", "--output", "a.svg").fails_with("a.svg cannot be written as .svg")


def test_a_page_has_all_sentences_and_ends(run):
    page = run("parse", EWT, "--to", "html", "--workers", 2, "--model", "en-linear", "--confidence").out
    assert page.count("<svg ") == sum(1 for _ in read(EWT))
    assert page.count("<html") == page.count("</html>") == 1
    assert page.endswith("</html>\n")
    assert "errors expected" in page
    assert 'opacity="' in page


def test_k_best_trees_say_which_they_are(run):
    picture = run("parse", "--text", "I saw her duck.", "--k-best", 3, "--to", "svg", "--model", "en-linear").out
    captions = [
        t.text
        for t in ET.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")
        if "caption" in (t.get("class") or "")
    ]
    assert [caption.split(",")[0] for caption in captions] == ["tree 1", "tree 2", "tree 3"]


def rows(text):
    return list(csv.DictReader(io.StringIO(text, newline=""), dialect="excel-tab"))


@pytest.mark.usefixtures("short_shards")
def test_a_table_numbers_sentences_across_shards(run):
    found = rows(run("convert", EWT, "--to", "tsv").out)
    assert [plain_cell(row["form"]) for row in found] == [form for sentence in read(EWT) for form in sentence.forms]
    parsed = rows(run("parse", EWT, "--to", "tsv", "--workers", 2, "--model", "en-linear", "--confidence").out)
    assert [row["sentence"] for row in parsed] == [row["sentence"] for row in found]
    assert all(0 <= float(row["head_p"]) <= 1 for row in parsed)
    both = rows(run("parse", EWT, "--to", "tsv", "--model", "en-linear", "--k-best", 2).out)
    assert {(row["sentence"], row["tree"]) for row in both} >= {("1", "1"), ("1", "2"), ("2", "1")}
    assert int(both[-1]["sentence"]) == int(found[-1]["sentence"])


def test_nothing_in_is_a_file_all_the_same(run):
    ET.fromstring(run("parse", "--to", "svg", stdin=b"").out)
    assert run("parse", "--to", "tsv", stdin=b"").out.count("\n") == 1
    assert run("parse", "--to", "html", stdin=b"").out.endswith("</html>\n")


def test_treebanks_are_drawn_as_they_are(run):
    picture = run("convert", DATA / "nonprojective.conllu", "--to", "svg").out
    [sentence] = read(DATA / "nonprojective.conllu")
    assert texts_in(picture, "form") == sentence.forms
    assert run("convert", DATA / "trees.mrg", "--output", "trees.html").code == 0
    assert Path("trees.html").read_text("utf-8").count("<svg ") == 2
