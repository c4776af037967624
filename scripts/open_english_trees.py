"""Put together the constituent trees of open licences that the embedded English model learns from.

    python scripts/open_english_trees.py ../shared/data train --craft 6000 --output open-train.mrg.gz
    python scripts/open_english_trees.py ../shared/data dev --craft 300 --output open-dev.mrg.gz

They are those genres of GUM whose texts and annotations are both CC BY or CC BY-SA (``gum-const/LICENSE.txt``), which
``train.docs.gz`` and ``dev.docs.gz`` name for every tree, and trees of CRAFT (CC BY 3.0), evenly spaced.  What only one
of the two annotates is taken out, so that they agree: ``ROOT`` on top of GUM's trees; of CRAFT, the places of an
article (``TITLE``, ``HEADING``, ``CAPTION``, ``CIT``) and ``NML`` within noun phrases.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from treewright.treebank import ConstituentTree, read_trees, simplify
from treewright.treebank.constituents.simplification import strip_function_tag

#: The genres of GUM with open texts: CC BY 4.0 (academic, court), CC BY-SA 3.0 (bio, voyage), CC BY 2.5 (interview,
#: news).  Those left out are CC BY-NC-SA, or have no licence in LICENSE.txt.
OPEN_GENRES = {"academic", "bio", "court", "interview", "news", "voyage"}

#: Labels that only one of the treebanks has.
SPLICED = {"ROOT", "TITLE", "HEADING", "CAPTION", "CIT", "NML"}


def spliced(tree: ConstituentTree) -> ConstituentTree:
    """Take out the constituents that only one treebank annotates; what is in them stays."""
    simple = simplify(tree)
    if simple is None:
        return tree
    out = [number for number, label in enumerate(simple.labels) if strip_function_tag(label) in SPLICED]
    kept = [number for number in range(len(simple.labels)) if number not in set(out)]
    parents = simple.parents.copy()
    for number in out:  # from the top down, so that what is below one that is taken out goes to what is above both
        parents[parents == number] = parents[number]
    places = np.full(len(simple.labels) + 1, -1, np.int32)
    places[kept] = np.arange(len(kept))
    tops = [number for number in kept if parents[number] < 0]
    above = places[parents[kept]]
    labels = [simple.labels[number] for number in kept]
    if len(tops) > 1 or len(kept) == 1:  # a fragment of several phrases, or a word without one
        labels, above = ["FRAG", *labels], np.concatenate([[-1], above + 1]).astype(np.int32)
    return ConstituentTree(labels, above, simple.words)


def open_gum(folder: Path, section: str) -> Iterator[ConstituentTree]:
    """Read the trees of the open genres of GUM."""
    with gzip.open(folder / f"{section}.docs.gz", "rt", encoding="utf-8") as documents:
        for document, tree in zip(documents, read_trees(folder / f"{section}.mrg.gz", spaces="keep"), strict=True):
            if document.split("_")[1] in OPEN_GENRES:
                yield tree


def some_of(trees: Iterable[ConstituentTree], count: int) -> list[ConstituentTree]:
    """Take this many trees, evenly spaced; all if there are no more."""
    listed = list(trees)
    return [listed[number * len(listed) // count] for number in range(min(count, len(listed)))] if count else []


def main() -> None:
    """Read the command line, and write the trees."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path, help="the folder of treebanks")
    arguments.add_argument("section", choices=["train", "dev"])
    arguments.add_argument("--craft", type=int, default=6_000, help="how many trees of CRAFT")
    arguments.add_argument("--output", type=Path, required=True)
    chosen = arguments.parse_args()
    gum = list(open_gum(chosen.data / "gum-const", chosen.section))
    craft = some_of(read_trees(chosen.data / "craft-const" / f"{chosen.section}.mrg.gz", spaces="keep"), chosen.craft)
    with gzip.GzipFile(chosen.output, "wb", mtime=0) as file:
        for tree in (*gum, *craft):
            file.write(f"{spliced(tree)}\n".encode())
    print(f"{len(gum):,} trees of GUM and {len(craft):,} of CRAFT")


if __name__ == "__main__":
    main()
