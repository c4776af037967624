"""What the experiments share: treebanks with a validation slice, training, stored results, tests, tables, figures."""

from __future__ import annotations

import argparse
import collections
import contextlib
import csv
import fcntl
import functools
import hashlib
import json
import lzma
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from fingerprint import fingerprint

import treewright
from treewright import read
from treewright.dependency.cascade_training import train_stage
from treewright.dependency.pruning import Stage
from treewright.evaluation import paired_test
from treewright.features import Lexicon, Weights
from treewright.inference import Parse, Parts, Trees
from treewright.learning import train
from treewright.threads import in_order
from treewright.treebank import Sentence, projectivize

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data"
CACHE = ROOT / "experiments" / ".cache"

#: One training sentence in so many is for choosing meta-parameters, and at most so many sentences in all.
SLICE, MOST_VALIDATION = 10, 500

#: What of the store is committed beside the tables.
COMMITTED = "cells.jsonl.xz"

#: Treebanks that are not called by their language.
TITLES = {"dep-native/english-craft": "CRAFT"}

#: Seconds between two lines about the same cell.
PAUSE = 15.0


def arguments(description: str, folder: Path, epochs: str, *, languages: bool = True) -> argparse.ArgumentParser:
    """Describe the options that all experiments have (and which languages to do, where there is more than one)."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="where the treebanks are (default: ../shared/data)")
    if languages:
        parser.add_argument("--languages", nargs="+", metavar="LANGUAGE", help="such as danish (default: all)")
    parser.add_argument("--sentences", type=int, default=0, help="training sentences of each treebank (default: all)")
    parser.add_argument("--epochs", type=int, help=f"at most so many (default: {epochs})")
    parser.add_argument("--patience", type=int, default=3, help="stop after so many epochs without a gain (default: 3)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=folder, help="where the results go (default: beside the script)")
    add_store_arguments(parser)
    return parser


def add_store_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of stores."""
    parser.add_argument("--fresh", action="store_true", help="compute again what an earlier run has stored")
    parser.add_argument("--stored", action="store_true", help="compute nothing: write the tables of what is stored")
    parser.add_argument(
        "--share",
        action="store_true",
        help="several processes run this command at a time: skip the cells that another one is computing",
    )


# Treebanks


@dataclass(frozen=True, eq=False)
class Treebank:
    """Train without its validation slice, the slice, and the dev file: what to learn from, choose by and evaluate."""

    name: str
    train: list[Sentence]
    validation: list[Sentence]
    dev: list[Sentence]
    single_root: bool

    @property
    def title(self) -> str:
        if self.name in TITLES:
            return TITLES[self.name]
        first, second, *_ = self.name.rpartition("/")[2].split("-")
        return f"{first} {second}".title() if first in ("ancient", "scottish") else first.capitalize()

    @functools.cached_property
    def words(self) -> int:
        return sum(map(len, self.train))

    @functools.cached_property
    def lifted(self) -> float:
        """The percentage of training arcs that change when the trees are made projective."""
        changed = sum(np.count_nonzero(projectivize(sentence.heads) != sentence.heads) for sentence in self.train)
        return 100 * changed / self.words


def load_treebanks(options: argparse.Namespace, names: Iterable[str]) -> list[Treebank]:
    """Read the treebanks of the languages that were asked for; say which ones are not there."""
    languages = [language.lower() for language in options.languages or [""]]
    wanted = [name for name in names if any(language in name for language in languages)]
    found = [load_treebank(options.data, name, options.sentences) for name in wanted]
    treebanks = [treebank for treebank in found if treebank is not None]
    if not treebanks:
        raise SystemExit("nothing to do: none of the treebanks is there")
    return treebanks


def load_treebank(data: Path, name: str, sentences: int = 0) -> Treebank | None:
    """Read a treebank and put the validation slice aside; None, and a line that says so, if it is not there."""
    paths = [data / name / f"{part}.conllu.gz" for part in ("train", "dev")]
    if not all(path.exists() for path in paths):
        print(f"{name}: skipped, it is not in {data} (option --data)")
        return None
    everything, dev = ([sentence for sentence in read(path) if len(sentence)] for path in paths)
    return make_treebank(name, everything, dev, sentences)


