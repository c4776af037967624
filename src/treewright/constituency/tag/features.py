"""The features of derivations: sentences and spaces in, part scores out; for learning, the features of parts.

Equations 2 and 3 of Carreras, Collins and Koo (2008): e is "spine", d the dependency features of the project and
"dependency", s "sibling", g and q "grandchild"; "boundary" is that of footnote 5.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.arrays import Array, Arrays, Floats, Hashes, Ints
from treewright.constituency.spines import Grammar
from treewright.constituency.tag.automata import Automata
from treewright.constituency.tag.layout import Links
from treewright.constituency.tag.space import Space
from treewright.constituency.tag.templates import TEMPLATES
from treewright.features import DependencyFeatures, FeatureSettings, Hashed, Lexicon, Weights
from treewright.features.arc_places import FAMILY
from treewright.features.arc_templates import INSTEAD
from treewright.features.attributes import AttributeReader, informative_attributes
from treewright.features.hashing import hash_higher
from treewright.features.labelled import LabelledRows, TableOfLabels, add_labelled_scores, list_labelled_features
from treewright.features.templates import HASH, attributes_of, parse_templates, usable_templates
from treewright.treebank import Sentence

__all__ = ["HashedWords", "TagFeatures", "TagSettings"]


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
    second : bool
        Whether for the second-order model (Equation 3), with features of siblings and grandchildren.
    bits : int
        Two to this power is the size of the table of labelled features.
    """

    arcs: FeatureSettings
    templates: Mapping[str, Sequence[str]]
    second: bool
    bits: int

    @classmethod
    def of(cls, sentences: Sequence[Sentence], *, second: bool, bits: int) -> TagSettings:
        """Choose what suits a treebank."""
        available = informative_attributes(sentences)
        wanted = [kind for kind in TEMPLATES if second or kind not in BARE]
        templates = {kind: usable_templates(TEMPLATES[kind], available, INSTEAD) for kind in wanted}
        return cls(FeatureSettings.of(sentences, kinds=["arc"]), templates, second, bits)

    def describe(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Take the settings apart for a model file: plain data, and no arrays."""
        return asdict(self), {}

    @classmethod
    def restore(cls, manifest: Mapping[str, Any]) -> TagSettings:
        """Put together what `describe` took apart."""
        arcs = FeatureSettings(**manifest["arcs"])
        return cls(arcs, manifest["templates"], manifest["second"], manifest["bits"])


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

    def __reduce__(self) -> tuple[type[TagFeatures], tuple[TagSettings, Lexicon, Automata]]:
        return type(self), (self.settings, self.lexicon, self.automata)  # so that workers can have them

    def describe(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Take the features apart for a model file: with the grammar, and the words that the lexicon knows."""
        lexicon, arrays = self.lexicon.describe()
        grammar, _ = self.automata.grammar.describe()
        settings, _ = self.settings.describe()
        return {"grammar": grammar, "features": settings, **lexicon}, arrays

    @classmethod
    def restore(cls, manifest: Mapping[str, Any], arrays: Arrays) -> TagFeatures:
        """Put together what `describe` took apart."""
        lexicon = Lexicon.restore(manifest, arrays)
        automata = Automata(Grammar.restore(manifest["grammar"]))
        return cls(TagSettings.restore(manifest["features"]), lexicon, automata)

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

    def score(self, hashed: HashedWords, weights: Weights, space: Space) -> Floats:
        """Score the parts of a space, in its order."""
        x, links, rows = space.layout, space.links, space.rows
        table = TableOfLabels(weights.values, self._offset, self._mask, weights.scale)
        seeds, own = self._seeds.of_links(links, hashed.tags), np.arange(len(links.heads))
        ranges = x.run_starts[x.runs]
        first, last = ranges[:-1], ranges[1:]  # the links of each arc
        scores = np.zeros(x.parts)

        def add(kind: str, parts: LabelledRows, into: Floats) -> None:
            add_labelled_scores(hashed.sides[kind], parts, kind in BARE, table, into)

        links_alone = np.zeros(len(own))
        nothing = np.zeros(len(rows.arcs), np.int64)
        add("dependency", LabelledRows(rows.arcs, 0, first, last, seeds, own, nothing), links_alone)
        links_alone += self.arcs.score_arcs(hashed.arcs, weights, rows.arcs)[rows.arc_of]
        scores[: x.begins_of_grand] += np.repeat(links_alone, np.diff(np.append(x.sibling, x.begins_of_grand)))
        for kind, listed in rows.by_arc:
            arcs, base, head = listed.arcs, listed.base, HEADS[kind]
            add(kind, LabelledRows(listed.rows, head, first[arcs], last[arcs], seeds, base, listed.slots), scores)
        scores[x.close[0] : x.zeros] += self._score_senses(space, add).ravel()
        return scores

    def _score_senses(self, space: Space, add: Callable[[str, LabelledRows, Floats], None]) -> Floats:
        """Score each sense (the spine, on the left) with each end of its span (the boundary)."""
        x, words, ends, spines = space.layout, space.rows.words, space.rows.ends, space.senses.spines
        of_spines, every = np.zeros(len(words)), np.arange(1, x.n + 1)
        own, nothing, starts = np.arange(len(words)), np.zeros(x.n, np.int64), x.sense_starts
        rows, seeds = np.stack([every, every], axis=1), self._seeds.spines[spines][:, None]
        add("spine", LabelledRows(rows, 0, starts[1:-1], starts[2:], seeds, own, nothing), of_spines)

        tops = self.automata.tables.tops[spines]
        new = np.append(True, (words[1:] != words[:-1]) | (tops[1:] != tops[:-1]))
        first = np.flatnonzero(new)  # of the senses of a word with the same top
        bounds, (w, o) = np.searchsorted(words[first], np.arange(x.n + 2)), ends.T
        boundaries, seeds = np.zeros((len(first), x.n + 1)), self._seeds.tops[tops[first]][:, None]
        base, slots = (x.n + 1) * np.arange(len(first)), o - (o > w)
        add("boundary", LabelledRows(ends, 0, bounds[w], bounds[w + 1], seeds, base, slots), boundaries.reshape(-1))
        scores: Floats = boundaries[np.cumsum(new) - 1]
        scores += of_spines[:, None] * (np.arange(x.n + 1) < words[:, None])
        return scores

    def gradient(
        self, hashed: HashedWords, space: Space, parts: Ints, coefficients: npt.NDArray[np.float32]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """List the features of parts, each with the coefficient of its part."""
        x, rows, lists = space.layout, space.rows, []

        def add(kind: str, words: Ints, seeds: Hashes, own: npt.NDArray[np.float32]) -> None:
            sides, layout = hashed.sides[kind], (self._offset, self._mask)
            lists.append(list_labelled_features(sides, words, HEADS[kind], seeds, kind in BARE, *layout, own))

        seeds = self._seeds.of_links(space.links, hashed.tags)
        chosen = parts < x.begins_of_grand
        found, values = np.searchsorted(x.sibling, parts[chosen], "right") - 1, coefficients[chosen]
        words = rows.arcs[rows.arc_of[found]]
        add("dependency", words, seeds[found], values)
        lists.append(self.arcs.gradient(hashed.arcs, {"arc": (words, values)}))
        begins = [*(int(listed.base[0]) for _, listed in rows.by_arc), int(x.close[0])]
        for (kind, listed), begin, end in zip(rows.by_arc, begins, begins[1:], strict=False):
            chosen = (parts >= begin) & (parts < end)
            found = np.searchsorted(listed.base, parts[chosen], "right") - 1
            number = listed.starts[rows.arc_of[found]] + parts[chosen] - listed.base[found]
            add(kind, listed.rows[number], seeds[found], coefficients[chosen])
        chosen = parts >= x.close[0]
        z, slot = np.divmod(parts[chosen] - x.close[0], x.n + 1)
        w, spines, values = rows.words[z], space.senses.spines[z], coefficients[chosen]
        tops = self._seeds.tops[self.automata.tables.tops[spines]]
        add("boundary", np.stack([w, slot + (slot >= w)], axis=1), tops[:, None], values)
        left = slot < w
        add("spine", np.stack([w, w], axis=1)[left], self._seeds.spines[spines[left]][:, None], values[left])
        places, added = zip(*lists, strict=True)
        return np.concatenate(places), np.concatenate(added)


class _Seeds:
    """What labels stir into a hash: (GRM(l), A), with the tag of a word where GRM has it; spines; tops."""

    def __init__(self, automata: Automata) -> None:
        labels = automata.labels
        self._tables = automata.tables
        self._places = _seeds("place", (f"{labels[first]} {labels[second]}" for first, second in automata.places))
        self._tops = _seeds("top of modifier", labels)
        self._adjunctions = _seeds("adjunction", "sr")
        self._anchor = automata.anchor
        self._nodes = _seeds("node", labels)
        self.tops = _seeds("top", labels)
        self.spines = _seeds("spine", (*map(str, automata.grammar.spines), "root"))

    def of_links(self, links: Links, tags: Hashes) -> Hashes:
        """Hash the label of each link, and a piece of it: the labels of the node and of the modifier."""
        seeds = self._places[links.places] ^ self._tops[links.tops] ^ self._adjunctions[links.adjunctions]
        by_tag = self._tables.second[links.places] == self._anchor
        seeds ^= np.where(by_tag, tags[links.heads], np.uint32(0))
        by_tag = links.tops == self._anchor
        seeds ^= np.where(by_tag, tags[links.modifiers] * np.uint32(2654435761) & np.uint32(HASH), np.uint32(0))
        pieces = self._nodes[self._tables.first[links.places]] ^ self.tops[links.tops]
        return np.stack([seeds, pieces], axis=1).astype(np.uint32)


def _seeds(kind: str, names: Any) -> Hashes:
    return np.array([zlib.crc32(f"{kind} {name}".encode()) & HASH for name in names], np.uint32)


def _two_sided(kind: str, lines: Sequence[str]) -> list[str]:
    """Let templates of one word be of two, the second of which is not looked at."""
    return [f"{line} |" for line in lines] if kind == "spine" else list(lines)
