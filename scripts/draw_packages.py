"""Draw the packages and what each imports, from the source itself: ``python scripts/draw_packages.py FILE.svg``.

A package stands above all that it imports.  Only the arrows that say something are drawn: not those to the ground
floor, which everything may import, and not those that follow from others.
"""

from __future__ import annotations

import argparse
import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "treewright"
GROUND = ("arrays", "errors", "files", "kernels", "lazy", "options", "threads", "version")
WIDTH, HEIGHT, GAP, RISE, MARGIN = 112, 34, 24, 74, 20


def imports() -> dict[str, set[str]]:
    """Find which packages each package imports, lazily or not."""
    found: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if name in ("__init__", "__main__"):
            continue
        below = found.setdefault(name, set())
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            if module.startswith("treewright."):
                below.add(module.split(".")[1])
            elif module == "treewright":
                below |= {alias.name for alias in node.names}
    return {name: (below & set(found)) - {name} for name, below in found.items()}


def levels(below: dict[str, set[str]]) -> dict[str, int]:
    """Put each package one floor above the highest that it imports."""
    level: dict[str, int] = {}

    def find(name: str) -> int:
        if name not in level:
            level[name] = 1 + max((find(other) for other in below[name]), default=-1)
        return level[name]

    for name in below:
        find(name)
    return level


def needed(below: dict[str, set[str]]) -> list[tuple[str, str]]:
    """List the imports that do not follow from others."""

    def reached(name: str) -> set[str]:
        return below[name].union(*(reached(other) for other in below[name]))

    return [
        (name, other)
        for name in below
        for other in sorted(below[name])
        if not any(other in reached(between) for between in below[name] - {other})
    ]


def draw() -> str:
    """Draw the picture as SVG."""
    below = {name: others - set(GROUND) for name, others in imports().items() if name not in GROUND}
    level = levels(below)
    floors = [sorted(name for name in level if level[name] == floor) for floor in range(max(level.values()) + 1)]
    width = 2 * MARGIN + max(len(floor) for floor in floors) * (WIDTH + GAP) - GAP
    height = 2 * MARGIN + len(floors) * RISE + HEIGHT
    place = {}
    for floor, names in enumerate(floors):
        start = (width - len(names) * (WIDTH + GAP) + GAP) / 2
        for number, name in enumerate(names):
            place[name] = start + number * (WIDTH + GAP), height - MARGIN - HEIGHT - (floor + 1) * RISE
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="14">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#789"/></marker></defs>',
    ]
    for name, other in needed(below):
        (x, y), (to_x, to_y) = place[name], place[other]
        lines.append(
            f'<line x1="{x + WIDTH / 2:.0f}" y1="{y + HEIGHT:.0f}" x2="{to_x + WIDTH / 2:.0f}" y2="{to_y:.0f}" '
            'stroke="#789" marker-end="url(#tip)"/>'
        )
    lines += [_box(name, *place[name], WIDTH) for name in sorted(place)]
    lines.append(_box(", ".join(GROUND), MARGIN, height - MARGIN - HEIGHT, width - 2 * MARGIN))
    return "\n".join([*lines, "</svg>", ""])


def _box(text: str, x: float, y: float, width: float) -> str:
    return (
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{HEIGHT}" rx="5" fill="#e8f3f1" stroke="#2a7f77"/>'
        f'<text x="{x + width / 2:.0f}" y="{y + HEIGHT / 2 + 5:.0f}" text-anchor="middle" fill="#123">{text}</text>'
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", type=Path, default=Path("docs/packages.svg"))
    parser.parse_args().output.write_text(draw(), "utf-8")