def make_treebank(name: str, everything: list[Sentence], dev: list[Sentence], sentences: int = 0) -> Treebank:
    """Put the validation slice of all training sentences aside.

    Trees are taken to have several roots where any training tree has.
    """
    rest = [sentence for index, sentence in enumerate(everything) if index % SLICE]
    single_root = all(np.count_nonzero(sentence.heads == 0) == 1 for sentence in everything)
    validation = spread(everything[::SLICE], MOST_VALIDATION)
    return Treebank(name, spread(rest, sentences), validation, dev, single_root)


def spread(sentences: list[Sentence], most: int) -> list[Sentence]:
    """Take so many sentences, evenly from the whole list; all if there are no more, or if ``most`` is 0."""
    if not most or len(sentences) <= most:
        return sentences
    return [sentences[index] for index in np.linspace(0, len(sentences) - 1, most).astype(int)]


# Training


@dataclass(frozen=True)
class Fit:
    """Weights of the best epoch, which one it was, its validation scores, and CPU seconds of an epoch on average."""

    weights: object
    epoch: int
    validation: dict[str, float]
    seconds: float


def fit(problem, learner, validate, settings, say) -> Fit:
    """Learn as the settings of a cell say.

    The first of the scores that ``validate`` gives for the weights of each epoch chooses the epoch; the seconds are
    without it.
    """
    seconds, mark = [], time.process_time()

    def evaluate(weights):
        nonlocal mark
        seconds.append(time.process_time() - mark)
        scores = validate(weights)
        mark = time.process_time()
        return scores

    def report(epoch):
        share = min(0.99, epoch.number / settings["epochs"])
        say(f"validation {next(iter(epoch.dev.values())):.2f} after epoch {epoch.number}", share)

    chosen = {name: settings[name] for name in ("epochs", "patience", "seed")}
    result = train(problem, learner, **chosen, evaluate=evaluate, on_epoch=report)
    if result.interrupted or result.best is None:
        raise KeyboardInterrupt
    return Fit(result.weights, result.best.number, result.best.dev, float(np.mean(seconds)))


@functools.lru_cache(maxsize=1)
def pruner_of(treebank: Treebank, trees: Trees, epochs: int, seed: int) -> Stage:
    """Train a first-order log-linear model that prunes by its marginals."""
    return train_stage(treebank.train, Lexicon.of(treebank.train), trees, epochs=epochs, seed=seed)


def correct_heads(features, weights, trees, sentences, masks=None) -> list[int]:
    """Parse sentences, and count the correct heads of each."""
    parses = parse_all(features, weights, trees, sentences, masks)
    return [
        int(np.count_nonzero(parse.heads[1:] == sentence.heads))
        for parse, sentence in zip(parses, sentences, strict=True)
    ]


def parse_all(features, weights, trees, sentences, masks=None) -> Iterator[Parse]:
    """Parse sentences, with the arcs that survive pruning if there are masks."""

    def best(pair):
        sentence, mask = pair
        parts = None if mask is None else Parts(mask, projective=trees.projective)
        return trees.argmax(features.score(features.hash(sentence), weights, parts))

    return in_order(best, zip(sentences, masks or [None] * len(sentences), strict=True), 1)


def uas(correct: Sequence[int], sentences: Sequence[Sentence]) -> float:
    """Give the percentage of correct heads, all words counted."""
    return 100 * sum(correct) / sum(map(len, sentences))


# Cells: the units of work, each stored as soon as it is done


@dataclass(frozen=True)
class Cell:
    """A unit of work: its settings, which name it in the store; a title; the work, in any unit; what it needs."""

    treebank: Treebank | None
    settings: dict
    title: str
    work: float
    after: Cell | None = None


