"""The tables and the figure."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
import common
import systems

#: What names a system within a table.
NAMED = ("system", "million words", "layers", "width", "factorization", "trees", "loss")


class Results:
    """What was found, by settings."""

    def __init__(self, cells, store, options) -> None:
        self._cells, self._store, self.options = cells, store, options
        self.done = [cell for cell in cells if cell in store]

    def __getitem__(self, cell):
        return self._store[cell]

    def find(self, **wanted):
        """Return the cells that are done and have these settings, those of few sentences first."""
        cells = [cell for cell in self.done if all(cell.settings.get(name) == one for name, one in wanted.items())]
        return sorted(cells, key=lambda cell: len(cell.treebank.train))

    @property
    def largest(self):
        """The largest number of training sentences."""
        return max((cell.settings["sentences"] for cell in self.done), default=0)

    def score(self, cell):
        """Return UAS and LAS of a cell."""
        return common.uas(self[cell]["correct"], cell.treebank.dev), self[cell]["LAS"]


def report(results):
    """Write all tables of which something is done."""
    sections = {
        "Learning curves: LAS by training sentences": curve_table(results),
        "Labelled sentences that raw text replaces": replaced_table(results),
        "Factorizations and losses": parts_table(results),
        "Raw text": text_table(results),
        "Sizes, and linear models": sizes_table(results),
    }
    lines = [
        "# Neural scores: results\n",
        "Written by `run.py`. EWT dev from gold tokens, all words, relations with subtypes; nothing else is gold.\n",
    ]
    for title, rows in sections.items():
        if rows:
            lines += [f"## {title}\n", common.markdown(rows), ""]
    return "\n".join(lines)


def curves(results):
    """Give the points of each system: training sentences and LAS."""
    found = {}
    for system in systems.SYSTEMS:
        cells = results.find(**systems.describe(system, results.options.text))
        if cells:
            found[system] = [(cell.settings["sentences"], results.score(cell)[1]) for cell in cells]
    return found


def curve_table(results):
    return [{"system": system, **{f"{n:,}": las for n, las in points}} for system, points in curves(results).items()]


def replaced_table(results):
    """Tell how many labelled sentences a network needs, by its raw text, for what it gets from more without."""
    found = curves(results)
    if "neural" not in found:
        return []
    rows, (sizes, scores) = [], zip(*found["neural"], strict=True)
    for system, points in found.items():
        for n, las in points:
            if system.startswith("neural +") and scores[0] <= las:
                needed = float(np.exp(np.interp(las, scores, np.log(sizes))))
                more = "more than " if las > scores[-1] else ""
                rows.append({"system": system, "sentences": n, "LAS": las, "without raw text": f"{more}{needed:,.0f}"})
    return rows


def parts_table(results):
    """Compare factorizations and losses; p is that of a sign test on labelled words against the first row."""
    named = systems.describe("neural + masked words", results.options.text)
    shape = {name: named[name] for name in ("system", "million words", "layers", "width")}
    cells = results.find(sentences=results.largest, **shape)
    rows = []
    for cell in cells:
        found, (uas, las) = results[cell], results.score(cell)
        row = {name: cell.settings[name] for name in ("factorization", "trees", "loss")}
        row |= {"UAS": uas, "LAS": las, "exact": found["exact"], f"arcs > {systems.LONG}": found["long"]}
        row["ECE of heads"] = "" if found["ECE"] is None else f"{found['ECE']:.4f}"
        rows.append(row | common.sign_test(found["labelled"], results[cells[0]]["labelled"]))
    return rows


def text_table(results):
    rows = []
    for system in ("neural", "neural + masked words"):
        for cell in results.find(system=system, sentences=results.largest, **systems.NEURAL):
            uas, las = results.score(cell)
            rows.append({"million words": f"{cell.settings['million words']:g}", "UAS": uas, "LAS": las})
    return rows


def sizes_table(results):
    """Compare accuracy and speed; the machine is that of the run."""
    rows = []
    for cell in results.find(sentences=results.largest):
        settings, (uas, las) = cell.settings, results.score(cell)
        if settings["system"].startswith("linear") or settings["system"].endswith("teacher"):
            shape = f"{settings['layers']} × {settings['width']}" if "layers" in settings else settings["factorization"]
            speed = round(results[cell]["words a second"])
            rows.append({"system": settings["system"], "": shape, "UAS": uas, "LAS": las, "words/s": speed})
    return rows


def rows_of(results):
    """List all cells for the table of numbers."""
    rows = []
    for cell in results.done:
        found = {name: one for name, one in results[cell].items() if name not in ("correct", "labelled")}
        rows.append(results._store.settings(cell) | found | {"UAS": results.score(cell)[0]})
    return rows


def draw(results, pyplot):
    """Draw the learning curves, and accuracy by speed."""
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.5))
    for system, points in curves(results).items():
        left.plot(*zip(*points, strict=True), marker=".", label=system)
    left.set(xscale="log", xlabel="training sentences", ylabel="LAS on dev")
    if left.lines:
        left.legend(fontsize=8)
    for row in sizes_table(results):
        right.plot(row["words/s"], row["LAS"], "o")
        right.annotate(f"{row['system']}, {row['']}", (row["words/s"], row["LAS"]), fontsize=7)
    right.set(xscale="log", xlabel="words/s, one thread", ylabel="LAS on dev")
    return figure
