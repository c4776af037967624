"""Models of other packages: found without importing anything, and harmless where they are broken."""

import re
import subprocess
import sys
import tomllib
from functools import partial

import pytest

import treewright
from tests.distributions import install_models
from tests.paths import TESTS
from treewright.errors import ModelError, UsageError
from treewright.model import Model, embedded_models, find_model, read_catalogue

TEMPLATE = TESTS.parent / "examples/model-package"


@pytest.fixture
def install(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path / "site")
    return partial(install_models, tmp_path / "site")


def test_without_other_packages_there_are_the_embedded_models():
    models, faults = read_catalogue()
    assert {name: model.path for name, model in models.items() if not model.source} == embedded_models()
    assert "en" in models
    assert not [fault for fault in faults if fault.startswith("treewright-eo")]


@pytest.mark.parametrize("package", ["treewright_eo", "treewright_eo.deep.down"])
def test_models_of_a_package_have_names(install, package):
    folder = install("treewright-eo", package, ("eo", "eo-small"), package=package)
    models, faults = read_catalogue()
    assert faults == []
    assert models["eo"] == (folder / "eo.tw", "treewright-eo 1.2")
    assert models["eo-small"].path == find_model("eo-small") == folder / "eo-small.tw"
    assert "treewright_eo" not in sys.modules


def test_such_a_model_is_loaded_by_its_name(install, text_parser):
    folder = install("treewright-eo", "treewright_eo", ())
    text_parser.save(folder / "eo.tw")
    assert isinstance(treewright.load("eo"), treewright.Parser)
    assert treewright.Parser.open("eo").info["name"] == "tiny"


def test_embedded_names_win_and_then_the_alphabet(install):
    install("b-models", "b_models", ("en", "eo"), package="b_models")
    install("a-models", "a_models", ("eo", "fo"), package="a_models")
    models, faults = read_catalogue()
    assert (models["en"].source, models["eo"].source, models["fo"].source) == ("", "a-models 1.2", "a-models 1.2")
    assert find_model("en") == embedded_models()["en"]
    assert len(faults) == 2
    assert re.match(r"b-models 1\.2: 'en' is the name of a model of Treewright; this one is at .*en\.tw$", faults[0])
    assert "'eo' is the name of a model of a-models 1.2" in faults[1]


BROKEN = {
    "no_such_package": "no file",
    "treewright_eo": "no file",
    "json": "no file",
    "keyword": "no file",
    "treewright_eo:models": "must name a package",
    "treewright eo!": "",
    "..": "",
    "sys": "",
}


@pytest.mark.parametrize(("value", "reason"), BROKEN.items())
def test_a_broken_package_is_one_line_and_hides_no_other(install, value, reason):
    install("treewright-eo", value, ())
    install("treewright-fo", "treewright_fo", ("fo",), package="treewright_fo")
    models, faults = read_catalogue()
    assert [fault.startswith("treewright-eo 1.2: its models (") and reason in fault for fault in faults] == [True]
    assert {"en", "fo"} <= set(models)
    with pytest.raises(UsageError, match=r"there is no model 'eo': .* fo; treewright-eo 1\.2: its models"):
        find_model("eo")


def test_metadata_that_cannot_be_read_hide_no_embedded_model(monkeypatch):
    def fail(**_):
        raise OSError("the disk is on fire")

    monkeypatch.setattr("importlib.metadata.entry_points", fail)
    models, (fault,) = read_catalogue()
    assert set(models) == set(embedded_models())
    assert "the disk is on fire" in fault


def test_odd_names_of_files_are_no_names_of_models(install):
    install("treewright-eo", "treewright_eo", ("eo", "-rf", "a b"))
    models, faults = read_catalogue()
    assert set(models) - set(embedded_models()) == {"eo"}
    assert sum("cannot be the name of a model" in fault for fault in faults) == 2


def test_paths_are_no_names(install, tmp_path, monkeypatch):
    folder = install("treewright-eo", "treewright_eo")
    monkeypatch.chdir(tmp_path)
    for path in ("eo", "eo.tw", "other"):
        (tmp_path / path).write_bytes(b"")
    assert find_model("eo") == folder / "eo.tw"
    assert str(find_model("eo.tw")) == "eo.tw"
    assert str(find_model("other")) == "other"
    assert find_model(tmp_path / "eo") == tmp_path / "eo"
    with pytest.raises(UsageError, match="there is no model 'en\\.tw'"):
        find_model("en.tw")


def test_a_damaged_model_is_refused_like_any_other(install):
    (install("treewright-eo", "treewright_eo") / "eo.tw").write_bytes(b"\0" * 100)
    with pytest.raises(ModelError, match=r"eo\.tw: not a Treewright model"):
        Model.open("eo")


def test_listing_imports_nothing_heavy():
    program = (
        "import sys; from treewright.model.catalogue import read_catalogue; read_catalogue();"
        "print([name for name in ('numba', 'scipy', 'safetensors', 'torch') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_template_keeps_the_contract(install):
    about = tomllib.loads((TEMPLATE / "pyproject.toml").read_text())
    (value,) = about["project"]["entry-points"]["treewright.models"].values()
    assert (TEMPLATE / "src" / value / "__init__.py").is_file()
    assert about["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == [f"src/{value}"]
    install(about["project"]["name"], value, package=value, version=about["project"]["version"])
    assert read_catalogue().models["eo"].source == "treewright-models-eo 1.0"
