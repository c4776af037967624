"""``treewright constituents parse``: constituent trees on the command line."""

import io
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.cli.constituents.conftest import CRAFT
from treewright.treebank import read_trees, simplify

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    from treewright import ConstituentOptions, train_constituents

    trees = list(read_trees(CRAFT))[:20]
    path = tmp_path_factory.mktemp("models") / "small.tw"
    options = ConstituentOptions(order="first", epochs=2, folds=2, bits=18, threads=1)
    train_constituents(trees, trees[:10], options, info={"language": "en"}).save(path)
    return path


def test_text_to_brackets_drawings_and_json(run, model):
    text = ("constituents", "parse", "--model", model, "--workers", 1, "--text", "The mice were fed a diet.")
    brackets = run(*text, "--to", "brackets").out
    assert brackets.count("\n") == 1
    assert brackets.startswith("(")
    assert "─" in run(*text, "--to", "tree").out
    about = json.loads(run(*text, "--to", "json").out)
    assert about == {"text": "The mice were fed a diet .", "tree": brackets.strip()}


def test_text_to_pictures(run, model):
    text = ("constituents", "parse", "--model", model, "--workers", 1, "--text", "The mice slept. They <b> woke.")
    root = ET.fromstring(run(*text, "--to", "svg").out)
    assert len(root.findall("{*}svg")) == 2
    assert [word.text for word in root.iter(f"{SVG}text") if word.get("class") == "word"][:3] == [
        "The",
        "mice",
        "slept",
    ]
    page = run(*text, "--k-best", 2, "--to", "html").out
    assert page.startswith("<!DOCTYPE html>")
    assert page.endswith("</html>\n")
    assert "<b>" not in page
    assert "tree 2, probability" in page
    assert run(*text, "--output", "mice.tex").code == 0
    assert Path("mice.tex").read_text().count(r"\begin{forest}") == 2
    assert run(*text, "--output", "mice.tsv").fails_with("mice.tsv cannot be written as .tsv")


def test_brackets_in_text_are_written_as_treebanks_write_them(run, model, craft, tmp_path):
    assert run("constituents", "grammar", craft, "--output", "pcfg.tw").code == 0
    for chosen in (model, "pcfg.tw"):
        done = run("constituents", "parse", "--text", "Mice (two) sleep :)", "--model", chosen)
        assert done.code == 0, done.err
        [tree] = read_trees(io.BytesIO(done.out.encode()))
        assert " ".join(tree.words) == "Mice -LRB- two -RRB- sleep :-RRB-"


def test_k_best(run, model):
    text = ("constituents", "parse", "--model", model, "--workers", 1, "--text", "The mice slept.", "--k-best", 3)
    lines = [json.loads(line) for line in run(*text, "--to", "json").out.splitlines()]
    assert [line["rank"] for line in lines] == [1, 2, 3]
    assert lines[0]["tree_p"] >= lines[1]["tree_p"] >= lines[2]["tree_p"]
    assert run(*text, "--to", "brackets").out.endswith("\n\n")
    assert "tree 2, probability" in run(*text, "--to", "tree").out


def test_tags_of_the_input_are_kept(run, model, craft):
    parsed = run("constituents", "parse", craft, "--model", model, "--workers", 2, "--keep-tags")
    found = [tree.tags for tree in read_trees(io.BytesIO(parsed.out.encode()))]
    assert found == [simplify(tree).tags for tree in read_trees(craft)]


def test_the_default_model_is_the_embedded_one(run):
    parse = ("constituents", "parse", "--text", "The dog sleeps.")
    assert (
        run(*parse).out
        == run(*parse, "--model", "en-constituents").out
        == "(S (NP (DT The) (NN dog)) (VP (VBZ sleeps)) (. .))\n"
    )


def test_bad_input(run, model, craft):
    assert run("constituents", "parse", "missing.txt").fails_with("missing.txt", "no such file")
    assert run("constituents", "parse", "--text", "Go", "--model", "nowhere").fails_with("no model 'nowhere'")
    assert run("constituents", "parse", "--text", "Go", "--model", "en").fails_with(
        "en is a model of dependencies; use: treewright parse --model en"
    )
    text = ("constituents", "parse", "--text", "Go", "--model", model)
    assert run(*text, "--keep-tags").fails_with("--keep-tags needs tags")
    missing = run("constituents", "train", "missing.mrg", "--dev", craft, "--output", "x.tw")
    assert missing.fails_with("missing.mrg", "no such file")
