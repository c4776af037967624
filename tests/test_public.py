"""The public surface: what there is, and that importing it is quick."""

import importlib
import pkgutil
import subprocess
import sys

import pytest

import treewright

MODULES = ["treewright", *(module.name for module in pkgutil.walk_packages(treewright.__path__, "treewright."))]


def test_names_are_sorted_and_each_has_one_home():
    assert treewright.__all__ == sorted(treewright.__all__)
    assert len(set(treewright.__all__)) == len(treewright.__all__)
    assert set(treewright._HOMES) == set(treewright.__all__) - {"load", *treewright.errors.__all__}
    assert set(dir(treewright)) == {*treewright.__all__, "__version__"}


@pytest.mark.parametrize("name", treewright.__all__)
def test_every_name_is_there_and_documented(name):
    thing = getattr(treewright, name)
    assert thing.__name__ == name
    assert thing.__module__.startswith("treewright")
    assert thing.__doc__


def test_there_is_nothing_else():
    with pytest.raises(AttributeError, match="module 'treewright' has no attribute 'no_such_name'"):
        _ = treewright.no_such_name


def test_errors_are_caught_by_one_name():
    for name in ("CandidatesError", "ClusterError", "ExecutionError", "ModelError", "TreebankError", "UsageError"):
        assert issubclass(getattr(treewright, name), treewright.TreewrightError)


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("__main__")])
def test_every_module_has_what_it_lists(name):
    module = importlib.import_module(name)
    names = getattr(module, "__all__", [])
    assert len(set(names)) == len(names)
    assert [missing for missing in names if not hasattr(module, missing)] == []
    if name != "treewright":
        assert all(not listed.startswith("_") for listed in names)


def run(code):
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return result.stdout.strip()


def test_importing_loads_nothing_heavy():
    heavy = "{'numpy', 'numba', 'scipy', 'safetensors', 'typer', 'rich', 'pandas', 'spacy', 'nltk', 'conllu'}"
    assert run(f"import sys, treewright; print(sorted({heavy} & set(sys.modules)))") == "[]"
    code = "import sys; before = len(sys.modules); import treewright; print(len(sys.modules) - before)"
    assert int(run(code)) < 60  # about 30, and 20 ms


def test_the_version_is_that_of_the_distribution():
    from importlib.metadata import version

    assert treewright.__version__ == version("treewright")
