"""The features of derivations: sentences and spaces in, part scores out; for learning, the features of parts.

In the notation of Equations 2 and 3 of Carreras, Collins and Koo (2008), "spine" is e; "dependency" is d, together with
the features of the dependency parsers and "between", the tags between its ends; "sibling" is s; "grandchild" is g and
q.  "boundary" is that of footnote 5.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from treewright.arrays import Array, Arrays, Floats, Hashes, Heads, Ints, Mask, Places, Singles
from treewright.constituency.spines import Grammar
from treewright.constituency.tag.automata import Automata
from treewright.constituency.tag.links import Links, find_runs
from treewright.constituency.tag.parts import list_between
from treewright.constituency.tag.space import Space
from treewright.constituency.tag.templates import CLUSTERED, TEMPLATES
from treewright.features import DependencyFeatures, FeatureSettings, Hashed, Lexicon, Weights
from treewright.features.arc_places import FAMILY
from treewright.features.arc_templates import INSTEAD
from treewright.features.attributes import AttributeReader, informative_attributes
from treewright.features.hashing import hash_higher
from treewright.features.labelled import LabelledRows, TableOfLabels, add_labelled_scores, list_labelled_features
from treewright.features.lexicon import CLUSTER_ATTRIBUTES
from treewright.features.templates import HASH, attributes_of, parse_templates, usable_templates
from treewright.treebank import Sentence

__all__ = ["HashedWords", "TagFeatures", "TagSettings"]


#: The place of the head in the rows of words of each kind of part.
HEADS = {"dependency": 0, "between": 1, "sibling": 0, "grandchild": 1, "spine": 0, "boundary": 0}

#: Kinds of parts that also have features without a label; for dependencies, those are in `TagSettings.arcs`.
BARE = ("sibling", "grandchild")


@dataclass(frozen=True)
class TagSettings:
    """What a set of features is made of; plain data, stored in the model file."""

    arcs: FeatureSettings  # the features of dependencies without their labels
    templates: Mapping[str, Sequence[str]]  # for each kind of part its templates, each with one side for each word
    second: bool  # whether the model is second-order (Equation 3), with features of siblings and grandchildren
    bits: int  # two to this power is the size of the table of labelled features

    @classmethod
    def of(cls, sentences: Sequence[Sentence], *, second: bool, bits: int, clusters: bool = False) -> TagSettings:
        """Choose what suits a treebank, with features of word clusters or without."""
        available, lists = informative_attributes(sentences), TEMPLATES
        if clusters:
            available |= {"frequent", *CLUSTER_ATTRIBUTES}
            lists = {kind: [*lines, *CLUSTERED.get(kind, ())] for kind, lines in TEMPLATES.items()}
        wanted = [kind for kind in TEMPLATES if second or kind not in BARE]
        templates = {kind: usable_templates(lists[kind], available, INSTEAD) for kind in wanted}
        return cls(FeatureSettings.of(sentences, kinds=["arc"], clusters=clusters), templates, second, bits)

    @classmethod
    def restore(cls, manifest: Mapping[str, Any]) -> TagSettings:
        """Build settings from plain data, as `asdict` returns it."""
        if not isinstance(manifest["second"], bool):
            raise TypeError(f"second must be True or False, and is {manifest['second']!r}")
        return cls(**{**manifest, "arcs": FeatureSettings(**manifest["arcs"])})


class HashedWords(NamedTuple):
    """A sentence as the features see it: for arcs, for each kind of labelled part, and the hash of each tag."""

    arcs: Hashed
    sides: dict[str, Hashes]
    tags: Hashes


class TagFeatures:
    """Scores the parts of derivations, and lists their features for learning."""

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
        """Describe the features, with the grammar and the lexicon."""
        lexicon, arrays = self.lexicon.describe()
        grammar, _ = self.automata.grammar.describe()
        return {"grammar": grammar, "features": asdict(self.settings), **lexicon}, arrays

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
        """Score the parts of a space, in the order of its layout."""
        at, rows = space.layout, space.rows
        table = TableOfLabels(weights.table, self._offset, self._mask, weights.scale)

        def add(kind: str, parts: LabelledRows, into: Floats) -> None:
            add_labelled_scores(hashed.sides[kind], parts, kind in BARE, table, into)

        seeds = self._seeds.of_links(space.links, hashed.tags)
        starts = space.graph.arc_starts
        alone = _score_alone("dependency", rows.arcs, starts, seeds, add)
        alone += self.arcs.score_arcs(hashed.arcs, weights, rows.arcs)[rows.arc_of]
        if "between" in hashed.sides:
            words, arcs = list_between(rows.arcs, hashed.tags)
            own, slots = np.arange(len(alone)), np.zeros(len(words), np.int64)
            parts = LabelledRows(words, HEADS["between"], starts[arcs], starts[arcs + 1], seeds, own, slots)
            add("between", parts, alone)
        scores = np.zeros(at.parts)
        scores[: at.begins_of_grand] += np.repeat(alone, np.diff(np.append(at.sibling, at.begins_of_grand)))
        for kind, (words, arcs, slots, _, base) in rows.by_arc:
            add(kind, LabelledRows(words, HEADS[kind], starts[arcs], starts[arcs + 1], seeds, base, slots), scores)
        spines, tops = space.senses.spines, self.automata.tables.tops[space.senses.spines]
        of_senses = _score_boundaries(space, tops, self._seeds.tops[tops][:, None], add)
        words = np.stack([np.arange(1, space.graph.n + 1)] * 2, axis=1)
        seeds = self._seeds.spines[spines][:, None]
        of_spines = _score_alone("spine", words, space.graph.sense_starts[1:], seeds, add)
        is_left = np.arange(space.graph.n + 1) < rows.words[:, None]
        of_senses += of_spines[:, None] * is_left  # the spine is scored on the left
        scores[at.close[0] : at.zeros] += of_senses.ravel()
        return scores

    def gradient(self, hashed: HashedWords, space: Space, parts: Ints, coefficients: Singles) -> tuple[Places, Singles]:
        """List the features of parts, each with the coefficient of its part."""
        seeds = self._seeds.of_links(space.links, hashed.tags)
        lists = []
        for kind, words, chosen, own in self._labelled_parts(space, seeds, hashed.tags, parts):
            values = coefficients[chosen]
            listed = hashed.sides[kind], words, HEADS[kind], own, kind in BARE, self._offset, self._mask, values
            lists.append(list_labelled_features(*listed))
            if kind == "dependency":
                lists.append(self.arcs.gradient(hashed.arcs, {"arc": (words, values)}))
        places, added = zip(*lists, strict=True)
        return np.concatenate(places), np.concatenate(added)

    def _labelled_parts(
        self, space: Space, seeds: Hashes, tags: Hashes, parts: Ints
    ) -> Iterator[tuple[str, Ints, Mask | Ints, Hashes]]:
        """Sort parts by kind: for each kind, the rows of words, which of the parts they are, and their seeds."""
        at, rows = space.layout, space.rows
        chosen = parts < at.begins_of_grand
        links = np.searchsorted(at.sibling, parts[chosen], "right") - 1
        arcs = rows.arcs[rows.arc_of[links]]
        yield "dependency", arcs, chosen, seeds[links]
        if "between" in self._sides:
            words, of_link = list_between(arcs, tags)
            yield "between", words, np.flatnonzero(chosen)[of_link], seeds[links[of_link]]
        begins = [*(int(listed.base[0]) for _, listed in rows.by_arc), int(at.close[0])]
        for (kind, listed), (begin, end) in zip(rows.by_arc, pairwise(begins), strict=True):
            chosen = (parts >= begin) & (parts < end)
            links = np.searchsorted(listed.base, parts[chosen], "right") - 1
            row = listed.starts[rows.arc_of[links]] + parts[chosen] - listed.base[links]
            yield kind, listed.rows[row], chosen, seeds[links]
        chosen = parts >= at.close[0]
        senses, slot = np.divmod(parts[chosen] - at.close[0], space.graph.n + 1)
        w, spines = rows.words[senses], space.senses.spines[senses]
        tops = self._seeds.tops[self.automata.tables.tops[spines]]
        yield "boundary", np.stack([w, slot + (slot >= w)], axis=1), chosen, tops[:, None]
        left = slot < w
        on_left = chosen.copy()
        on_left[chosen] = left
        yield "spine", np.stack([w, w], axis=1)[left], on_left, self._seeds.spines[spines[left]][:, None]


#: What adds the scores of parts of a kind.
Add = Callable[[str, LabelledRows, Floats], None]


def _score_alone(kind: str, rows: Ints, starts: Ints, seeds: Hashes, add: Add) -> Floats:
    """Score each link alone, or each sense by its spine; ``starts`` says where those of each row begin."""
    scores, own = np.zeros(len(seeds)), np.arange(len(seeds))
    slots = np.zeros(len(rows), np.int64)
    add(kind, LabelledRows(rows, 0, starts[:-1], starts[1:], seeds, own, slots), scores)
    return scores


def _score_boundaries(space: Space, tops: Heads, seeds: Hashes, add: Add) -> Floats:
    """Score each sense with each end of its span, shape (senses, n + 1), once for all senses of a word with one top."""
    n, words, (w, o) = space.graph.n, space.rows.words, space.rows.ends.T
    first = find_runs(words, tops)
    bounds = np.searchsorted(words[first], np.arange(n + 2))
    scores, base = np.zeros((len(first), n + 1)), (n + 1) * np.arange(len(first))
    parts = LabelledRows(space.rows.ends, 0, bounds[w], bounds[w + 1], seeds[first], base, o - (o > w))
    add("boundary", parts, scores.reshape(-1))
    return np.repeat(scores, np.diff(np.append(first, len(words))), axis=0)


class _Seeds:
    """Hashes of labels, which are mixed into the hashes of words: of links, of spines and of tops."""

    def __init__(self, automata: Automata) -> None:
        labels = automata.labels
        self._tables = automata.tables
        self._places = _hash_names("place", (f"{labels[first]} {labels[second]}" for first, second in automata.places))
        self._tops = _hash_names("top of modifier", labels)
        self._adjunctions = _hash_names("adjunction", "sr")
        self._anchor = automata.anchor
        self._nodes = _hash_names("node", labels)
        self.tops = _hash_names("top", labels)
        self.spines = _hash_names("spine", (*map(str, automata.grammar.spines), "root"))

    def of_links(self, links: Links, tags: Hashes) -> Hashes:
        """Hash (GRM(l), A) of each link, and a piece of it: the labels of the node and of the modifier."""
        seeds = self._places[links.places] ^ self._tops[links.tops] ^ self._adjunctions[links.adjunctions]
        by_tag = self._tables.second[links.places] == self._anchor
        seeds ^= np.where(by_tag, tags[links.heads], np.uint32(0))
        by_tag = links.tops == self._anchor
        seeds ^= np.where(by_tag, tags[links.modifiers] * np.uint32(2654435761) & np.uint32(HASH), np.uint32(0))
        pieces = self._nodes[self._tables.first[links.places]] ^ self.tops[links.tops]
        return np.stack([seeds, pieces], axis=1).astype(np.uint32)


def _hash_names(kind: str, names: Iterable[str]) -> Hashes:
    return np.array([zlib.crc32(f"{kind} {name}".encode()) & HASH for name in names], np.uint32)


def _two_sided(kind: str, lines: Sequence[str]) -> list[str]:
    """Turn templates of one word into templates of two, the second of which is ignored."""
    return [f"{line} |" for line in lines] if kind == "spine" else list(lines)
