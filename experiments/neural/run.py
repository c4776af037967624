"""Neural scores beside linear ones: raw text, factorizations, losses and sizes.

Table 3 of Koo, Carreras and Collins (2008) once more: how many labelled sentences does raw text replace, if clusters,
generative models, masked words or teachers carry what it says?

Usage: ``python experiments/neural/run.py [--tables curve parts text sizes] [--sizes 1000 0] [--index FOLDER]``

Each cell is one training, from gold tokens and nothing else that is gold.  A slice of train chooses the epoch, or the
state of a network; the dev file is the test set.  Encoders and teachers are trained when a cell first needs them, and
kept.  Networks want a GPU; linear cells (``--systems linear``) do not, and the two can be run on different machines:
what both have stored goes into one table.
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
import common
import systems
import tables

FOLDER = Path(__file__).parent
TREEBANK = "ud/english-ewt"

#: Training sentences of the curve; 0 is all.
SIZES = (1000, 2000, 4000, 8000, 0)
#: Millions of words of raw text; 0 is none.
TEXTS = (0, 1, 9, 49)
#: Layers and width of encoders.
SHAPES = ((4, 256), (6, 256), (8, 384))
#: What is scored, of which trees, and learned by which loss: the first is what the others are compared with.
PARTS = (
    ("arc", "projective", "heads"),
    ("arc", "projective", "tree-crf"),
    ("arc", "projective", "hinge"),
    ("sibling", "projective", "tree-crf"),
    ("sibling", "projective", "hinge"),
    ("grand-sibling", "projective", "tree-crf"),
    ("grand-sibling", "projective", "hinge"),
    ("arc", "nonprojective", "heads"),
    ("arc", "nonprojective", "tree-crf"),
)
#: How long a cell takes, in any unit, for each word of the treebank.
WORK = {"linear": 4, "linear + clusters": 5, "linear + SS-SCM": 12, "neural": 2, "neural + masked words": 2}
TAUGHT = 8


def plan(treebanks, options):
    """List the cells of all tables that are wanted; a cell may be in several."""
    found = {}
    for table in options.tables:
        for settings, treebank in PLANS[table](treebanks, options):
            cell = make_cell(treebank, settings, options)
            if any(settings["system"].startswith(name) for name in options.systems or [""]):
                found.setdefault(common._name(cell.settings), cell)
    return list(found.values())


def make_cell(treebank, settings, options):
    """Name a training by its settings."""
    settings = common.common_settings(treebank, options.epochs or 25, options) | settings
    title = ", ".join(str(value) for name, value in settings.items() if name in tables.NAMED and value is not None)
    work = treebank.words * WORK.get(settings["system"], TAUGHT)
    return common.Cell(treebank, settings, f"{len(treebank.train):,} sentences, {title}", work)


def curve(treebanks, options):
    """List every system, with few sentences and with many."""
    for treebank in treebanks.values():
        for system in systems.SYSTEMS:
            yield systems.describe(system, options.text), treebank


def parts(treebanks, options):
    """List factorizations and losses, from the same encoder."""
    for factorization, trees, loss in PARTS:
        chosen = {"factorization": factorization, "trees": trees, "loss": loss}
        yield systems.describe("neural + masked words", options.text) | chosen, treebanks[0]


def text(treebanks, options):
    """List encoders of little text and of much."""
    for million in TEXTS:
        yield systems.describe("neural + masked words" if million else "neural", million), treebanks[0]


def sizes(treebanks, options):
    """List small and larger encoders, taught alike, and the linear models that they are to be compared with."""
    yield systems.describe("linear", options.text) | {"factorization": "arc"}, treebanks[0]
    yield systems.describe("linear + clusters", options.text), treebanks[0]
    for layers, width in SHAPES:
        yield systems.describe("neural + teacher", options.text) | {"layers": layers, "width": width}, treebanks[0]


PLANS = {"curve": curve, "parts": parts, "text": text, "sizes": sizes}


def parse_arguments():
    parser = common.arguments(__doc__, FOLDER, "25, linear models 10", languages=False)
    parser.add_argument("--tables", nargs="+", choices=list(PLANS), default=list(PLANS), help="(default: all)")
    parser.add_argument("--systems", nargs="+", help="only systems whose names begin so, such as linear")
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES), help="training sentences; 0 is all")
    parser.add_argument("--text", type=float, default=49, help="millions of words of raw text (49)")
    parser.add_argument(
        "--index", type=Path, help="raw text as scripts/neural index writes it (default: ../shared/data)"
    )
    parser.add_argument("--raw-epochs", type=float, default=8, help="passes over the raw text (8)")
    parser.add_argument("--device", default="auto", help="where networks are trained: cpu, cuda or auto")
    return parser.parse_args()


def main() -> None:
    options = parse_arguments()
    loaded = {size: common.load_treebank(options.data, TREEBANK, size) for size in {*options.sizes, options.sentences}}
    if None in loaded.values():
        raise SystemExit("nothing to do: the treebank is not there")
    treebanks = {size: loaded[size] for size in options.sizes} | {0: loaded[options.sentences]}
    store = common.Store("neural", options, systems.Laboratory.run)
    cells = plan(treebanks, options)
    common.compute(cells, store, systems.Laboratory(options).run)
    results = tables.Results(cells, store, options)
    common.save(store, tables.report(results), tables.rows_of(results), functools.partial(tables.draw, results))


if __name__ == "__main__":
    common.in_main(main)
