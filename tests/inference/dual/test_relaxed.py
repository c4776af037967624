"""What head automata choose by themselves: word by word the best, by enumeration."""

import itertools

import numpy as np
import pytest

from treewright.inference import DualDecomposition, Scores, Trees

N = 4


def choices(h):
    """All sets of modifiers that a word may take."""
    words = [m for m in range(1, N + 1) if m != h]
    return itertools.chain.from_iterable(itertools.combinations(words, k) for k in range(N + 1))


def chain(h, modifiers):
    """List (s, m) for each modifier on its side, and the last of each side."""
    pairs, last = [], []
    for side in (0, 1):
        s = h
        for m in sorted((m for m in modifiers if (m > h) == side), key=lambda m: abs(m - h)):
            pairs.append((s, m))
            s = m
        if h or side:
            last.append((s, side))
    return pairs, last


def best_of_word(arrays, h, single_root, grand):
    best = -np.inf
    for g in [g for g in range(N + 1) if g != h] if grand and h else [0]:
        for modifiers in choices(h):
            if h == 0 and (not modifiers or (single_root and len(modifiers) > 1)):
                continue
            if grand and h and g in modifiers:
                continue
            pairs, last = chain(h, modifiers)
            total = sum(arrays["arc"][h, m] + arrays["sibling"][h, s, m] for s, m in pairs)
            total += sum(arrays["last"][h, s, side] for s, side in last)
            if grand:
                total += sum(arrays["grandchild"][g, h, m] + arrays["grand_sibling"][g, h, s, m] for s, m in pairs)
            best = max(best, total)
    return best


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("grand", [True, False])
def test_every_word_chooses_what_is_best_for_it(grand, single_root):
    rng = np.random.default_rng(1)
    size = N + 1
    trees = Trees(False, single_root, "grand-sibling" if grand else "sibling")
    for _ in range(20):
        arrays = {"arc": rng.normal(size=(size,) * 2), "sibling": rng.normal(size=(size,) * 3)}
        arrays["last"] = rng.normal(size=(size, size, 2))
        if grand:
            arrays["grandchild"], arrays["grand_sibling"] = rng.normal(size=(size,) * 3), rng.normal(size=(size,) * 4)
        parts = DualDecomposition(trees).relaxed(Scores(**arrays))
        assert set(parts) == set(arrays)
        found = sum(float(arrays[name][tuple(rows.T)].sum()) for name, rows in parts.items())
        best = sum(best_of_word(arrays, h, single_root, grand) for h in range(size))
        assert found == pytest.approx(best)
