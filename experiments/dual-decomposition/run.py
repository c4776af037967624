"""Non-projective head automata: Tables 1-3 and Figures 3 and 4 of Koo et al. (2010) on open treebanks.

Usage: ``python experiments/dual-decomposition/run.py [--languages danish dutch …] [--sentences N]``

For each treebank three models are trained with the averaged perceptron: MST (single arcs), Sib (siblings; with MIRA,
too) and G+S (grandparents and siblings), behind a pruner.  A slice of train chooses the number of epochs; the dev file
is the test set.  Then dev is parsed by dual decomposition in several ways, and a sample of it by linear and integer
programs.
"""

from __future__ import annotations

import functools
import itertools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import common
import figures
import models
import searches
import tables

FOLDER = Path(__file__).parent
TREEBANKS = [
    "dep-native/danish-ddt-native",
    "dep-native/dutch-alpino-native",
    "dep-native/ancient-greek-agdt",
    "ud/basque-bdt",
    "ud/portuguese-bosque",
    "ud/turkish-imst",
    "ud/english-ewt",
]
EPOCHS = 6
#: What is searched in a few ways only, because all of them would take hours.
HARD = [("dep-native/ancient-greek-agdt", "G+S")]
#: The words of a random problem, and how many problems.
RANDOM_WORDS, RANDOM_PROBLEMS = 10, 200


def plan(treebanks, options):
    """List all cells, those of a treebank together, the smallest first, and what to do for each, by its title."""
    cells, jobs = [], {}

    def add(treebank, settings, title, work, job, after=None):
        cells.append(common.Cell(treebank, settings, title, work, after))
        jobs[title] = functools.partial(job, cells[-1])
        return cells[-1]

    for name in searches.FACTORIZATIONS:
        settings = {"question": "random", "model": name, "problems": RANDOM_PROBLEMS, "words": RANDOM_WORDS}
        add(None, settings, f"Random problems, {name}", 100_000, draw_random)
    for treebank, learner in itertools.product(sorted(treebanks, key=lambda bank: bank.words), options.learners):
        whole = common.load_treebank(options.data, treebank.name) if learner == "MIRA-all" else treebank
        plan_treebank(whole, learner, options, add)
    return cells, jobs


def plan_treebank(treebank, learner, options, add):
    """Add the cells of a treebank; other learners than the first train Sib only, to see what certificates hang on."""
    epochs, is_first = options.epochs or EPOCHS, learner == options.learners[0]
    for name, (_, cost) in models.MODELS.items():
        if not is_first and name != "Sib":
            continue
        settings = models.settings_of(treebank, name, learner, epochs, options)
        title = f"{treebank.title} {name}, {learner}"
        model = add(treebank, settings, title, treebank.words * epochs * cost, train)
        if name == "MST":
            continue
        is_full = is_first and (treebank.name, name) not in HARD
        ways = searches.SEARCHES if is_full else {way: searches.SEARCHES[way] for way in searches.FEW}
        asked = {"question": "search", "ways": ways, "of": settings}
        add(treebank, asked, f"{title}, search", (10 if is_full else 2) * sum(map(len, treebank.dev)), search, model)
        if is_full:
            asked = {"question": "programs", "sample": options.sample, "limit": options.limit, "of": settings}
            add(treebank, asked, f"{title}, programs", 5_000 * (options.sample or len(treebank.dev)), solve, model)


def train(cell, store, say):
    return models.train_model(store, cell, say)


def search(cell, store, say):
    return searches.search(store, cell.after, cell.settings["ways"], say)


def solve(cell, store, say):
    return searches.solve_programs(store, cell.after, cell.settings["sample"], cell.settings["limit"], say)


def draw_random(cell, store, say):
    settings = cell.settings
    return searches.solve_random(settings["model"], settings["problems"], settings["words"], say)


def main() -> None:
    parser = common.arguments(__doc__, FOLDER, str(EPOCHS))
    parser.add_argument("--sample", type=int, default=200, help="dev sentences for the programs (default: 200; 0: all)")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds for each program (default: 30)")
    parser.add_argument("--learners", nargs="+", choices=models.LEARNERS, help="the first is for all models")
    options = parser.parse_args()
    # Without --sentences the last learner would be the one before it.
    options.learners = options.learners or list(models.LEARNERS)[: None if options.sentences else -1]
    treebanks = common.load_treebanks(options, TREEBANKS)
    cells, jobs = plan(treebanks, options)
    store = common.Store("dual-decomposition", options, train, search, solve, draw_random)
    common.compute(cells, store, lambda cell, say: jobs[cell.title](store, say))
    results = tables.Results(treebanks, options.learners, cells, store)
    common.save(store, tables.report(results), tables.csv_rows(results), functools.partial(figures.draw, results))


if __name__ == "__main__":
    common.in_main(main)
