"""The programs of the experiments: fingerprints of code, stores that several processes share, and raw text."""

import argparse
import gzip
import importlib.util
import json
import math
import multiprocessing
import sys
from pathlib import Path

import pytest

from tests.paths import DATA
from treewright import Sentence
from treewright.treebank import read, read_trees, simplify

EXPERIMENTS = Path(__file__).parents[1] / "experiments"
sys.path.append(str(EXPERIMENTS))

import common  # noqa: E402
import fingerprint  # noqa: E402
import raw_text  # noqa: E402

SCRIPT = '''
"""A script."""
import helper
from treewright.treebank import read

SEED = 1

def run(cell):
    """Run."""
    return helper.shared(cell) + SEED

def table():
    return "a table"
'''
HELPER = """
def shared(cell):
    return cell

def other():
    return 0
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Return a function that gives the fingerprint of ``run`` in a script, whose text and helper may be changed."""
    (tmp_path / "experiments").mkdir()
    monkeypatch.setattr(fingerprint, "FOLDER", tmp_path / "experiments")
    monkeypatch.setattr(fingerprint, "SOURCE", tmp_path / "src")
    treebank = tmp_path / "src" / "treewright" / "treebank"
    treebank.mkdir(parents=True)
    (treebank.parent / "__init__.py").touch()
    (treebank / "__init__.py").write_text("from treewright.treebank.reading import read\n")

    def compute(script=SCRIPT, helper=HELPER, package="def read(path): return path\n"):
        (treebank / "reading.py").write_text(package)
        (tmp_path / "experiments" / "helper.py").write_text(helper)
        path = tmp_path / "experiments" / "script.py"
        path.write_text(script)
        fingerprint._script.cache_clear()
        fingerprint._module_path.cache_clear()
        found = fingerprint.Program()
        found.follow(path, "run")
        return found.code

    return compute


def test_comments_docstrings_and_tables_are_no_part_of_a_program(program):
    same = SCRIPT.replace("Run.", "Run a cell.").replace("SEED = 1", "SEED  =  1  # a seed").replace("a table", "b")
    assert program() == program(script=same)
    assert program() == program(helper=HELPER.replace("return 0", "return 1"))


@pytest.mark.parametrize(
    "changed",
    [
        {"script": SCRIPT.replace("SEED = 1", "SEED = 2")},
        {"script": SCRIPT.replace("+ SEED", "- SEED")},
        {"helper": HELPER.replace("return cell", "return 2 * cell")},
    ],
)
def test_what_is_reached_is_part_of_a_program(program, changed):
    assert program() != program(**changed)


def test_modules_of_the_package_are_part_of_a_program_if_they_are_used(program):
    used = SCRIPT.replace("helper.shared(cell)", "read(cell)")
    before = program(script=used)
    assert ("src/treewright/treebank/reading.py", "") in before
    assert before != program(script=used, package="def read(path): return 2\n")
    assert program() == program(package="def read(path): return 2\n")


def test_fingerprints_are_those_of_the_code():
    digits = fingerprint.fingerprint(common.load_treebank)
    assert len(digits) == 12
    assert digits == fingerprint.fingerprint(common.load_treebank)
    assert digits != fingerprint.fingerprint(common.fit)
    assert len(fingerprint.fingerprint(common.pruner_of)) == 12  # through the cache around it


# Stores


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(common, "CACHE", tmp_path)
    monkeypatch.setattr(common, "PAUSE", 0.01)
    return tmp_path


def _store(**options):
    folder = common.CACHE / "tables"
    folder.mkdir(exist_ok=True)
    chosen = argparse.Namespace(**{"fresh": False, "stored": False, "share": True, "output": folder} | options)
    return common.Store("cells", chosen, common.fit)


def _cell(number):
    return common.Cell(None, {"number": number}, f"cell {number}", 1.0)


def test_results_of_another_program_are_not_used(cache, monkeypatch):
    _store()[_cell(1)] = {"validation": 1.0}
    assert _cell(1) in _store()
    monkeypatch.setattr(common, "fingerprint", lambda *_: "another")
    assert _cell(1) not in _store()


def test_the_program_is_among_the_settings(cache):
    store = _store()
    store[_cell(1)] = {"validation": 1.0}
    [line] = (cache / "cells.jsonl").read_text().split("\n")[1:]
    assert json.loads(line)["settings"] == {"number": 1, "program": store.program} == store.settings(_cell(1))


