"""Figures 1 and 2 of Koo et al. (2010) to the letter, with appendix A: every maximum by listing what there is."""

import itertools

import numpy as np

from tests.inference.enumeration import all_trees
from tests.inference.parts import score_of as score_of_tree


class _Scores:
    """Arrays, named as those of Scores."""

    label = allowed = fixed_heads = None

    def __init__(self, arrays: dict[str, np.ndarray]) -> None:
        self.__dict__.update(arrays)


def figure_2(arrays, factorization, single_root, iterations, gamma=0.001):
    """The dual value, the score of y and how many automata had to be decoded, for each iteration before a tie.

    A word without modifiers scores the same below any head, so that there are ties, which rounding decides once the
    multipliers are not zero.  Figure 1 is the same without z↑.
    """
    arc = arrays["arc"]
    n, scores, has_grand = len(arc) - 1, _Scores(arrays), "grand_sibling" in arrays
    candidates = all_trees(n, False, single_root)
    words, u, v = np.arange(1, n + 1), np.zeros(arc.shape), np.zeros(arc.shape)
    choices = [_choices(arrays, h, n, single_root, has_grand) for h in range(n + 1)]
    duals, primals, recomputed, changed, rises = [], [], [], set(range(n + 1)), 0
    for _ in range(iterations):
        weights = gamma * arc + u + v
        values = weights[candidates[:, 1:], words].sum(axis=1)
        tree = candidates[values.argmax()]
        y, z, above, dual = np.zeros(arc.shape), np.zeros(arc.shape), np.zeros(arc.shape), values.max()
        y[tree[1:], words] = 1.0
        for h, options in enumerate(choices):
            gain = (1 - gamma) * arc[h] - u[h]
            gains = [f + gain[list(ms)].sum() - (v[g, h] if g >= 0 else 0.0) for f, g, ms in options]
            best = int(np.argmax(gains))
            tied = [options[k][1] for k in np.flatnonzero(np.array(gains) > gains[best] - 1e-9)]
            if len(tied) > 1 and any(v[g, h] for g in tied):
                return duals, primals, recomputed
            dual += gains[best]
            z[h, list(options[best][2])] = 1.0
            if options[best][1] >= 0:
                above[options[best][1], h] = 1.0
        rises += bool(duals) and dual > duals[-1]
        duals.append(dual)
        primals.append(score_of_tree(scores, tree, factorization))
        recomputed.append(len(changed))
        alpha = (duals[0] - primals[0]) / (1 + rises)
        changed = set(np.flatnonzero((y != z).any(axis=1)).tolist())
        u += alpha * (z - y)
        if has_grand:
            changed |= set(np.flatnonzero((y != above).any(axis=0)).tolist())
            v += alpha * (above - y)
    return duals, primals, recomputed


def _choices(arrays, h, n, single_root, has_grand):
    """All that the automaton of h can choose: its score without arcs, the head (-1 if none is chosen), modifiers."""
    found = []
    for g in [g for g in range(n + 1) if g != h] if h and has_grand else [-1]:
        others = [m for m in range(1, n + 1) if m not in (h, g)]
        sizes = range(len(others) + 1) if h else [1] if single_root else range(1, n + 1)
        for modifiers in itertools.chain.from_iterable(itertools.combinations(others, size) for size in sizes):
            found += [(_score(arrays, g, h, modifiers), g, modifiers)]
    return found


def _score(arrays, g, h, modifiers):
    total = 0.0
    for side in (0, 1) if h else (1,):
        s = h
        for m in sorted((m for m in modifiers if (m > h) == side), key=lambda m: abs(m - h)):
            total += arrays["sibling"][h, s, m]
            if "grand_sibling" in arrays:
                total += arrays["grandchild"][max(g, 0), h, m] + arrays["grand_sibling"][max(g, 0), h, s, m]
            s = m
        total += arrays["last"][h, s, side]
    return total
