"""The notebook of the documentation runs, cell by cell, and what it shows can be shown; Jupyter is not needed."""

import ast
import json

import pytest

from tests.paths import TESTS

NOTEBOOK = TESTS.parent / "docs" / "tutorial.ipynb"


def cells():
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run(source, names):
    """Run a cell, and return the value of the expression at its end, as a notebook does."""
    *body, last = ast.parse(source).body
    if not isinstance(last, ast.Expr):
        body, last = [*body, last], None
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def test_the_notebook_runs(capsys):
    pytest.importorskip("pandas")
    names, shown = {}, []
    for source in cells():
        value = run(source, names)
        html = value._repr_html_() if hasattr(value, "_repr_html_") else None
        shown.append(html or repr(value))
    assert sum("<svg" in one for one in shown) == 5
    assert sum("<table" in one for one in shown) == 2
    drawn = [one for one in shown if "<svg" in one]
    assert 'class="arc weak"' in drawn[1]
    assert drawn[2].count("tree 2, probability") == 1
    assert names["other"].heads[6] == 2 != names["doubtful"].heads[6]
    assert "sing" in drawn[4]
    assert "chased" in capsys.readouterr().out
    assert (names["folder"] / "trees.svg").read_text("utf-8").startswith("<svg")


def test_nothing_is_stored_in_it():
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)