def test_a_store_survives_a_line_that_was_cut(cache):
    _store()[_cell(1)] = {"validation": 1.0}
    with (cache / "cells.jsonl").open("a") as file:
        file.write('\n{"settings": {"num')
    _store()[_cell(2)] = {"validation": 2.0}
    assert _store()[_cell(1)] == {"validation": 1.0}
    assert _store()[_cell(2)] == {"validation": 2.0}


def test_what_another_process_stores_is_seen_after_a_refresh(cache):
    one, other = _store(), _store()
    other[_cell(1)] = {"validation": 1.0}
    assert _cell(1) not in one
    one.refresh()
    assert _cell(1) in one


def test_fresh_stores_see_only_what_is_stored_after_them(cache):
    _store()[_cell(1)] = {"validation": 1.0}
    fresh = _store(fresh=True)
    assert _cell(1) not in fresh
    _store()[_cell(2)] = {"validation": 2.0}
    fresh.refresh()
    assert _cell(2) in fresh


def test_a_claimed_cell_is_not_claimed_again(cache):
    one, other = _store(), _store()
    with one.claim(_cell(1)) as is_mine, other.claim(_cell(1)) as is_others, other.claim(_cell(2)) as is_free:
        assert (is_mine, is_others, is_free) == (True, False, True)
    with other.claim(_cell(1)) as is_others:
        assert is_others


def test_a_stored_cell_is_not_claimed(cache):
    one, other = _store(), _store()
    one[_cell(1)] = {"validation": 1.0}
    with other.claim(_cell(1)) as is_mine:
        assert not is_mine


def test_nothing_is_computed_for_the_tables_of_what_is_stored(cache):
    with pytest.raises(SystemExit, match="nothing is stored"):
        common.compute([_cell(1)], _store(stored=True), lambda cell, say: {})
    _store()[_cell(1)] = {"validation": 1.0}
    common.compute([_cell(1), _cell(2)], _store(stored=True), lambda cell, say: pytest.fail("computed"))


def test_what_is_committed_beside_the_tables_is_not_computed_again(cache):
    store = _store()
    store[_cell(1)] = {"validation": 1.0, "correct": [3, 5]}
    common.save(store, "A table.", [{"validation": 1.0}], None)
    (cache / "cells.jsonl").unlink()  # a fresh clone has no cache
    assert _store()[_cell(1)] == {"validation": 1.0, "correct": [3, 5]}
    assert _cell(1) not in _store(fresh=True)
    _store()[_cell(2)] = {"validation": 2.0}
    _store().export()
    (cache / "cells.jsonl").unlink()
    assert all(_cell(number) in _store() for number in (1, 2))


def test_tables_are_of_one_program(cache, monkeypatch, capsys):
    _store()[_cell(1)] = {"validation": 1.0}
    first = _store().program
    monkeypatch.setattr(common, "fingerprint", lambda *_: "another")
    store = _store(stored=True)
    common.compute([_cell(1), _cell(2)], store, lambda cell, say: pytest.fail("computed"))
    assert first in capsys.readouterr().out
    assert _cell(1) in store
    store[_cell(2)] = {"validation": 2.0}
    store.program = "another"
    assert _cell(1) not in store
    store.export()
    (cache / "cells.jsonl").unlink()
    assert not any(_cell(number) in _store() for number in (1, 2))  # what another program has computed stays behind


def _compute_all(folder, barrier):
    common.CACHE, common.PAUSE = folder, 0.01
    cells, computed = [_cell(number) for number in range(20)], []

    def run(cell, say):
        computed.append(cell.settings["number"])
        if len(computed) == 1:
            barrier.wait(60)  # both processes are at a cell
        return {"validation": 0.0}

    store = _store()
    common.compute(cells, store, run)
    (folder / f"{computed[0]}.json").write_text(json.dumps([computed, [cell in store for cell in cells]]))


