"""``treewright constituents train``: trees in, a model out."""

import json

from treewright.treebank import read_trees, simplify


def test_train_parse_evaluate(run, craft, tmp_path):
    few, trees = tmp_path / "few.mrg", list(read_trees(craft))[:20]
    few.write_text("".join(f"{tree}\n" for tree in trees))
    options = ("--epochs", 2, "--folds", 2, "--order", "first", "--threads", 1)
    trained = run("constituents", "train", few, "--dev", few, "--output", "my.tw", *options)
    assert trained.code == 0, trained.err
    assert "Saved my.tw" in trained.err
    parsed = run("constituents", "parse", few, "--model", "my.tw", "--output", "out.mrg", "--workers", 1)
    assert parsed.code == 0, parsed.err
    gold = [simplify(tree).words for tree in trees]
    assert [tree.words for tree in read_trees(tmp_path / "out.mrg")] == gold
    scored = run("constituents", "evaluate", few, "out.mrg", "--json")
    assert json.loads(scored.out)["all"]["brackets"]["f1"] > 80


def test_malformed_trees_are_named_or_skipped(run, craft, tmp_path):
    bad = tmp_path / "bad.mrg"
    bad.write_text("(S (NP (NN a)) (VP (VB b)))\n(S (NP (NN c))))\n(S (NP (NN d)) (VP (VB e)))\n")
    failed = run("constituents", "train", bad, "--dev", craft, "--output", "x.tw")
    assert failed.fails_with("bad.mrg", ":2")
    assert not (tmp_path / "x.tw").exists()


def test_a_tagger_that_cannot_tag_the_trees_is_refused(run, craft, tmp_path, gold_parser):
    gold_parser.save(tmp_path / "gold.tw")
    options = ("constituents", "train", craft, "--dev", craft, "--output", "x.tw", "--tagger")
    assert run(*options, "gold.tw").fails_with("gold.tw has no tagger of XPOS")
    assert run(*options, "nowhere.tw").fails_with("nowhere.tw")
    assert run(*options, "en", "--tags", "gold").fails_with("--tagger predicts tags")
    assert run(*options, "en", "--scorer", "neural").fails_with("a network predicts tags by itself")
    assert not (tmp_path / "x.tw").exists()


def test_a_network_is_trained_saved_and_goes_on_from_checkpoints(run, craft, tmp_path):
    options = ("--scorer", "neural", "--width", "16", "--layers", "1", "--heads", "2", "--epochs", "1")
    command = ("constituents", "train", craft, "--dev", craft, "--output", "n.tw", "--calibrate", "none", *options)
    assert run(*command, "--resume", "kept").code == 0
    before = (tmp_path / "n.tw").read_bytes()
    assert list((tmp_path / "kept").iterdir())
    assert run(*command, "--resume", "kept").code == 0
    assert (tmp_path / "n.tw").read_bytes() == before
    assert run("constituents", "parse", "--text", "The dog sleeps.", "--model", "n.tw").code == 0
