"""Truth by enumeration: all derivations of a short sentence, from the definitions of section 2 alone."""

import itertools

import numpy as np

from treewright.constituency.spines import Derivation, Grammar, Spine, modifier_heights
from treewright.constituency.tag.automata import Automata
from treewright.constituency.tag.links import Links, Senses, sort_links
from treewright.constituency.tag.space import Space
from treewright.errors import UsageError
from treewright.treebank import is_projective

#: Among them one without nodes, and one with a label twice in a row, whose places are ambiguous.
SPINES = [Spine(()), Spine(("A",)), Spine(("A", "B")), Spine(("A", "A")), Spine(("B", "A", "B"))]

GRAMMAR = Grammar(SPINES, {"x": dict.fromkeys(range(len(SPINES)), 1)})
AUTOMATA = Automata(GRAMMAR)


def all_links(own):
    """List every link that the spines of words allow, by the definition of GRM(l)."""
    rows = []
    for h, m in itertools.permutations(range(len(own)), 2):
        if m == 0:
            continue
        nodes = {(number, label) for spine in own[h] for number, label in enumerate(_nodes(spine))}
        below = {
            (label, _nodes(spine)[k - 1] if k else "*") for spine in own[h] for k, label in enumerate(_nodes(spine))
        }
        places = below | {(label, label) for _, label in nodes if h}
        for first, second in places:
            place = AUTOMATA.places.index((AUTOMATA.labels.index(first), AUTOMATA.labels.index(second)))
            tops = {AUTOMATA.labels.index(_nodes(spine)[-1] if _nodes(spine) else "*") for spine in own[m]}
            for top, adjunction in itertools.product(tops, (0, 1) if first == second else (0,)):
                rows.append((h, m, place, top, adjunction))
    return rows


def _nodes(spine):
    return ("TOP",) if spine == AUTOMATA.root else SPINES[spine].labels


def random_space(rng, n, *, second, keep=1.0):
    """Give words random spines, and the links between them that are kept."""
    own = [[AUTOMATA.root]]
    for _ in range(n):
        chosen = rng.choice(len(SPINES), size=int(rng.integers(1, 4)), replace=False).tolist()
        own.append(sorted(chosen, key=lambda spine: (AUTOMATA.tables.tops[spine], spine)))
    senses = Senses(np.cumsum([0, *map(len, own)]), np.concatenate(own))
    rows = [row for row in all_links(own) if rng.random() < keep or row[0] == 0]
    links = sort_links(Links(*np.array(rows, np.int64).reshape(-1, 5).T))
    return own, Space.of(AUTOMATA.tables, senses, links, second=second)


def derivations(own):
    """Go through all derivations: spines, heads, positions, adjunctions and heights."""
    n = len(own) - 1
    for spines in itertools.product(*own[1:]):
        lengths = [1, *(len(SPINES[spine]) for spine in spines)]
        for heads in itertools.product(range(n + 1), repeat=n):
            if heads.count(0) != 1 or not _is_tree(heads) or any(lengths[head] == 0 for head in heads):
                continue
            for positions in itertools.product(*(range(lengths[head]) for head in heads)):
                for adjunctions in itertools.product(*((0, 1) if head else (0,) for head in heads)):
                    derivation = Derivation.from_lists(
                        "w" * n, "x" * n, spines=spines, heads=heads, positions=positions, adjunctions=adjunctions
                    )
                    try:
                        yield (spines, heads, positions, adjunctions), modifier_heights(derivation)
                    except UsageError:
                        continue  # positions go down


def _is_tree(heads):
    try:
        return is_projective(np.array(heads, np.int32))
    except ValueError:
        return False


class Enumeration:
    """All derivations in a space, with their scores and parts; the parts of each are found from the definitions."""

    def __init__(self, own, space, scores):
        self.own, self.space = own, space
        self.numbers = {row: number for number, row in enumerate(zip(*(c.tolist() for c in space.links), strict=True))}
        self.names = self._name_parts()
        self.scores, self.parts = {}, {}
        for derivation, heights in derivations(own):
            parts = self._parts(*derivation, heights)
            if parts is not None:
                self.parts[derivation] = parts
                self.scores[derivation] = float(scores[parts].sum())

    def _name_parts(self):
        """Number parts by what they are: (link, s), (link, g), (sense, side, end)."""
        x, at, rows, names = self.space.graph, self.space.layout, self.space.rows, {}
        links = len(self.space.links.heads)
        if x.second:
            for _, listed in rows.by_arc:
                words = listed.rows
                for link in range(links):
                    for row in np.flatnonzero(listed.arcs == rows.arc_of[link]).tolist():
                        kind = "sibling" if listed.base is at.sibling else "grandchild"
                        word = int(words[row, 1 if kind == "sibling" else 2])
                        names[kind, link, word] = int(listed.base[link] + listed.slots[row])
        else:
            names |= {("alone", link): int(at.sibling[link]) for link in range(links)}
        for sense, word in enumerate(rows.words.tolist()):
            spine = int(self.space.senses.spines[sense])
            for side, ends in enumerate((range(1, word + 1), range(word, x.n + 1))):
                for number, end in enumerate(ends):
                    names["close", word, spine, side, end] = int(at.close[2 * sense + side]) + number
        assert len(set(names.values())) == len(names) == at.zeros
        return names

    def _parts(self, spines, heads, positions, adjunctions, heights):
        n, tables = len(heads), AUTOMATA.tables
        spines = (AUTOMATA.root, *spines)
        below = [[m for m in range(1, n + 1) if heads[m - 1] == h] for h in range(n + 1)]
        parts = []
        for m in range(1, n + 1):
            h = heads[m - 1]
            nodes = _nodes(spines[h])
            first = nodes[positions[m - 1]]
            child = nodes[positions[m - 1] - 1] if positions[m - 1] else "*"
            place = (first, first if heights[m - 1] else child)
            place = AUTOMATA.places.index(tuple(AUTOMATA.labels.index(label) for label in place))
            link = self.numbers.get((h, m, place, int(tables.tops[spines[m]]), adjunctions[m - 1]))
            if link is None:
                return None
            if not self.space.graph.second:
                parts.append(self.names["alone", link])
                continue
            nearer = [s for s in below[h] if (s > h) == (m > h) and abs(s - h) < abs(m - h)]
            parts.append(self.names["sibling", link, max(nearer, key=lambda s: abs(s - h), default=h)])
            left, right = [g for g in below[m] if g < m], [g for g in below[m] if g > m]
            parts.append(self.names["grandchild", link, min(left, default=0)])
            parts.append(self.names["grandchild", link, max(right, default=n + 1)])
        for w in range(n + 1):
            covered = {w}
            while (more := {m for v in covered for m in below[v]}) - covered:
                covered |= more
            parts += [self.names["close", w, spines[w], 0, min(covered)]] if w else []
            parts.append(self.names["close", w, spines[w], 1, max(covered)])
        return parts
