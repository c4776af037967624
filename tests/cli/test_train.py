from __future__ import annotations

import json
import os
import re

import pytest

import treewright
from tests.paths import DATA
from treewright.treebank import read_string

EWT = DATA / "ewt.conllu"
QUICK = ("--factorization", "arc", "--epochs", 2, "--folds", 2)


def test_a_trained_model_parses(run, tmp_path):
    outcome = run("train", EWT, "--dev", EWT, "--output", "my.tw", "--language", "en", *QUICK)
    assert outcome.code == 0, outcome.err
    assert re.search(r"epoch +1 .*dev LAS [\d.]+  UAS [\d.]+", outcome.err)
    assert re.search(r"Saved my.tw \([\d.]+ MB\), epoch [12]: dev LAS", outcome.err)
    [sentence] = read_string(run("parse", "--model", "my.tw", "--text", "The dog sleeps.").out)
    assert sorted(sentence.heads)[0] == 0
    about = json.loads(run("info", "my.tw", "--json").out)
    assert about["name"] == "my"
    assert about["options"]["learner"] == "mira"
    assert set(about["dev"]) == {"LAS", "UAS", "UPOS", "XPOS", "FEATS", "LEMMAS"}
    assert "LAS" in run("info", "my.tw").out


def test_parts_are_learned_anew_and_the_rest_stays(run):
    without = ("--without", "tokenizer,lemmas", "--language", "en")
    assert run("train", EWT, "--dev", EWT, "--output", "old.tw", *without, *QUICK).code == 0
    outcome = run("train", EWT, "--dev", EWT, "--output", "new.tw", "--only", "tokenizer,lemmas", "--base", "old.tw")
    assert outcome.code == 0, outcome.err
    old, new = treewright.load("old.tw"), treewright.load("new.tw")
    assert (old.tokenizer, "lemmas" in old.tagger.names) == (None, False)
    assert (new.tokenizer.language, "lemmas" in new.tagger.names) == ("en", True)
    assert new.info["name"] == "new"
    assert new.info["options"] == old.info["options"]
    assert new.info["dev"]["LAS"] == old.info["dev"]["LAS"]
    assert new.info["dev"]["LEMMAS"] > 90
    sentence = treewright.Sentence.from_forms(["Dogs", "bark", "."])
    [one], [other] = old.parse([sentence]), new.parse([sentence])
    assert (list(one.lemmas), "_" in other.lemmas) == (["_"] * 3, False)
    for name in ("upos", "xpos", "feats", "heads", "deprels"):
        assert list(getattr(one, name)) == list(getattr(other, name))


def test_parts_and_their_model_belong_together(run):
    for options in (("--only", "tokenizer"), ("--base", "en")):
        outcome = run("train", EWT, "--dev", EWT, "--output", "new.tw", *options)
        assert outcome.fails_with("--only and --base belong together")
    for options in (("--scorer", "neural"), ("--silver", EWT)):
        outcome = run("train", EWT, "--dev", EWT, "--output", "new.tw", "--only", "lemmas", "--base", "en", *options)
        assert outcome.fails_with("--only learns from the treebank: leave out --scorer")
    assert run("train", EWT, "--dev", EWT, "--output", "gold.tw", "--tags", "gold", *QUICK).code == 0
    outcome = run("train", EWT, "--dev", EWT, "--output", "new.tw", "--only", "lemmas", "--base", "gold.tw")
    assert outcome.fails_with("was trained on gold tags")


@pytest.mark.parametrize(
    "options",
    [
        ("--tags", "gold", "--trees", "nonprojective", "--roots", "multi"),
        ("--tags", "gold", "--learner", "perceptron"),
    ],
)
def test_options_reach_the_model(run, options):
    assert run("train", EWT, "--dev", EWT, "--output", "my.tw", *QUICK, *options).code == 0
    parser = treewright.load("my.tw")
    trained = parser.info["options"]
    for name, value in zip(options[::2], options[1::2], strict=True):
        assert trained[name.removeprefix("--")] == value
    assert parser.trees.projective == (trained["trees"] == "projective")
    assert parser.trees.single_root == (trained["roots"] == "single")
    assert run("parse", "--model", "my.tw", "--text", "No tagger.").fails_with("no tagger", "--keep-tags")
    assert run("parse", "--model", "my.tw", EWT, "--keep-tags").code == 0