def test_two_processes_share_the_cells(tmp_path):
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(2)
    processes = [context.Process(target=_compute_all, args=(tmp_path, barrier)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    found = [json.loads(path.read_text()) for path in tmp_path.glob("*.json")]
    assert len(found) == 2
    assert sorted(number for computed, _ in found for number in computed) == list(range(20))
    assert all(all(stored) for _, stored in found)


def test_a_cell_is_not_claimed_before_the_one_it_needs(cache):
    store, second = _store(), common.Cell(None, {"number": 2}, "cell 2", 1.0, after=_cell(1))
    with store.claim(second) as is_mine:
        assert not is_mine
    _store()[_cell(1)] = {"validation": 1.0}
    with store.claim(second) as is_mine:
        assert is_mine


# Scripts


def _script(name):
    path = EXPERIMENTS / name / "run.py"
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ({0.1: 80.0, 1.0: 82.0, 10.0: 81.0}, None),
        ({0.1: 80.0, 1.0: 82.0, 10.0: 83.0}, 100.0),
        ({0.003: 83.0, 0.01: 82.0, 0.03: 81.0}, 0.001),
        ({0.003: 81.0, 0.01: 82.0, 0.03: 83.0}, 0.1),
        ({0.003: 81.0, 0.01: 82.0, 0.03: 83.0, 0.1: 84.0}, 0.3),
        ({None: 80.0}, None),
    ],
)
def test_c_beyond_the_edge(scores, expected):
    assert _script("matrix-tree").next_value(scores) == expected


def test_c_is_tried_until_the_best_is_no_edge(cache):
    matrix_tree, tried = _script("matrix-tree"), []
    treebank = common.Treebank("a/danish-x", [Sentence.from_forms(["Ja"])], [], [], True)
    options = argparse.Namespace(fresh=False, stored=False, share=False, epochs=1, patience=1, seed=1, output=cache)

    def run(cell, say):
        C = cell.settings["C"]
        tried.append(C)
        return {"validation": 80.0 if C is None else -abs(math.log10(C) - 2)}  # the best is 100

    matrix_tree.run_cell = run
    store = common.Store("matrix-tree", options, common.fit)
    cells = matrix_tree.compute(matrix_tree.plan([treebank], options), store, options)
    found = {cell.settings["C"] for cell in cells if cell.settings["learner"] == "log-linear"}
    assert found == {0.1, 1.0, 10.0, 100.0, 1000.0}
    assert len(tried) == len(cells)


def test_a_cell_of_branch_and_bound(monkeypatch):
    monkeypatch.syspath_prepend(str(EXPERIMENTS / "branch-and-bound"))
    branching, trees = _script("branch-and-bound"), list(read(DATA / "ewt.conllu"))
    treebank = common.make_treebank("ud/english-ewt", trees[5:45], trees[:5])
    options = argparse.Namespace(epochs=1, patience=1, seed=1, features=["siblings"], nodes=50, sentences=0)
    cells = branching.plan_treebank(treebank, options)
    found = {cell.settings["features"]: branching.run_cell(cell, lambda text, share: None) for cell in cells}
    assert set(found) == {branching.BASE, "+ all siblings", branching.ALL}
    for cell in found.values():
        assert len(cell["correct"]) == len(cell["certificate"]) == 5
        assert all(calls >= 1 for calls in cell["calls"])
        assert 0 < sum(cell["correct"]) <= sum(map(len, treebank.dev))
    assert set(found[branching.ALL]["pruning"]) == set(map(str, branching.HEADS))


def test_rounds_of_annotation(cache, monkeypatch):
    """Every system looks at as many arcs, from the same ones on; who follows suggestions learns whole trees."""
    monkeypatch.syspath_prepend(str(EXPERIMENTS / "annotation"))
    annotation, trees = _script("annotation"), list(read(DATA / "ewt.conllu"))
    treebank = common.make_treebank("ud/english-ewt", trees[4:], trees[:4])
    names = ["random sentences", "sentence entropy", "arc margin, suggestions followed"]
    options = argparse.Namespace(epochs=1, patience=1, seed=1, systems=names, shares=[0.5])
    options = argparse.Namespace(**vars(options), fresh=False, stored=False, share=False, output=cache)
    store = common.Store("annotation", options, annotation.Laboratory.run)
    cells = annotation.plan([treebank], options)
    common.compute(cells, store, annotation.Laboratory(store).run)
    results, longest = annotation.Results([treebank], cells, store), max(map(len, treebank.train))
    assert len(cells) == 1 + 2 * len(names)
    assert results.systems == names
    assert 0 < results.full(treebank) < 100
    for name in names:
        system, curve = annotation.simulation.SYSTEMS[name], results.curve(treebank, name)
        for annotated, corrected, las, share in curve:
            most = 100 * share + 100 * longest / treebank.words
            assert 100 * share - 0.2 <= annotated <= (100 * share + 0.2 if system.arcs and share > 0.01 else most)
            assert 0 < corrected <= annotated
            assert 0 < las < 100
        assert curve[0][:3] == results.curve(treebank, "random sentences")[0][:3]
    report = annotation.report(results)
    assert "98 % of the LAS of all arcs by 35 % of the arcs?" in report
    (cache / "annotation.jsonl").unlink()  # only the committed results are left, without weights
    store.export()
    again = common.Store("annotation", options, annotation.Laboratory.run)
    assert annotation.report(annotation.Results([treebank], cells, again)) == report


