"""Compare the trees of two installations of Treewright, byte for byte, to see whether a change has changed any.

    python scripts/compare_parses.py OLD/bin/treewright NEW/bin/treewright [--data ../shared/data] [--keep FOLDER]

Each command line parses the dev sets of EWT (`en`) and CRAFT (`en-constituents`), and trains a PCFG and a reranker on
the WSJ sample and parses its dev set with both.  The new one also parses with the model files of the old one.  Outputs
stay in FOLDER, and what is there already is not made again, so that the old installation need not run twice.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

#: Each output, and the command that makes it; ``{data}`` is the folder of treebanks, ``{out}`` that of outputs.
STEPS = {
    "ewt.conllu": "parse {data}/ud/english-ewt/dev.conllu.gz --model en --confidence",
    "ewt-gold-tags.conllu": "parse {data}/ud/english-ewt/dev.conllu.gz --model en --keep-tags",
    "craft.mrg": "constituents parse {data}/craft-const/dev.mrg.gz --model en-constituents --workers 1",
    "wsj-pcfg.tw": "constituents grammar {data}/wsj-sample/train.mrg.gz",
    "wsj-pcfg.mrg": "constituents parse {data}/wsj-sample/dev.mrg.gz --model {out}/wsj-pcfg.tw --k-best 5 --workers 1",
    "wsj-train.npz": "rerank candidates {data}/wsj-sample/train.mrg.gz -k 27 --chunks 10",
    "wsj-reranker.tw": "rerank train {out}/wsj-train.npz --rounds 5000",
    "wsj-reranked.mrg": (
        "constituents parse {data}/wsj-sample/dev.mrg.gz --model {out}/wsj-pcfg.tw --rerank {out}/wsj-reranker.tw "
        "--workers 1"
    ),
}
#: What is compared: trees.  Model files may differ in what they note about themselves.
COMPARED = [name for name in STEPS if not name.endswith((".tw", ".npz"))]
#: What the new installation also makes with the model files of the old one.
OLD_MODELS = ["wsj-pcfg.mrg", "wsj-reranked.mrg"]


def run(command: str, name: str, data: Path, models: Path, out: Path) -> Path:
    """Make one output, unless it is there."""
    target = out / name
    if not target.exists():
        arguments = [word.format(data=data, out=models) for word in STEPS[name].split()]
        part = out / f"part-{name}"
        print(f"{command} {' '.join(arguments)}", file=sys.stderr)
        subprocess.run([command, *arguments, "--output", str(part), "--quiet"], check=True)
        part.rename(target)
    return target


def differences(old: Path, new: Path) -> int:
    """Count the lines in which two files differ."""
    one, other = old.read_bytes().split(b"\n"), new.read_bytes().split(b"\n")
    return sum(a != b for a, b in zip(one, other, strict=False)) + abs(len(one) - len(other))


def main() -> int:
    """Make everything twice and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", help="the command of the installation to compare with")
    parser.add_argument("new", nargs="?", help="the command to compare; without it, the old outputs are made")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--keep", type=Path, help="a folder for outputs; temporary unless given")
    options = parser.parse_args()
    keep = options.keep or Path(tempfile.mkdtemp())
    folders = {name: keep / name for name in ("old", "new", "old-models")}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    for name in STEPS:
        run(options.old, name, options.data, folders["old"], folders["old"])
    if options.new is None:
        return 0
    for name in STEPS:
        run(options.new, name, options.data, folders["new"], folders["new"])
    for name in OLD_MODELS:
        run(options.new, name, options.data, folders["old"], folders["old-models"])
    pairs = [(name, "new") for name in COMPARED] + [(name, "old-models") for name in OLD_MODELS]
    total = 0
    for name, side in pairs:
        count = differences(folders["old"] / name, folders[side] / name)
        total += count
        size = (folders["old"] / name).stat().st_size
        print(f"{name:24} {side:12} {'identical' if not count else f'{count:,} lines differ'} ({size:,} bytes)")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
