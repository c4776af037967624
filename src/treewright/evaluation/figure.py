"""Reliability diagrams: what is stated against what is correct, as a picture (SVG)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from treewright.evaluation.reliability import Calibration, Subject

__all__ = ["draw_calibrations"]

_SIDE: Final = 150
_LEFT: Final = 34
_TOP: Final = 42
_BOTTOM: Final = 36
_GAP: Final = 24

_STYLE: Final = (
    "text{font:11px sans-serif;fill:#444;text-anchor:middle}.title{font-weight:bold}.end{text-anchor:end}"
    "line,rect{stroke:#ccc;fill:none}circle{fill:#3674b5;fill-opacity:.75}"
)


def draw_calibrations(calibrations: Mapping[Subject, Calibration]) -> str:
    """Draw a reliability diagram of each calibration, side by side.

    A point is a bin of the reliability table: to the right is the mean confidence, upwards the share that is correct,
    and its area grows with the number of cases.  On the diagonal both are equal.

    Examples
    --------
    >>> from treewright.evaluation import measure_calibrations
    >>> from treewright.treebank import Sentence
    >>> gold = Sentence.from_forms(["Trees", "grow"], heads=[2, 0])
    >>> system = gold.replace(misc=["Confidence=0.9", "Confidence=0.6"])
    >>> picture = draw_calibrations(measure_calibrations([gold], [system]))
    >>> picture.startswith("<svg xmlns="), picture.count("<circle"), "heads" in picture
    (True, 2, True)
    """
    shapes = [
        shape
        for place, (of, one) in enumerate(calibrations.items())
        for shape in _panel(of, one, _LEFT + place * (_SIDE + _GAP))
    ]
    width, height = _LEFT + len(calibrations) * (_SIDE + _GAP), _TOP + _SIDE + _BOTTOM
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{_STYLE}</style>'
    return "\n".join([head, *shapes, "</svg>"]) + "\n"


def _panel(of: Subject, one: Calibration, left: int) -> list[str]:
    """Draw one diagram."""
    middle, bottom = left + _SIDE // 2, _TOP + _SIDE
    shapes = [
        f'<text class="title" x="{middle}" y="16">{of}</text>',
        f'<text x="{middle}" y="32">ECE {one.ece:.3f}, by chance {one.ece_floor:.3f}</text>',
        f'<rect x="{left}" y="{_TOP}" width="{_SIDE}" height="{_SIDE}"/>',
        f'<line x1="{left}" y1="{bottom}" x2="{left + _SIDE}" y2="{_TOP}"/>',
        f'<text x="{middle}" y="{bottom + 30}">stated</text>',
    ]
    for value in (0, 0.5, 1):
        shapes.append(f'<text x="{left + value * _SIDE:g}" y="{bottom + 15}">{value:g}</text>')
        if left == _LEFT:
            shapes.append(f'<text class="end" x="{left - 5}" y="{bottom - value * _SIDE + 4:g}">{value:g}</text>')
    for group in one.bins:
        if group.confidence is not None and group.accuracy is not None:
            x, y = left + group.confidence * _SIDE, bottom - group.accuracy * _SIDE
            radius = 2 + 8 * math.sqrt(group.cases / one.cases)
            shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>')
    return shapes
