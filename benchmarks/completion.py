"""How much given cells help with the rest: ``parse --complete`` on a dev treebank with cells left in at random.

    python benchmarks/completion.py [--data ../shared/data] [--model en] [--shares 0.1 0.3 0.5] [--seed 1]

A cell is a UPOS, XPOS, FEATS, HEAD or DEPREL of a word; each is given, or blank, by itself.  What is scored are the
words whose head and relation are both blank, the same words with and without the given cells.
"""

from __future__ import annotations

import numpy as np
from dev_treebank import model_and_sentences, options_of

COLUMNS = ("upos", "xpos", "feats", "deprels")


def draft_of(sentence, share, rng):
    """Blank cells at random; return the draft, and which cells are given in each column."""
    given = {column: rng.random(len(sentence)) < share for column in (*COLUMNS, "heads")}
    columns = {"heads": np.where(given["heads"], sentence.heads, -1)}
    for column in COLUMNS:
        cells = zip(getattr(sentence, column), given[column], strict=True)
        columns[column] = [cell if is_given else "_" for cell, is_given in cells]
    return sentence.replace(**columns), given


def changed_cells(draft, found):
    """Count the cells of a draft that were filled and now hold something else."""
    changed = int(((draft.heads >= 0) & (draft.heads != found.heads)).sum())
    for column in COLUMNS:
        cells = zip(getattr(draft, column), getattr(found, column), strict=True)
        changed += sum(before not in ("_", after) for before, after in cells)
    return changed


def right_words(gold, found, words):
    """Count words with the right head, and with the right head and relation."""
    heads = (gold.heads == found.heads) & words
    pairs = zip(gold.deprels, found.deprels, strict=True)
    relations = np.array([one == other for one, other in pairs])
    return np.array([heads.sum(), (heads & relations).sum()])


def main() -> None:
    """Print a row for each share of given cells."""
    options = options_of(__doc__)
    options.add_argument("--shares", type=float, nargs="+", default=[0.1, 0.3, 0.5])
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    parser, gold = model_and_sentences(chosen)
    plain = [parser.parse_sentence(sentence) for sentence in gold]
    print("| cells given | words scored | UAS without | UAS with | LAS without | LAS with | given cells changed |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for share in chosen.shares:
        rng = np.random.default_rng(chosen.seed)
        without, informed, words, changed = np.zeros(2), np.zeros(2), 0, 0
        for sentence, other in zip(gold, plain, strict=True):
            draft, given = draft_of(sentence, share, rng)
            found = parser.parse_sentence(draft, complete=True)
            free = ~given["heads"] & ~given["deprels"]
            words += int(free.sum())
            without += right_words(sentence, other, free)
            informed += right_words(sentence, found, free)
            changed += changed_cells(draft, found)
        numbers = np.column_stack([without, informed]).ravel() * 100 / words
        row = " | ".join(f"{number:.2f}" for number in numbers)
        print(f"| {share:.0%} | {words:,} | {row} | {changed} |", flush=True)


if __name__ == "__main__":
    main()