def test_what_cannot_be_learned_from_is_one_line(run, tmp_path):
    (tmp_path / "empty.conllu").write_text("")
    (tmp_path / "bare.conllu").write_text("1\tGo\t_\t_\t_\t_\t_\t_\t_\t_\n\n")

    def train(treebank, dev, output="my.tw", *options):
        return run("train", treebank, "--dev", dev, "--output", output, *options)

    assert train("empty.conllu", EWT).fails_with("training treebank has no sentences")
    assert train(EWT, "empty.conllu").fails_with("dev treebank has no sentences")
    assert train("bare.conllu", EWT).fails_with("no word of the training treebank has a head")
    assert train(EWT, "bare.conllu").fails_with("without heads")
    assert train("none.conllu", EWT).fails_with("none.conllu")
    assert train(EWT, EWT, "no/such/my.tw").fails_with("no folder")
    assert train(EWT, EWT, tmp_path).fails_with("directory")
    assert train(EWT, EWT, "my.tw", "--folds", 500).fails_with("500 folds")
    assert train(EWT, EWT, "my.tw", "--epochs", 0).fails_with("--epochs", code=2)
    assert run("train", EWT).fails_with("--dev", code=2)
    assert sorted(os.listdir(tmp_path)) == ["bare.conllu", "empty.conllu"]


def test_a_missing_file_is_named_before_anything_is_compiled(run, monkeypatch):
    monkeypatch.setattr("treewright.kernels.are_compiled", lambda task: False)
    assert run("train", "none.conllu", "--dev", EWT, "--output", "my.tw").fails_with("none.conllu")
    assert run("train", EWT, "--dev", "none.conllu", "--output", "my.tw").fails_with("none.conllu")


def interrupt(monkeypatch, epoch):
    """Press Ctrl-C at the first example of an epoch."""
    from treewright.learning import Run

    original = Run.examples

    def interrupted(self, problem, **options):
        for index in original(self, problem, **options):
            if len(self.finished) + 1 == epoch:
                raise KeyboardInterrupt
            yield index

    monkeypatch.setattr(Run, "examples", interrupted)


def test_interrupting_keeps_the_best_model_so_far(run, monkeypatch):
    interrupt(monkeypatch, 3)
    outcome = run("train", EWT, "--dev", EWT, "--output", "my.tw", "--tags", "gold", *QUICK, "--epochs", 9)
    assert outcome.code == 0
    assert treewright.load("my.tw").info["epoch"] in (1, 2)


@pytest.mark.parametrize(
    "options", [("--factorization", "arc"), ("--factorization", "sibling")], ids=["parser", "pruner"]
)
def test_interrupting_before_anything_is_learned_writes_nothing(run, monkeypatch, tmp_path, options):
    interrupt(monkeypatch, 1)
    outcome = run("train", EWT, "--dev", EWT, "--output", "my.tw", "--tags", "gold", *options)
    assert outcome.fails_with("interrupted", code=130)
    assert os.listdir(tmp_path) == []


def test_higher_order_training_says_what_it_does(run):
    options = ("--factorization", "grand-sibling", "--without", "third-order", "--learner", "max-margin", "--C", 0.05)
    outcome = run("train", EWT, "--dev", EWT, "--output", "my.tw", "--tags", "gold", "--epochs", 1, *options)
    assert outcome.code == 0, outcome.err
    assert re.search(r"pruning leaves [\d.]+ % of arcs, [\d.]+ heads a word.* for [\d.]+ % of words", outcome.err)
    assert re.search(r"epoch +1  loss [\d.]+  dual -?[\d.]+  primal [\d.]+  dev LAS", outcome.err)
    parser = treewright.load("my.tw")
    assert parser.trees.factorization == "grand-sibling"
    assert parser.scorer.features.settings.grand_sibling == []
    assert 0 < parser.pruner.stages[0].beam <= 1
    assert {"C": 0.05, "without": ["third-order"], "learner": "max-margin"}.items() <= parser.info["options"].items()


