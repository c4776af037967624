"""The house: which package may import which, and that nothing imports itself, on whatever detour.

Imports are read from the syntax trees, those within functions and for types alone included.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import treewright

ROOT = Path(treewright.__file__).parent

GROUND = {"arrays", "errors", "files", "kernels", "lazy", "options", "threads", "version"}
SCORING = GROUND | {"inference", "model", "treebank", "features"}
LEARNING = SCORING | {"execution", "learning"}
PARSING = LEARNING | {"evaluation", "parsing", "tagging", "tokenization"}

#: What each package or top-level module may import, beside itself: only what is below it.
ALLOWED = {
    "arrays": set(),
    "errors": set(),
    "kernels": set(),
    "lazy": set(),
    "threads": set(),
    "version": set(),
    "files": {"errors"},
    "options": {"errors"},
    "inference": GROUND,
    "torch": GROUND | {"inference"},
    "model": GROUND,
    "treebank": GROUND | {"inference"},
    "evaluation": GROUND | {"treebank"},
    "clustering": GROUND,
    "execution": GROUND,
    "features": SCORING,
    "neural": SCORING | {"execution", "learning", "tagging", "torch"},
    "learning": LEARNING,
    "tagging": LEARNING,
    "tokenization": LEARNING,
    "parsing": PARSING,
    "dependency": PARSING | {"neural"},
    "constituency": PARSING | {"dependency", "neural"},
    "reranking": PARSING,
    "integrations": PARSING | {"dependency"},
    "server": PARSING | {"constituency", "dependency"},
    "cli": PARSING | {"clustering", "constituency", "dependency", "neural", "reranking", "server", "treewright"},
    "treewright": PARSING | {"constituency", "dependency", "integrations", "reranking"},
    "__main__": {"cli"},
}


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_module(path): path for path in ROOT.rglob("*.py")}


def _imports(path: Path) -> set[str]:
    """Find the modules of the package that a module imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole in MODULES else str(node.module))
    return {name for name in found if name in MODULES}


IMPORTS = {name: _imports(path) for name, path in MODULES.items()}


def _package(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else parts[0]


def test_every_package_has_its_place():
    assert set(map(_package, MODULES)) == set(ALLOWED)


@pytest.mark.parametrize("package", ALLOWED)
def test_packages_import_only_what_is_below_them(package):
    wrong = {
        (module, imported)
        for module, all_imported in IMPORTS.items()
        for imported in all_imported
        if _package(module) == package and _package(imported) not in ALLOWED[package] | {package}
    }
    assert sorted(wrong) == []


def test_the_table_has_no_cycles():
    left = {package: set(below) for package, below in ALLOWED.items()}
    while left:
        lowest = {package for package, below in left.items() if not (below - {package}) & set(left)}
        assert lowest, f"a cycle among {sorted(left)}"
        left = {package: below for package, below in left.items() if package not in lowest}


def _reached(module: str) -> set[str]:
    """Find all that a module imports, and all that those import."""
    reached, new = set(), set(IMPORTS[module])
    while new:
        reached |= new
        new = set().union(*(IMPORTS[name] for name in new)) - reached
    return reached


def test_no_module_imports_itself_on_a_detour():
    assert sorted(module for module in MODULES if module in _reached(module)) == []


def test_parsing_imports_nothing_that_only_training_needs():
    code = "import sys, treewright.cli.parse, treewright.cli.parsing, treewright.dependency.parser; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    unneeded = {"learning", "evaluation", "clustering", "constituency", "reranking"}
    loaded = {name for name in done.stdout.split() if name in MODULES}
    assert not {name for name in loaded if _package(name) in unneeded or name.endswith(("training", "jackknife"))}
    rarely = {"treewright.inference." + name for name in ("bounds.branch_and_bound", "dual", "spanning")}
    assert not loaded & rarely
    assert "treewright.cli.train" not in loaded
