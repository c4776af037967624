"""Attack the whole package with random, damaged and hostile input: ``python scripts/attack``.

Every case is drawn from the seed and its number, so that each wrong answer comes with the options that bring it back.
Needs ``pip install -e ".[test,bench]"``.

Usage: ``python scripts/attack [--seconds 240] [--seed 1] [--only answers inputs …] [--case 17] [--output counts.md]``
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[2])  # this folder has modules of common names

from scripts.attack.case import Case, Tally  # noqa: E402

#: The parts, and what share of the time each of them has.
PARTS = {"answers": 4, "inputs": 3, "models": 2, "faults": 3, "growth": 1}

#: Seconds between two lines about progress.
PAUSE = 10.0


def main() -> None:
    """Run the attack; exit with 1 if anything was wrong."""
    options = _options()
    tally, start = Tally(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        for part in options.only:
            attack: Callable[[Case], None] = importlib.import_module(f"scripts.attack.{part}").attack
            seconds = options.seconds * PARTS[part] / sum(PARTS[name] for name in options.only)
            _run(part, attack, seconds, options, tally, Path(folder))
    table = tally.table()
    print(f"\n{table}\n\n{time.monotonic() - start:.0f} s, seed {options.seed}; wrong: {len(tally.findings)}")
    print(*tally.findings, sep="\n")
    if options.output is not None:
        options.output.write_text(f"{table}\n")
    sys.exit(bool(tally.findings))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python scripts/attack", description="Attack the package, by parts.")
    parser.add_argument("--seconds", type=float, default=240.0, help="how long to go on, in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--case", type=int, help="run the case of this number alone")
    parser.add_argument("--output", type=Path, help="write the table of counts to this file, too")
    return parser.parse_args()


def _run(
    part: str,
    attack: Callable[[Case], None],
    seconds: float,
    options: argparse.Namespace,
    tally: Tally,
    folder: Path,
) -> None:
    """Run cases of one part until its time is over or it says that there are no more."""
    begin = said = time.monotonic()
    numbers: Iterable[int] = itertools.count() if options.case is None else [options.case]
    for number in numbers:
        try:
            attack(Case(part, options.seed, number, tally, folder))
        except StopIteration:
            break
        now = time.monotonic()
        if now - said > PAUSE or now - begin > seconds:
            said = now
            left = max(0.0, seconds - (now - begin))
            print(f"{part}: {number + 1:,} cases, {len(tally.findings)} wrong, {left:.0f} s left", flush=True)
        if now - begin > seconds:
            break


if __name__ == "__main__":
    main()
