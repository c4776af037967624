"""Simulated annotation: how good a parser gets by how many arcs, depending on which ones are looked at.

Usage: ``python experiments/annotation/run.py [--languages english portuguese …] [--sentences N] [--shares 0.05 0.35]``

Each cell is a round: treebank × system × share of the arcs that have been looked at.  The parser of the round before
chooses what is looked at next, and suggests trees around what is known; then one is learned anew.
"""

from __future__ import annotations

import functools
import itertools
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
import common
import simulation

FOLDER = Path(__file__).parent
TREEBANKS = ["ud/english-ewt", "ud/portuguese-bosque", "ud/lithuanian-alksnis"]

#: Which shares of the arcs are looked at, and how much of the LAS of all arcs is to be reached by how many (the claim).
SHARES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.5)
ENOUGH, CLAIMED = 0.98, 0.35

#: The system that learns from everything.
ALL = "all"


def plan(treebanks, options):
    """List the cells, each system's in the order of its rounds."""
    cells = []
    for treebank in sorted(treebanks, key=lambda treebank: treebank.words):
        cells.append(make_cell(treebank, ALL, 1.0, None, options))
        for system in options.systems or simulation.SYSTEMS:
            last = None
            for share in sorted({simulation.START, *(options.shares or SHARES)}):
                last = make_cell(treebank, system, share, last, options)
                cells.append(last)
    return cells


def make_cell(treebank, system, share, after, options):
    settings = common.common_settings(treebank, options.epochs or 5, options)
    earlier = [*after.settings["earlier"], after.settings["share"]] if after else []
    settings |= {"system": system, "share": share, "earlier": earlier}
    work = treebank.words * (1.0 if system == ALL else 0.3 + share)
    return common.Cell(treebank, settings, f"{treebank.title}, {system}, {100 * share:g} %", work, after)


class Laboratory:
    """Runs rounds, each from where the one before has ended."""

    def __init__(self, store):
        self.store = store

    def run(self, cell, say):
        """Look at more arcs, learn from all that are known, and count correct arcs on dev."""
        settings, bank = cell.settings, simulation.hidden(cell.treebank)
        if settings["system"] == ALL:
            weights = simulation.fit(bank, bank.sentences, settings, say)
            return {"annotated": bank.words, "corrected": bank.words, "correct": simulation.correct_arcs(bank, weights)}
        system = simulation.SYSTEMS[settings["system"]]
        known, before = self.known(cell.after, bank), cell.after and self.weights(cell.after, bank, say)
        budget = round(settings["share"] * bank.words)
        say("choosing", 0.01)
        chosen = simulation.choose(system, bank, before, known, budget, settings["seed"])
        corrected = simulation.count_corrections(bank, before, known, chosen)
        for i, places in chosen.items():
            known[i][places] = True
        weights = simulation.fit(bank, simulation.learned_from(system, bank, before, known), settings, say)
        self.store.keep(cell, weights)
        earlier = self.store[cell.after]["corrected"] if cell.after else 0
        return {
            "annotated": sum(int(one.sum()) for one in known),
            "corrected": earlier + corrected,
            "chosen": {str(i): places for i, places in chosen.items()},
            "correct": simulation.correct_arcs(bank, weights),
        }

    def known(self, cell, bank):
        """Return which words have been looked at when a round has ended."""
        known = [np.zeros(len(sentence), bool) for sentence in bank.sentences]
        while cell is not None:
            for i, places in self.store[cell]["chosen"].items():
                known[int(i)][places] = True
            cell = cell.after
        return known

    def weights(self, cell, bank, say):
        """Return what a round has learned; learn it once more if only its result was kept."""
        found = self.store.kept(cell)
        if found is None:
            before = cell.after and self.weights(cell.after, bank, say)
            system = simulation.SYSTEMS[cell.settings["system"]]
            sentences = simulation.learned_from(system, bank, before, self.known(cell, bank))
            found = simulation.fit(bank, sentences, cell.settings, say)
            self.store.keep(cell, found)
        return found


