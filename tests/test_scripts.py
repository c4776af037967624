"""What scripts do to data, on examples made by hand."""

import gzip
from types import SimpleNamespace

import numpy as np
import pytest

from tests.paths import DATA
from tests.test_documentation import load_script
from treewright.model import embedded_models
from treewright.model.container import read_manifest
from treewright.treebank import ConstituentTree, read


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        ("( (ROOT (S (NP-SBJ (NN Rain)) (VP (VBZ falls)))))", "(S (NP (NN Rain)) (VP (VBZ falls)))"),
        ("( (HEADING (NP (NML (NN cell) (NN cycle)) (NNS genes))))", "(NP (NN cell) (NN cycle) (NNS genes))"),
        ("( (CAPTION (CIT (NP (NN Figure))) (NP (CD 1))))", "(FRAG (NP (NN Figure)) (NP (CD 1)))"),
        ("( (ROOT (UH Yes)))", "(FRAG (UH Yes))"),
    ],
)
def test_what_one_treebank_alone_annotates_is_spliced(tree, expected):
    spliced = load_script("open_english_trees").spliced
    assert str(spliced(ConstituentTree.from_string(tree))) == expected


def test_languages_are_learned_from_treebanks(tmp_path, monkeypatch, capsys):
    script = load_script("learn_languages")
    for folder, name in (("ud/english-ewt", "ewt"), ("lithuanian", "alksnis")):
        (tmp_path / folder).mkdir(parents=True)
        for part in ("train", "dev"):
            (tmp_path / folder / f"{part}.conllu.gz").write_bytes(gzip.compress((DATA / f"{name}.conllu").read_bytes()))
    monkeypatch.setattr(script, "TREEBANKS", {"en": ["ud/english-ewt"], "lt": ["lithuanian"]})
    monkeypatch.setattr(script, "TABLE", tmp_path / "table.npz")
    script.main(tmp_path)
    with np.load(tmp_path / "table.npz") as arrays:
        assert arrays["languages"].tolist() == ["en", "lt"]
        rows = {word: script.hash_ngrams(word)[-1] for word in (" the", "ų")}
        english, lithuanian = arrays["scores"].T.astype(int)
        assert english[rows[" the"]] > 0 > lithuanian[rows[" the"]]
        assert lithuanian[rows["ų"]] > 0 > english[rows["ų"]]
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines()[3:6]] == ["en", "lt", "mean"]
    assert "MB/s" in out


@pytest.fixture
def build_models(tmp_path, monkeypatch):
    """The script, in an empty folder, with trainings that only note what they were asked for."""
    script = load_script("build-models")
    scores = {"grand-sibling": 71.0, "sibling": 72.5, "arc": 70.0}
    asked = []

    def train(name, given, treebank, output, *options):
        asked.append((name, *options))
        assert sum(1 for _ in read(treebank)) == (2 if "gold" in options else 3)
        kind = "nonprojective" if "nonprojective" in options else options[options.index("--factorization") + 1]
        output.write_bytes(b"model")
        one = {"LAS": scores.get(kind, 69.0), "UAS": 80.0}
        return {"command": f"treewright train {name}", "CPU seconds": 1234, "bytes": 5, "dev": one}

    monkeypatch.setattr(script, "train", train)
    monkeypatch.setattr(script, "SEARCH", tmp_path / "search.json")
    monkeypatch.setattr(script, "BUILT", tmp_path / "built.json")
    monkeypatch.setattr(script, "EMBEDDED", tmp_path)
    monkeypatch.setattr(script, "SEARCHED", 2)
    for name in ("lt", "af"):
        folder = tmp_path / script.RECIPES[name].folder
        folder.mkdir(parents=True)
        with gzip.open(folder / "train.conllu.gz", "wb") as file:
            file.write(b"".join(b"# n = %d\n1\tTrees\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n" % n for n in range(3)))
    return script, asked


def test_models_are_built_as_the_search_found_best_and_not_again(build_models, tmp_path):
    script, asked = build_models
    given = SimpleNamespace(data=tmp_path, again=False, threads="1")
    for _ in range(2):
        script.search("lt", given)
        script.build("lt", given)
    assert len(asked) == len(script.CANDIDATES) + 1
    assert asked[-1][:3] == ("lt", "--factorization", "sibling")
    script.build("af", given)  # nothing was searched
    assert asked[-1][:3] == ("af", "--factorization", "grand-sibling")
    given.again = True
    script.build("lt", given)
    assert len(asked) == len(script.CANDIDATES) + 3
    page = script.with_tables("Before.\n<!-- built -->\nold\n<!-- end -->\n<!-- search -->\n<!-- end -->\nAfter.\n")
    assert page.startswith("Before.\n<!-- built -->\n| |")
    assert page.endswith("<!-- end -->\nAfter.\n")
    assert "| lt | 71.00 | **72.50** | 70.00 | 69.00 |" in page
    assert page.index("| af | ") < page.index("| lt | ")
    assert "| 1,234 | 0.0 | – | – | – | – | 80.00 | 72.50 | – | – | – |" in page
    assert "old" not in page
    assert script.with_tables(page) == page


def test_every_embedded_model_says_whom_to_credit():
    credits = (DATA.parents[1] / "src/treewright/model/embedded/README.md").read_text("utf-8")
    for name, path in embedded_models().items():
        info = read_manifest(path)["info"]
        assert (info["name"], info["licence"]) == (name, "CC BY-SA 4.0")
        assert info["attribution"]
        assert f"| `{name}.tw` |" in credits
