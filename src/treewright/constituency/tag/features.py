"""The features of derivations: sentences and spaces in, part scores out; for learning, the features of parts.

Equations 2 and 3 of Carreras, Collins and Koo (2008): e is "spine", d the dependency features of the project and
"dependency", s "sibling", g and q "grandchild"; "boundary" is that of footnote 5.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.constituency.tag.automata import Automata
from treewright.constituency.tag.parts import ArcRows, PartRows
from treewright.constituency.tag.space import Links, Senses, Space
from treewright.constituency.tag.templates import TEMPLATES
from treewright.features import DependencyFeatures, FeatureSettings, Hashed, Lexicon, Weights
from treewright.features.arc_places import FAMILY
from treewright.features.attributes import AttributeReader, informative_attributes
from treewright.features.hashing import hash_higher
from treewright.features.labelled import LabelledRows, TableOfLabels, add_labelled_scores, list_labelled_features
from treewright.features.templates import HASH, attributes_of, parse_templates, usable_templates
from treewright.features.arc_templates import INSTEAD
from treewright.treebank import Sentence

__all__ = ["HashedWords", "TagFeatures", "TagSettings"]

Ints = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint32]

#: Which word of a row is the head.
HEADS = {"dependency": 0, "sibling": 0, "grandchild": 1, "spine": 0, "boundary": 0}

#: Which rows have features without a label as well; those of dependencies are those of the project's parsers.
BARE = ("sibling", "grandchild")


@dataclass(frozen=True)
class TagSettings:
    """What a set of features is made of; plain data, stored in the model file.

    Attributes
    ----------
    arcs : FeatureSettings
        The features of dependencies without their labels.
    templates : mapping
        For each kind of part its templates, each with one side for each word.
    bits : int
        Two to this power is the size of the table of labelled features.
    """

    arcs: FeatureSettings
    templates: Mapping[str, Sequence[str]]
    bits: int

    @classmethod
    def of(cls, sentences: Sequence[Sentence], *, second: bool, bits: int) -> TagSettings:
        """Choose what suits a treebank."""
        available = informative_attributes(sentences)
        wanted = [kind for kind in TEMPLATES if second or kind not in BARE]
        templates = {kind: usable_templates(TEMPLATES[kind], available, INSTEAD) for kind in wanted}
        return cls(FeatureSettings.of(sentences, kinds=["arc"]), templates, bits)

    def to_dict(self) -> dict[str, Any]:
        """Give the settings as plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> TagSettings:
        """Take what `to_dict` gave."""
        return cls(FeatureSettings(**plain["arcs"]), plain["templates"], plain["bits"])


class HashedWords(NamedTuple):
    """A sentence as the features see it: for arcs, for each kind of labelled part, and the hash of each tag."""

    arcs: Hashed
    sides: dict[str, Hashes]
    tags: Hashes


