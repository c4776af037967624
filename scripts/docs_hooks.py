"""Put what the documentation links to outside its folder into the site: results, experiments, sources.

Links in ``docs/`` are those of the repository, so that they work where its files are read; here ``../benchmarks/…``
becomes ``repository/benchmarks/…``, a page or a plain file of the site, and so on for the links of those pages.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
FOLDER = "repository"
LINK = re.compile(r"(?<=\]\()([^)#:\s]+)(?=[)#])")


def _source(uri: str) -> str:
    """Return the path in the repository of a page of the site."""
    return uri.removeprefix(f"{FOLDER}/") if uri.startswith(f"{FOLDER}/") else f"docs/{uri}"


def _uri(path: str) -> str:
    """Return the place in the site of a path in the repository."""
    return path.removeprefix("docs/") if path.startswith("docs/") else f"{FOLDER}/{path}"


def _targets(path: str) -> list[str]:
    """List the files of the repository that a page links to; a folder stands for its README."""
    text = (ROOT / path).read_text("utf-8")
    return [_target(path, link) for link in LINK.findall(text)]


def _target(path: str, link: str) -> str:
    target = os.path.normpath(os.path.join(os.path.dirname(path), link))
    return os.path.join(target, "README.md") if (ROOT / target).is_dir() else target


def on_files(files: Any, config: Any) -> Any:
    """Add what pages link to, and what those link to."""
    todo = [_source(file.src_uri) for file in files.documentation_pages()]
    seen = set(todo)
    while todo:
        for target in _targets(todo.pop()):
            if target in seen or target.startswith("docs/") or not (ROOT / target).is_file():
                continue
            seen.add(target)
            files.append(File.generated(config, _uri(target), abs_src_path=str(ROOT / target)))
            if target.endswith(".md"):
                todo.append(target)
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Turn links of the repository into links of the site."""
    here = _source(page.file.src_uri)

    def rewrite(match: re.Match[str]) -> str:
        return os.path.relpath(_uri(_target(here, match[1])), os.path.dirname(page.file.src_uri) or ".")

    return LINK.sub(rewrite, markdown)