# Raw text


@pytest.mark.parametrize(
    ("token", "pieces"),
    [
        ("low-cost", "low - cost"),
        ("mother-in-law", "mother - in - law"),
        ("U.S.-based", "U.S. - based"),
        ("COVID-19", "COVID - 19"),
        ("1990-95", "1990 - 95"),
        ("non-profit", "non-profit"),
        ("Non-Profit", "Non-Profit"),
        ("co-editor-in-chief", "co-editor - in - chief"),
        ("e-mail", "e-mail"),
        ("career-wise", "career-wise"),
        ("713-853-3989", "713-853-3989"),
        ("1-800-238-5355", "1-800-238-5355"),
        ("2022-07-29", "2022-07-29"),
        ("people-ops@example.com", "people-ops@example.com"),
        ("//www.example.org/two-way", "//www.example.org/two-way"),
        (":-)", ":-)"),
        ("--", "--"),
        ("-", "-"),
        ("re-", "re-"),
        ("low", "low"),
    ],
)
def test_hyphens_are_split_as_in_ewt(token, pieces):
    assert raw_text.split_hyphens(token) == pieces.split()
    assert [part for piece in pieces.split() for part in raw_text.split_hyphens(piece)] == pieces.split()


@pytest.fixture
def texts(cache, monkeypatch):
    """Write two raw texts of one word a line, and make them those of the experiments."""
    monkeypatch.setattr(raw_text, "RAW", {"one.txt": 10, "two.txt": 40})
    for name, count in raw_text.RAW.items():
        (cache / name).write_text("".join(f"{name[:3]}-{number}\n" for number in range(count)))
    return cache


@pytest.mark.parametrize(
    ("tokens", "lines"), [(5, (5, 0)), (10, (10, 0)), (25, (5, 20)), (50, (10, 40)), (0, (10, 40))]
)
def test_raw_text_is_taken_evenly(texts, tokens, lines):
    with gzip.open(raw_text.prepare_text(texts, tokens), "rt") as file:
        found = file.read().splitlines()
    assert (sum(line.startswith("one - ") for line in found), sum(line.startswith("two - ") for line in found)) == lines


@pytest.fixture
def tag(monkeypatch):
    """The script of the TAG experiment; its modules have names that other experiments have, too."""
    monkeypatch.syspath_prepend(str(EXPERIMENTS / "tag"))
    for name in ("tables", "treebanks"):
        sys.modules.pop(name, None)
    yield _script("tag")
    for name in ("tables", "treebanks"):
        sys.modules.pop(name, None)


def test_cells_of_the_tag_experiment(tag):
    trees = [simplify(tree) for tree in read_trees(DATA / "craft.mrg")]
    small = tag.Trees("craft-const", trees[:20], trees[20:23], trees[23:28])
    options = argparse.Namespace(epochs=1, patience=1, seed=1, systems=["pcfg", "arc", "first, 1e-5", "second, 1e-5"])
    laboratory, cells = tag.Laboratory(), tag.plan([small], options)
    found = {key: laboratory.run(cell, lambda text, share: None) for key, cell in cells.items()}
    for system in options.systems[2:]:
        cell = found["craft-const", system]
        assert cell["coverage"] + cell["unseen"] <= 100
        assert cell["oracle"] > cell["F1"] > 0
        assert len(cell["brackets"]) == len(cell["heads"]) == 5
        assert 100 * sum(row[0] for row in cell["heads"]) / sum(row[1] for row in cell["heads"]) == cell["UAS"]
    stored = {key: json.loads(json.dumps(value)) for key, value in found.items()}
    report = tag.tables.report(stored, {small.name: small})
    assert "second order, α = 1e-5 against first order, α = 1e-5" in report
    assert report.index("CRAFT | PCFG") < report.index("Huang (2008)") < report.index("## Significance")