class TagFeatures:
    """Scores the parts of derivations, and lists their features for learning.

    Parameters
    ----------
    settings : TagSettings
    lexicon : Lexicon
    automata : Automata
    """

    def __init__(self, settings: TagSettings, lexicon: Lexicon, automata: Automata) -> None:
        self.settings, self.lexicon, self.automata = settings, lexicon, automata
        self.arcs = DependencyFeatures(settings.arcs, lexicon)
        self._offset = self.arcs.size + -self.arcs.size % FAMILY
        self._mask = np.uint32((1 << settings.bits) - 1)
        names = sorted(attributes_of(line for lines in settings.templates.values() for line in lines))
        self._reader = AttributeReader(names, lexicon.attributes)
        self._sides = {
            kind: parse_templates(_two_sided(kind, lines), names, f"tag {kind}")
            for kind, lines in settings.templates.items()
        }
        self._seeds = _Seeds(automata)

    @property
    def size(self) -> int:
        """The number of weights."""
        return self._offset + int(self._mask) + 1

    def hash(self, sentence: Sentence) -> HashedWords:
        """Hash everything that the features of a sentence are made of."""
        hashes = self._reader.read(sentence)
        tags = np.array([0, *(zlib.crc32(tag.encode()) & HASH for tag in sentence.xpos)], np.uint32)
        sides = {kind: hash_higher(hashes, sides) for kind, sides in self._sides.items()}
        return HashedWords(self.arcs.hash(sentence), sides, tags)

    def score(
        self, hashed: HashedWords, weights: Weights, x: Space, links: Links, senses: Senses, rows: PartRows
    ) -> npt.NDArray[np.float64]:
        """Score the parts of a space, in its order."""
        table = TableOfLabels(weights.values, self._offset, self._mask, weights.scale)
        seeds = self._seeds.of_links(links, hashed.tags)
        ranges = x.run_starts[x.runs]
        first, last = ranges[:-1], ranges[1:]
        scores = np.zeros(x.parts)

        def add(kind: str, parts: LabelledRows, into: npt.NDArray[np.float64]) -> None:
            add_labelled_scores(hashed.sides[kind], parts, kind in BARE, table, into)

        links_alone = np.zeros(len(links.heads))
        nothing = np.zeros(len(rows.arcs), np.int64)
        own = np.arange(len(links.heads))
        add("dependency", LabelledRows(rows.arcs, 0, first, last, seeds, own, nothing), links_alone)
        links_alone += self.arcs.score_arcs(hashed.arcs, weights, rows.arcs)[rows.arc_of]
        if x.second:
            for kind, listed in (("sibling", rows.sibling), ("grandchild", rows.near), ("grandchild", rows.far)):
                arcs, base = listed.arcs, listed.base
                add(kind, LabelledRows(listed.rows, HEADS[kind], first[arcs], last[arcs], seeds, base, listed.slots), scores)
            end = int(x.near_grand[0]) if len(own) else 0
            scores[:end] += np.repeat(links_alone, np.diff(np.append(x.sibling, end)))
        else:
            scores[: len(own)] += links_alone
        scores[x.close[0] : x.zeros] += self._score_senses(x, senses, rows, add).ravel()
        return scores

    def _score_senses(self, x: Space, senses: Senses, rows: PartRows, add: Any) -> npt.NDArray[np.float64]:
        """Score each sense (the spine, on the left) with each end of its span (the boundary)."""
        n, words = x.n, rows.words
        spines = np.zeros(len(words))
        every = np.arange(n + 1)
        heads = np.stack([every[1:], every[1:]], axis=1)
        starts, zeros = x.sense_starts, np.zeros(n, np.int64)
        of_spines = self._seeds.spines[senses.spines][:, None]
        add("spine", LabelledRows(heads, 0, starts[1:-1], starts[2:], of_spines, np.arange(len(words)), zeros), spines)

        tops = self.automata.tables.tops[senses.spines]
        new = np.append(True, (words[1:] != words[:-1]) | (tops[1:] != tops[:-1]))
        group, first = np.cumsum(new) - 1, np.flatnonzero(new)
        boundaries = np.zeros((len(first), n + 1))
        bounds = np.searchsorted(words[first], np.arange(n + 2))
        w, o = rows.ends.T
        of_tops = self._seeds.tops[tops[first]][:, None]
        base, slots = (n + 1) * np.arange(len(first)), o - (o > w)
        add("boundary", LabelledRows(rows.ends, 0, bounds[w], bounds[w + 1], of_tops, base, slots), boundaries.reshape(-1))
        scores: npt.NDArray[np.float64] = boundaries[group]
        scores += spines[:, None] * (np.arange(n + 1) < words[:, None])
        return scores

    def gradient(
        self,
        hashed: HashedWords,
        x: Space,
        links: Links,
        senses: Senses,
        rows: PartRows,
        parts: Ints,
        coefficients: npt.NDArray[np.float32],
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """List the features of parts, each with the coefficient of its part."""
        lists = []

        def add(kind: str, words: Ints, seeds: Hashes, own: npt.NDArray[np.float32]) -> None:
            bare = kind in BARE
            lists.append(
                list_labelled_features(
                    hashed.sides[kind], words, HEADS[kind], seeds, bare, self._offset, self._mask, own
                )
            )

        seeds = self._seeds.of_links(links, hashed.tags)
        regions = [("sibling", rows.sibling), ("grandchild", rows.near), ("grandchild", rows.far)][: 3 if x.second else 1]
        begins = [int(listed.base[0]) for _, listed in regions] + [int(x.close[0]), x.zeros]
        for (kind, listed), begin, end in zip(regions, begins, begins[1:], strict=False):
            chosen = (parts >= begin) & (parts < end)
            own, values = parts[chosen], coefficients[chosen]
            found = np.searchsorted(listed.base, own, "right") - 1
            if kind == "sibling":
                words = rows.arcs[rows.arc_of[found]]
                add("dependency", words, seeds[found], values)
                lists.append(self.arcs.gradient(hashed.arcs, {"arc": (words, values)}))
            if x.second:
                words = listed.rows[listed.starts[rows.arc_of[found]] + own - listed.base[found]]
                add(kind, words, seeds[found], values)
        chosen = parts >= x.close[0]
        own, values = parts[chosen], coefficients[chosen]
        z, slot = np.divmod(own - x.close[0], x.n + 1)
        w, spines = rows.words[z], senses.spines[z]
        tops = self._seeds.tops[self.automata.tables.tops[spines]]
        add("boundary", np.stack([w, slot + (slot >= w)], axis=1), tops[:, None], values)
        left = slot < w
        add("spine", np.stack([w, w], axis=1)[left], self._seeds.spines[spines[left]][:, None], values[left])
        places, coefficients = zip(*lists, strict=True)
        return np.concatenate(places), np.concatenate(coefficients)


class _Seeds:
    """What labels stir into a hash: (GRM(l), A), the tag of a word where GRM has it; spines; tops."""

    def __init__(self, automata: Automata) -> None:
        labels = automata.labels
        self._tables = automata.tables
        self._places = _seeds("place", (f"{labels[first]} {labels[second]}" for first, second in automata.places))
        self._tops = _seeds("top of modifier", labels)
        self._adjunctions = _seeds("adjunction", "sr")
        self._anchor = automata.anchor
        self.tops = _seeds("top", labels)
        self.spines = _seeds("spine", (*map(str, automata.grammar.spines), "root"))

    def of_links(self, links: Links, tags: Hashes) -> Hashes:
        """Hash the label of each link, shape (links, 1)."""
        seeds = self._places[links.places] ^ self._tops[links.tops] ^ self._adjunctions[links.adjunctions]
        by_tag = self._tables.second[links.places] == self._anchor
        seeds ^= np.where(by_tag, tags[links.heads], np.uint32(0))
        by_tag = links.tops == self._anchor
        seeds ^= np.where(by_tag, tags[links.modifiers] * np.uint32(2654435761) & np.uint32(HASH), np.uint32(0))
        return seeds[:, None].astype(np.uint32)


def _seeds(kind: str, names: Any) -> Hashes:
    return np.array([zlib.crc32(f"{kind} {name}".encode()) & HASH for name in names], np.uint32)


def _two_sided(kind: str, lines: Sequence[str]) -> list[str]:
    """Let templates of one word be of two, the second of which is not looked at."""
    return [f"{line} |" for line in lines] if kind == "spine" else list(lines)
