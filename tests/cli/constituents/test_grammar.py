"""``treewright constituents grammar``: trees in, a PCFG out."""

import json

from treewright.constituency.pcfg import Pcfg

TREES = "(S (NP (PRP I)) (VP (MD ca) (RB n't) (VP (VB sleep))) (. .))\n"


def test_the_model_knows_its_name_and_how_to_tokenize(run, tmp_path):
    (tmp_path / "train.mrg").write_text(TREES)
    about = ("--language", "en", "--treebank", "Examples", "--licence", "CC0")
    made = run("constituents", "grammar", "train.mrg", "--output", "small.tw", "--vertical", 1, *about)
    assert made.code == 0, made.err
    info = json.loads(run("info", "small.tw", "--json").out)
    assert (info["name"], info["language"], info["treebank"], info["licence"]) == ("small", "en", "Examples", "CC0")
    assert info["trained on"] == {"sentences": 1, "words": 5}
    assert (info["options"]["vertical"], info["options"]["empty"]) == (1, "penn")
    assert "language" in run("info", "small.tw").out
    assert [str(tree) for tree in Pcfg.open("small.tw").parse("I can't sleep.")] == [TREES.strip()]
    parsed = run("constituents", "parse", "--model", "small.tw", "--text", "I can't sleep.", "--workers", 1)
    assert parsed.out == TREES