def test_training_that_cannot_be_is_one_line(run, tmp_path):
    roots = "1\ta\t_\tX\t_\t_\t0\tdep\t_\t_\n2\tb\t_\tX\t_\t_\t0\tdep\t_\t_\n\n"
    (tmp_path / "roots.conllu").write_text(roots)

    def train(treebank, *options):
        return run("train", treebank, "--dev", EWT, "--output", "my.tw", "--epochs", 1, *options)

    assert train("roots.conllu", "--learner", "log-linear").fails_with("sentence 1", "several roots", "--roots multi")
    assert train("roots.conllu", "--learner", "max-margin").fails_with("several roots", "max-margin")
    assert train(EWT, "--trees", "nonprojective", "--factorization", "carreras").fails_with("grand-sibling")
    assert train(EWT, "--non-local", "cousins").fails_with("cousins", "great-grandchildren")
    assert train(EWT, "--factorization", "fourth").fails_with("fourth", code=2)
    assert train(EWT, "--beam", 2).fails_with("--beam", code=2)
    assert train(EWT, "--C", 0).fails_with("--C", code=2)
    assert train(EWT, "--optimizer", "adam").fails_with("adam", code=2)
    assert train(EWT, "--optimizer", "cg").fails_with("mira", "--optimizer cg", "--learner log-linear")
    assert train(EWT, "--language", "german").fails_with("'german' is not an ISO 639 code", "German is de")


def test_clusters_from_a_file(run, tmp_path):
    (tmp_path / "en.paths").write_text("0000\tthe\t9\n0001\ta\t8\n111\tdog\t3\n")
    outcome = run("train", EWT, "--dev", EWT, "--output", "c.tw", "--tags", "none", "--clusters", "en.paths", *QUICK)
    assert outcome.code == 0, outcome.err
    assert treewright.load("c.tw").scorer.features.lexicon.clusters["dog"] == "111"
    assert "3 words in 3 clusters" in run("info", "c.tw").out
    assert run("parse", "--model", "c.tw", "--text", "The dog sleeps.").code == 0


def test_bad_clusters_are_one_line(run, tmp_path):
    (tmp_path / "bad.paths").write_text("0000\tthe\t9\n0201\ta\t8\n")
    (tmp_path / "none.paths").write_text("")

    def train(clusters):
        return run("train", EWT, "--dev", EWT, "--output", "c.tw", "--clusters", clusters)

    assert train("bad.paths").fails_with("bad.paths:2", "0 and 1")
    assert train("none.paths").fails_with("no clusters")
    assert train("missing.paths").fails_with("no such file")
    assert not (tmp_path / "c.tw").exists()


def test_clusters_of_another_language_are_refused(run, tmp_path):
    german = "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an"
    (tmp_path / "de.paths").write_text(
        "".join(f"{number:05b}\t{word}\t9\n" for number, word in enumerate(german.split()))
    )
    train = ("train", EWT, "--dev", EWT, "--output", "c.tw", "--clusters", "de.paths")
    assert run(*train).fails_with("de.paths has clusters of German, and the treebank is English")
    assert run(*train, "--language", "fr").fails_with("German", "French")


def test_raw_text_from_a_file(run, tmp_path):
    (tmp_path / "raw.txt").write_text("The dog barks .\nA cat sleeps on the mat .\n")
    (tmp_path / "none.txt").write_text("\n\n")

    def train(raw, *options):
        unlabeled = ("--tags", "none", "--unlabeled", raw, *QUICK)
        return run("train", EWT, "--dev", EWT, "--output", "u.tw", *unlabeled, *options)

    outcome = train("raw.txt", "--workers", 2)
    assert outcome.code == 0, outcome.err
    assert treewright.load("u.tw").scorer.features.generative is not None
    assert train("none.txt").fails_with("no sentences")
    assert train("missing.txt").fails_with("no such file")


def test_silver_trees_from_a_file(run, tmp_path):
    silver = "\n".join("\t".join([str(n), "gro", "_", "X", "_", "_", str(n - 1), "odd", "_", "_"]) for n in (1, 2, 3))
    (tmp_path / "silver.conllu").write_text(silver.replace("\t0\todd", "\t0\troot") + "\n\n")
    train = ("train", EWT, "--dev", EWT, "--output", "s.tw", "--tags", "gold", *QUICK)
    assert run(*train, "--silver", "silver.conllu").code == 0
    assert "odd" in treewright.load("s.tw").scorer.labels
    assert run(*train, "--silver", "missing.conllu").fails_with("no such file")
    assert run(*train, "--silver", "silver.conllu", "--scorer", "neural").fails_with("--silver")


def test_what_is_finished_of_raw_text_is_kept_until_all_is_done(run, tmp_path):
    (tmp_path / "raw.txt").write_text("The dog barks .\n")
    options = ("--tags", "none", "--unlabeled", "raw.txt", "--resume", "kept", *QUICK, "--epochs", 1)
    assert run("train", EWT, "--dev", tmp_path / "missing", "--output", "u.tw", *options).code != 0
    assert run("train", EWT, "--dev", EWT, "--output", "u.tw", *options).code == 0
    assert not (tmp_path / "kept").exists()
