"""The documentation is true to the repository: links, the map of packages, the pages of the site."""

import importlib.util
import re
import sys
from importlib.machinery import SourceFileLoader

import pytest

from tests.paths import TESTS

ROOT = TESTS.parent
PAGES = sorted((ROOT / "docs").rglob("*.md"))


def load_script(name):
    path = ROOT / "scripts" / name
    loader = SourceFileLoader(name, str(path if path.exists() else path.with_suffix(".py")))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    sys.modules[name] = module  # where dataclasses look for it
    loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#:\s]+)[)#]", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_page_is_in_the_menu():
    listed = re.findall(r"([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(str(page.relative_to(ROOT / "docs")) for page in PAGES)


def test_the_picture_of_the_packages_is_up_to_date():
    """Made anew by scripts/docs."""
    assert (ROOT / "docs/packages.svg").read_text("utf-8") == load_script("draw_packages").draw()


def test_what_the_architecture_names_is_there():
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    package, homes = ROOT / "src/treewright", ("", "inference", "reranking", "constituency")
    for name in set(re.findall(r"`([a-z_]+(?:/[a-z_]+)+)", text)) - {
        "conllu",
        "scripts/draw_packages",
        "tests/test_imports",
    }:
        if not name.startswith(("scripts/", "tests/")):
            places = [package / home / name for home in homes]
            assert any(place.is_dir() or place.with_suffix(".py").is_file() for place in places), name