class Store:
    """Results of cells in a file of JSON lines, by their settings and the program that computed them.

    Several processes may use one store.  Each claims the cell it is at by a lock, which ends with the process.  What
    the committed tables show lies beside them, in ``cells.jsonl.xz``: a store begins with it.

    Attributes
    ----------
    program : str
        The fingerprint of the code that computes the cells.
    """

    def __init__(self, name: str, options: argparse.Namespace, *computed_by: Callable) -> None:
        self.program, self.options = fingerprint(load_treebank, *computed_by), options
        self._path, self._values = CACHE / f"{name}.jsonl", {}
        self._path.with_suffix("").mkdir(parents=True, exist_ok=True)
        self._path.touch()
        self._end = self._path.stat().st_size if options.fresh else 0
        committed = options.output / COMMITTED
        if committed.exists() and not options.fresh:
            self._add(lzma.decompress(committed.read_bytes()).decode())
        self.refresh()

    def refresh(self) -> None:
        """Read what has been stored since the last time, by whichever process."""
        with self._path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            file.seek(self._end)
            text = file.read().decode()
            self._end = file.tell()
        self._add(text)

    def _add(self, text: str) -> None:
        for line in text.splitlines():
            try:
                entry = json.loads(line)
            except ValueError:  # an empty line, or the process was killed while it wrote this one
                continue
            self._values[_name(entry["settings"])] = entry["value"]

    def settings(self, cell: Cell) -> dict:
        """Return the settings of a cell with the program that computes it: its name here."""
        return cell.settings | {"program": self.program}

    def __contains__(self, cell: Cell) -> bool:
        return _name(self.settings(cell)) in self._values

    def __getitem__(self, cell: Cell) -> dict:
        return self._values[_name(self.settings(cell))]

    def __setitem__(self, cell: Cell, value: dict) -> None:
        self._values[_name(self.settings(cell))] = value
        with self._path.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write("\n" + json.dumps({"settings": self.settings(cell), "value": value}))

    def export(self) -> None:
        """Write all that this program has computed to a file beside the tables: enough to write these again."""
        entries = ({"settings": json.loads(name), "value": self._values[name]} for name in sorted(self._values))
        lines = [json.dumps(entry) + "\n" for entry in entries if entry["settings"].get("program") == self.program]
        (self.options.output / COMMITTED).write_bytes(lzma.compress("".join(lines).encode(), preset=9))

    def fall_back(self, cells: Sequence[Cell]) -> bool:
        """Turn to the other program that has stored most of these cells; False if none has stored any."""
        found = collections.Counter[str]()
        for program in {json.loads(name).get("program") for name in self._values} - {self.program}:
            found[program] = sum(_name(cell.settings | {"program": program}) in self._values for cell in cells)
        if not found.total():
            return False
        self.program = found.most_common(1)[0][0]
        return True

    @contextlib.contextmanager
    def claim(self, cell: Cell) -> Iterator[bool]:
        """Claim a cell; False if another process has it (which is waited for, unless cells are shared) or stored it.

        Nor is a cell claimed before the one it needs is stored.
        """
        self.refresh()
        if cell.after is not None and cell.after not in self:
            yield False
            return
        with self._file(cell, "claim").open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | (fcntl.LOCK_NB if self.options.share else 0))
            except BlockingIOError:
                yield False
                return
            file.truncate(0)
            file.write(f"{os.getpid()}\n")
            file.flush()
            self.refresh()
            yield cell not in self

    def keep(self, cell: Cell, weights: Weights) -> None:
        """Keep the weights of a cell in a file of their own, for cells that ask more of the same model."""
        places = np.flatnonzero(weights.values).astype(np.int32)
        np.savez(self._file(cell, "npz"), places=places, values=weights.values[places], size=len(weights.values))

    def kept(self, cell: Cell) -> Weights | None:
        """Give the weights back; None if they were not kept."""
        path = self._file(cell, "npz")
        if not path.exists():
            return None
        with np.load(path) as arrays:
            values = np.zeros(int(arrays["size"]), np.float32)
            values[arrays["places"]] = arrays["values"]
        return Weights(values)

    def _file(self, cell: Cell, ending: str) -> Path:
        digest = hashlib.sha256(_name(self.settings(cell)).encode()).hexdigest()[:16]
        return self._path.with_suffix("") / f"{digest}.{ending}"


def _name(settings: dict) -> str:
    return json.dumps(settings, sort_keys=True)


def common_settings(treebank: Treebank, epochs: int, options) -> dict:
    """Give the settings that name a cell in every experiment."""
    return {
        "treewright": treewright.__version__,
        "treebank": treebank.name,
        "sentences": len(treebank.train),
        "validation sentences": len(treebank.validation),
        "dev sentences": len(treebank.dev),
        "epochs": epochs,
        "patience": options.patience,
        "seed": options.seed,
    }


