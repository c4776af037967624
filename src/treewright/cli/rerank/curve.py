"""The score of a reranker after every round, as a table or as a picture in SVG."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np

from treewright.arrays import Floats
from treewright.files import atomic_output
from treewright.reranking import Candidates, LinearReranker, evaluate_choices

__all__ = ["line_chart", "write_curve"]

_WIDTH, _HEIGHT = 640, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 34, 40, 40
_STYLE = (
    "text{font:12px sans-serif}.title{font-size:14px}.end{text-anchor:end}.middle{text-anchor:middle}"
    "line{stroke:#ddd}.mark{stroke:#888;stroke-dasharray:4 3}polyline{fill:none;stroke:#1668a8;stroke-width:1.5}"
)
#: Points of a line at most; more could not be told apart.
_POINTS = 1200


def write_curve(path: Path, reranker: LinearReranker, candidates: Candidates, title: str) -> None:
    """Write the score of a model after every round, in the measure of the report."""
    scores = reranker.curve(candidates)
    if path.suffix == ".csv":
        text = "rounds,score\n" + "".join(f"{number},{score:.6f}\n" for number, score in enumerate(scores.tolist()))
    else:
        base = evaluate_choices(candidates, candidates.base()).base
        text = line_chart(scores, f"{title}: mean score after rounds", {"base model": base})
    with atomic_output(path) as stream:
        stream.write(text.encode())


def line_chart(values: Floats, title: str, marks: Mapping[str, float] | None = None, ticks: int = 5) -> str:
    """Draw values against their numbers, from 0 and on a logarithmic scale, as an SVG document.

    There must be a value.  Marks are values to be marked by a dashed line, by their names; ``ticks`` is how many
    numbers stand at the left.

    Examples
    --------
    >>> picture = line_chart(np.array([0.5, 0.7, 0.8]), "score", {"base": 0.5})
    >>> picture.startswith("<svg xmlns="), picture.count("<polyline"), ">base<" in picture
    (True, 1, True)
    """
    marks = marks or {}
    last = len(values) - 1
    low, high = min([float(values.min()), *marks.values()]), max([float(values.max()), *marks.values()])
    spread = (high - low) or 1.0

    def x(number: float) -> float:
        share = np.log1p(number) / np.log1p(last) if last else 0.5
        return round(float(_LEFT + share * (_WIDTH - _LEFT - _RIGHT)), 1)

    def y(value: float) -> float:
        return round(_HEIGHT - _BOTTOM - (value - low) / spread * (_HEIGHT - _TOP - _BOTTOM), 1)

    shapes = [f'<text class="title" x="{_LEFT}" y="22">{escape(title)}</text>']
    for value in np.linspace(low, high, ticks).tolist():
        shapes.append(_rule(y(value)))
        shapes.append(f'<text class="end" x="{_LEFT - 8}" y="{y(value) + 4}">{value:.4g}</text>')
    shapes += [
        f'<text class="middle" x="{x(number)}" y="{_HEIGHT - _BOTTOM + 20}">{number:,}</text>'
        for number in [0, *(10**power for power in range(len(str(last))) if 10**power <= last)]
    ]
    for name, value in marks.items():
        shapes.append(_rule(y(value), "mark"))
        shapes.append(f'<text class="end" x="{_WIDTH - _RIGHT}" y="{y(value) - 5}">{escape(name)}</text>')
    numbers = np.unique(np.expm1(np.linspace(0, np.log1p(last), _POINTS)).round().astype(np.int64))
    points = " ".join(f"{x(number)},{y(value)}" for number, value in zip(numbers, values[numbers], strict=True))
    shapes.append(f'<polyline points="{points}"/>')
    size = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{_STYLE}</style>'
    return "\n".join([head, *shapes, "</svg>"]) + "\n"


def _rule(height: float, kind: str = "") -> str:
    marked = f' class="{kind}"' if kind else ""
    return f'<line{marked} x1="{_LEFT}" y1="{height}" x2="{_WIDTH - _RIGHT}" y2="{height}"/>'
