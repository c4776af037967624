"""Reranking: boosting, log-linear and hidden-variable models on open treebanks.

Collins and Koo (2005), Tables 1 to 4 and Figures 5 to 9, and Koo and Collins (2005), Table 1.

Usage: ``python experiments/reranking/run.py [--treebanks wsj-sample …] [--systems boost hidden …] [--stored]``

Each cell is one system on one treebank.  Its lists come from a base parser that has not seen the sentence: a PCFG for
brackets (and on the WSJ sample the parser by spines as well), a first-order dependency parser for dependencies.
Candidates with the same scored brackets count once, except in an ablation on the WSJ sample, ``wsj-duplicates``.  A
slice of the training lists chooses numbers of rounds, C and the weights of mixtures; the dev file is the test set.
"""

from __future__ import annotations

import argparse
import functools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import common
import figures
import systems
import tables
from corpora import TREEBANKS, load_corpus

FOLDER = Path(__file__).parent


def plan(corpora, options):
    """Give each pair of treebank and system its cell, the more telling first: the other losses on one treebank."""
    cells, first, others = {}, corpora[:1], corpora[1:]
    order = [(first, systems.MAIN | systems.LOSSES), (others, systems.MAIN), (others, systems.LOSSES)]
    for group, wanted in [*order, (corpora, systems.HIDDEN)]:
        for corpus in group:
            for system, work in wanted.items():
                if corpus.has_duplicates and system not in systems.DUPLICATES:
                    continue
                settings = corpus.settings | {"system": system} | choices(system)
                title = f"{corpus.title}: {system}"
                cells[corpus.name, system] = common.Cell(corpus, settings, title, work * corpus.words)
    wanted = {
        key: cell
        for key, cell in cells.items()
        if not options.systems or any(key[1].startswith(name) for name in options.systems)
    }
    return cells, wanted


def choices(system):
    """Give the settings that only some systems have."""
    kind = system.split()[0]
    if kind in systems.ROUNDS:
        patience = {"patience": systems.SELECTION_PATIENCE} if kind == "log-selection" else {}
        return {"rounds at most": systems.ROUNDS[kind]} | patience
    if kind == "log-linear":
        return {"C": list(systems.CS), "iterations": systems.ITERATIONS}
    if kind == "perceptron":
        return {"alpha": list(systems.ALPHAS), "epochs": list(systems.EPOCHS)}
    if kind == "hidden" and system.endswith(" cg"):
        return {"C": systems.DESCENT["C"], "iterations": systems.CG_ITERATIONS, "patience": systems.CG_PATIENCE}
    if kind == "hidden":
        return systems.DESCENT | {"epochs": systems.HIDDEN_EPOCHS, "patience": systems.HIDDEN_PATIENCE}
    if system in (*systems.MIXTURES, "tuning"):
        return {"by": "likelihood", "of": choices("boost") | choices("hidden") | choices("log-linear")}
    return {}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=common.DATA, help="where the treebanks are (../shared/data)")
    parser.add_argument("--treebanks", nargs="+", choices=TREEBANKS, default=list(TREEBANKS), help="which treebanks")
    parser.add_argument("--systems", nargs="+", help="only systems whose names begin so, such as boost hidden mix")
    parser.add_argument("--sentences", type=int, default=0, help="training sentences of each treebank")
    parser.add_argument("--dev", type=int, default=0, help="sentences of each dev file")
    parser.add_argument("--output", type=Path, default=FOLDER, help="where the results go (default: beside the script)")
    common.add_store_arguments(parser)
    options = parser.parse_args()
    if options.share:
        parser.error("mixtures need the scores of other systems: run the treebanks in processes of their own instead")
    return options


def main() -> None:
    options = parse_arguments()
    corpora = [corpus for name in options.treebanks if (corpus := load_corpus(options, name)) is not None]
    if not corpora:
        raise SystemExit("nothing to do: none of the treebanks is there")
    cells, wanted = plan(corpora, options)
    store = common.Store("reranking", options, systems.Laboratory, load_corpus)
    common.compute(list(wanted.values()), store, systems.Laboratory(cells, store, options.data).run)
    found = {key: store[cell] for key, cell in cells.items() if cell in store}
    rows = [store.settings(cells[key]) | tables.plain(found[key]) for key in found]
    draw = functools.partial(figures.draw, found)
    common.save(store, tables.report(found, corpora), rows, draw)


if __name__ == "__main__":
    common.in_main(main)