class Countdown:
    """Says how far a run is, and how long it will still take."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._cells, self._index = cells, 0
        self._start = self._said = time.monotonic()

    def __call__(self, text: str, share: float) -> None:
        """Say what happens in the current cell, of which a share is done; not too often, but when it ends."""
        now, cell = time.monotonic(), self._cells[self._index]
        if share == 1 or now - self._said > PAUSE:
            done = sum(cell.work for cell in self._cells[: self._index]) + share * cell.work
            left = (now - self._start) * (sum(cell.work for cell in self._cells) / done - 1) / 60
            place = f"[{self._index + 1}/{len(self._cells)}]"
            print(f"{place} {cell.title}: {text} (about {left:.1f} min left)", flush=True)
            self._said = now

    def end_cell(self, validation: float | None, is_mine: bool) -> None:
        """Say how a cell went, if this process computed it, and go on to the next."""
        if is_mine:
            self("done" if validation is None else f"validation {validation:.2f}, done", 1)
        self._index += 1


def compute(cells: Sequence[Cell], store: Store, run: Callable[[Cell, Countdown], dict]) -> None:
    """Compute the cells that are not stored (none with ``--stored``)."""
    missing = [cell for cell in cells if cell not in store]
    print(f"{len(cells)} cells, {len(cells) - len(missing)} of them stored by an earlier run", flush=True)
    if store.options.stored:
        if len(missing) == len(cells):
            if not store.fall_back(cells):
                raise SystemExit("nothing is stored for these options; run without --stored")
            print(f"what is stored was computed by another program, {store.program}", flush=True)
        return
    while missing:
        countdown = Countdown(missing)
        for cell in missing:
            with store.claim(cell) as is_mine:
                if is_mine:
                    store[cell] = run(cell, countdown)
            countdown.end_cell(store[cell].get("validation") if is_mine else None, is_mine)
        left = [cell for cell in missing if cell not in store]
        if len(left) == len(missing):
            time.sleep(PAUSE)  # other processes are at all of them
        missing = left


def in_main(main: Callable[[], None]) -> None:
    """Run an experiment; Ctrl-C loses only the cell at hand."""
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit("\nstopped; the same command goes on from here") from None


# Tests, tables and figures


def sign_test(a: Sequence[int], b: Sequence[int]) -> dict[str, str]:
    """Compare the correct heads of each sentence under two systems: the columns of a table."""
    test = paired_test(a, b)
    return {"better": f"{test.better:,}", "worse": f"{test.worse:,}", "p": shown_p(test.sign_p)}


def shown_p(p: float) -> str:
    """Write a p-value."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def markdown(rows: Sequence[Mapping[str, object]]) -> str:
    """Write a table; the keys of the first row are its columns, numbers have two digits."""
    columns = list(rows[0])
    right = [not isinstance(rows[0][column], str) or column in ("better", "worse", "p") for column in columns]
    lines = [columns, ["---:" if flag else "---" for flag in right]]
    lines += [[_shown(row.get(column)) for column in columns] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{round(value, 2) + 0.0:.2f}"  # no minus before a zero
    return f"{value:,}" if isinstance(value, int) else str("" if value is None else value)


def treebank_table(treebanks: Iterable[Treebank]) -> list[dict[str, object]]:
    """Describe the treebanks."""
    return [
        {
            "": treebank.title,
            "treebank": f"`{treebank.name}`",
            "training sentences": len(treebank.train),
            "words": treebank.words,
            "validation sentences": len(treebank.validation),
            "dev sentences": len(treebank.dev),
            "% of arcs lifted": treebank.lifted,
            "roots": "single" if treebank.single_root else "multi",
        }
        for treebank in treebanks
    ]


def csv_rows(cells: Iterable[Cell], store: Store) -> list[dict[str, object]]:
    """List all cells, also those that no table shows."""
    rows = []
    for cell in cells:
        if cell in store:
            row = store.settings(cell) | store[cell]
            correct = row.pop("correct")
            rows.append(row | {"dev UAS": uas(correct, cell.treebank.dev)})
    return rows


def save_csv(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Write rows to a file, floats with four digits."""
    with path.open("w", newline="") as file:
        columns = dict.fromkeys(name for row in rows for name in row)  # not every cell has all
        writer = csv.DictWriter(file, list(columns), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({name: f"{x:.4f}" if isinstance(x, float) else x for name, x in row.items()})


def save(
    store: Store, text: str, rows: Sequence[Mapping[str, object]], draw: Callable[[object], object] | None
) -> None:
    """Print the tables, and save them, the cells and the figure (if there is one, and it can be drawn)."""
    folder = store.options.output
    folder.mkdir(parents=True, exist_ok=True)
    print("\n" + text)
    (folder / "results.md").write_text(text)
    save_csv(folder / "results.csv", rows)
    store.export()
    if draw is None:
        return
    try:
        import matplotlib
    except ImportError:
        print("no figure: matplotlib is not installed (pip install 'treewright[bench]')")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure = draw(pyplot)
    figure.tight_layout()
    figure.savefig(folder / "results.png", dpi=110)