class Results:
    """The curves."""

    def __init__(self, treebanks, cells, store):
        self.treebanks, self.cells, self.store = treebanks, cells, store

    def full(self, treebank):
        """Return the LAS of all arcs."""
        [row] = self.curve(treebank, ALL)
        return row[2]

    def curve(self, treebank, system):
        """List the rounds: the percentages of arcs annotated and corrected, the LAS, and the share that was meant."""
        cells = [
            cell
            for cell in self.cells
            if cell.treebank is treebank and cell.settings["system"] == system and cell in self.store
        ]
        rows = []
        for cell in cells:
            found = self.store[cell]
            percentages = [100 * found[name] / treebank.words for name in ("annotated", "corrected")]
            rows.append((*percentages, common.uas(found["correct"], treebank.dev), cell.settings["share"]))
        return sorted(rows)

    @property
    def systems(self):
        """The systems that there are."""
        return [name for name in simulation.SYSTEMS if any(self.curve(bank, name) for bank in self.treebanks)]

    def enough(self, treebank, system):
        """Return which percentages of arcs are annotated, and corrected, when enough of the full LAS is reached."""
        goal, rows = ENOUGH * self.full(treebank), self.curve(treebank, system)
        for before, row in itertools.pairwise(rows):
            if before[2] < goal <= row[2]:
                part = (goal - before[2]) / (row[2] - before[2])
                return [a + part * (b - a) for a, b in zip(before[:2], row[:2], strict=True)]
        return None


def curve_table(results, treebank):
    """Give the LAS of each system by the share of arcs annotated."""
    shares = sorted({row[3] for system in results.systems for row in results.curve(treebank, system)})
    rows = []
    for system in results.systems:
        found = {share: las for _, _, las, share in results.curve(treebank, system)}
        rows.append({"system": system, **{f"{100 * share:g} %": found.get(share, "") for share in shares}})
    return rows


def claim_table(results):
    """Tell how many arcs each system needs for enough of the full LAS."""
    rows = []
    for treebank in results.treebanks:
        for system in results.systems:
            found = results.enough(treebank, system)
            row = {"treebank": treebank.title, "full LAS": results.full(treebank), "system": system}
            row["% annotated"] = "not reached" if found is None else found[0]
            row["of these % corrected"] = "" if found is None else found[1]
            row["holds"] = "yes" if found is not None and found[0] <= 100 * CLAIMED else "no"
            rows.append(row)
    return rows


def report(results):
    """Write all tables."""
    parts = [
        "# Simulated annotation: results\n",
        "Written by `run.py`. LAS on dev, all words, gold tags; arcs in percent of all training arcs.\n",
        common.markdown(common.treebank_table(results.treebanks)),
        f"\n## {100 * ENOUGH:g} % of the LAS of all arcs by {100 * CLAIMED:g} % of the arcs?\n",
        common.markdown(claim_table(results)),
    ]
    for treebank in results.treebanks:
        parts += [f"\n## {treebank.title}: LAS by arcs annotated, {results.full(treebank):.2f} by all\n"]
        parts += [common.markdown(curve_table(results, treebank))]
    return "\n".join([*parts, ""])


def draw(results, pyplot):
    """Draw LAS by arcs annotated, and by arcs corrected."""
    count = len(results.treebanks)
    figure, axes = pyplot.subplots(2, count, figsize=(4.5 * count, 7.5), squeeze=False, sharex="row")
    for column, treebank in enumerate(results.treebanks):
        goal = ENOUGH * results.full(treebank)
        for row, what in enumerate(("annotated", "corrected")):
            axis = axes[row][column]
            for system in results.systems:
                points = results.curve(treebank, system)
                axis.plot([one[row] for one in points], [one[2] for one in points], marker=".", label=system)
            axis.axhline(goal, color="black", linewidth=0.8, linestyle=":")
            axis.set(title=treebank.title if row == 0 else None, xlabel=f"% of arcs {what}", ylabel="LAS")
        axes[0][column].axvline(100 * CLAIMED, color="black", linewidth=0.8, linestyle=":")
    axes[0][0].legend(fontsize=7)
    return figure


def rows_of(results):
    """List all rounds for the table of numbers."""
    rows = []
    for cell in results.cells:
        if cell in results.store:
            row = results.store.settings(cell) | results.store[cell]
            row["LAS"] = common.uas(row.pop("correct"), cell.treebank.dev)
            rows.append({name: value for name, value in row.items() if name not in ("chosen", "earlier")})
    return rows


def main() -> None:
    parser = common.arguments(__doc__, FOLDER, "5")
    parser.add_argument("--systems", nargs="+", choices=list(simulation.SYSTEMS), help="(default: all)")
    parser.add_argument("--shares", nargs="+", type=float, help="of the arcs that are looked at, such as 0.05 0.35")
    options = parser.parse_args()
    treebanks = common.load_treebanks(options, TREEBANKS)
    store = common.Store("annotation", options, Laboratory.run)
    cells = plan(treebanks, options)
    common.compute(cells, store, Laboratory(store).run)
    results = Results(treebanks, cells, store)
    common.save(store, report(results), rows_of(results), functools.partial(draw, results))


if __name__ == "__main__":
    common.in_main(main)
