"""Fingerprints of programs: which code computes a result, so that no table mixes the results of two programs.

Of the scripts of the experiments only the definitions that are reached count, so that another table or title changes
nothing; of the package, whole modules.  Comments, docstrings and layout do not count.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent
SOURCE = FOLDER.parent / "src"


def fingerprint(*computed_by: Callable[..., object]) -> str:
    """Return 12 hexadecimal digits for all code that functions and classes of the scripts use."""
    program = Program()
    for entry in map(inspect.unwrap, computed_by):
        program.follow(Path(inspect.getfile(entry)).resolve(), entry.__qualname__.partition(".")[0])
    text = "\n".join(program.code[key] for key in sorted(program.code))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


class Program:
    """Definitions of scripts and modules of the package, with their code."""

    def __init__(self) -> None:
        self.code: dict[tuple[str, str], str] = {}
        self._seen: set[tuple[object, str]] = set()

    def follow(self, path: Path, name: str) -> None:
        """Add the definitions of a name at the top of a script, and all that they use."""
        if (path, name) in self._seen:
            return
        self._seen.add((path, name))
        script = _script(path)
        if name in script.imports:
            self._follow_import(path, script.imports[name])
        for node in script.definitions.get(name, ()):
            key = (_place(path), name)
            self.code[key] = self.code.get(key, "") + ast.unparse(node)
            for part in ast.walk(node):
                self._follow_part(path, script, part)

    def _follow_part(self, path: Path, script: _Script, part: ast.AST) -> None:
        if isinstance(part, ast.Name):
            self.follow(path, part.id)
        elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            found = script.imports.get(part.value.id)
            if found and not found.name:
                self._follow_import(path, _Import(found.module, part.attr))
        elif isinstance(part, ast.Import | ast.ImportFrom):
            for _, found in _imports(part):
                self._follow_import(path, found)

    def _follow_import(self, path: Path, found: _Import) -> None:
        if found.module.partition(".")[0] == "treewright":
            self._add_module(found)
            return
        for folder in (path.parent, FOLDER):
            script = folder / f"{found.module}.py"
            if found.name and script.exists():
                self.follow(script, found.name)
                return

    def _add_module(self, found: _Import) -> None:
        """Add the module that a name of the package comes from, and those that it imports."""
        if found in self._seen:
            return
        self._seen.add(found)
        if found.name and (inner := f"{found.module}.{found.name}") and _module_path(inner):
            self._add_module(_Import(inner, ""))
            return
        path = _module_path(found.module)
        if path is None:
            return
        script = _script(path)
        if path.name == "__init__.py" and found.name in script.imports:
            self._add_module(script.imports[found.name])
            return
        if path.name == "__init__.py" and not found.name and found.module == "treewright":
            return  # its names come from elsewhere, and what is used of them is followed
        key = (_place(path), "")
        if key in self.code:
            return
        self.code[key] = script.code
        for inner in script.imported:
            if inner.module.partition(".")[0] == "treewright":
                self._add_module(inner)


class _Import(NamedTuple):
    """A module, and a name in it; none if the module itself is imported."""

    module: str
    name: str


class _Script(NamedTuple):
    """What a file defines and imports at its top, all that it imports anywhere, and its code."""

    definitions: dict[str, list[ast.AST]]
    imports: dict[str, _Import]
    imported: list[_Import]
    code: str


@functools.cache
def _script(path: Path) -> _Script:
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        _drop_docstring(node)
    definitions: dict[str, list[ast.AST]] = {}
    for node in tree.body:
        for name in _bound(node):
            definitions.setdefault(name, []).append(node)
    pairs = [pair for node in ast.walk(tree) for pair in _imports(node)]
    return _Script(definitions, dict(pairs), [found for _, found in pairs], ast.unparse(tree))


def _drop_docstring(node: ast.AST) -> None:
    body = getattr(node, "body", None)
    if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
        value = body[0].value
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            body[0] = ast.Pass()


def _bound(node: ast.stmt) -> Iterator[str]:
    """List the names that a statement at the top of a file binds."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name))


def _imports(node: ast.AST) -> Iterator[tuple[str, _Import]]:
    """List what an import statement binds, and where it comes from."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0], _Import(alias.name, "")
    elif isinstance(node, ast.ImportFrom) and node.module:
        for alias in node.names:
            yield alias.asname or alias.name, _Import(node.module, alias.name)


@functools.cache
def _module_path(module: str) -> Path | None:
    base = SOURCE.joinpath(*module.split("."))
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.exists()), None)


def _place(path: Path) -> str:
    return path.relative_to(FOLDER.parent).as_posix()
