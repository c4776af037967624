"""A treebank of derivations to learn from: weights in, the mistakes of the best derivation out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from treewright.arrays import Array, Floats, Ints
from treewright.constituency.spines.derivation import Derivation, modifier_heights
from treewright.constituency.tag import search
from treewright.constituency.tag.automata import Automata
from treewright.constituency.tag.candidates import Choices, SpineDictionary
from treewright.constituency.tag.features import TagFeatures
from treewright.constituency.tag.layout import ChartLayout
from treewright.constituency.tag.links import Joins, Links, find_links, sort_links
from treewright.constituency.tag.space import Space
from treewright.features import Weights
from treewright.learning.online import Mistake, product
from treewright.treebank import Sentence

__all__ = ["Gold", "TagProblem", "gold_of", "joins_of_gold", "relations_of"]


@dataclass(frozen=True, slots=True)
class Gold:
    """The derivation of a training sentence: of each word the link, the state of its head, and the spine."""

    links: Links
    states: Ints
    spines: Ints


def gold_of(automata: Automata, derivation: Derivation) -> Gold:
    """Read a derivation as links; the state (position, L) is the number 2 · position + L."""
    tables = automata.tables
    spines = np.append(automata.root, derivation.spines).astype(np.int64)
    heads, adjunctions = derivation.heads.astype(np.int64), derivation.adjunctions.astype(np.int64)
    states = 2 * derivation.positions.astype(np.int64) + (modifier_heights(derivation) > 0)
    places = tables.places[tables.starts[spines[heads]] + states].astype(np.int64)
    tops = tables.tops[spines[1:]].astype(np.int64)
    return Gold(Links(heads, np.arange(1, len(heads) + 1), places, tops, adjunctions), states, spines[1:])


def relations_of(automata: Automata, gold: Gold) -> list[tuple[str, str, str]]:
    """Find GRM(l) of each word, with `ANCHOR` for tags."""
    labels, tables = automata.labels, automata.tables
    first, second = tables.first[gold.links.places].tolist(), tables.second[gold.links.places].tolist()
    return [(labels[a], labels[b], labels[c]) for a, b, c in zip(first, second, gold.links.tops.tolist(), strict=True)]


def _together(links: Links, more: Links) -> Links:
    return sort_links(Links(*(np.append(a, b) for a, b in zip(links, more, strict=True))))


class TagProblem:
    """A treebank as training examples: sentences with the tags that the parser will see, and their derivations.

    ``prune`` returns the links of a sentence, by its number, that survive pruning.  They are found once and kept; those
    of gold derivations always survive.  ``on_progress`` is called with the share of sentences that have been pruned.
    """

    def __init__(
        self,
        sentences: Sequence[Sentence],
        gold: Sequence[Gold],
        features: TagFeatures,
        dictionary: SpineDictionary,
        prune: Callable[[int, Choices], Links],
        *,
        on_progress: Callable[[float], None] = lambda share: None,
    ) -> None:
        self.size, self.features = features.size, features
        self._sentences, self._gold = sentences, gold
        self._dictionary = dictionary
        self._links: list[list[Array]] = []
        for number, own in enumerate(gold):
            links = _together(prune(number, self._choices(number)), own.links)
            self._links.append([column.astype(np.min_scalar_type(column.max())) for column in links])
            on_progress((number + 1) / len(sentences))

    def _choices(self, index: int) -> Choices:
        return self._dictionary.choices(self._sentences[index].xpos, self._gold[index].spines.tolist())

    def __len__(self) -> int:
        return len(self._sentences)

    def words(self, index: int) -> int:
        """Count the words of a sentence."""
        return len(self._sentences[index])

    def mistake(self, index: int, weights: Weights, cost: float) -> Mistake | None:
        """Parse one sentence, where each wrong link adds ``cost``; return None if the parse is right."""
        space, hashed = self._space(index), self.features.hash(self._sentences[index])
        scores, right = self.features.score(hashed, weights, space), joins_of_gold(space, self._gold[index])
        if cost:
            _lower(scores, space.layout, right.links, cost)
        _, found = search.best(space, scores)
        assert found is not None  # the gold derivation is one
        errors = int(np.count_nonzero((found.links != right.links) | (found.senses != right.senses)))
        if not errors and (found.targets == right.targets).all():
            return None
        ours, theirs = space.parts_of(right), space.parts_of(found)
        missed, wrong = np.setdiff1d(ours, theirs), np.setdiff1d(theirs, ours)
        signs = np.repeat(np.array([1, -1], np.float32), [len(missed), len(wrong)])
        places, values = self.features.gradient(hashed, space, np.append(missed, wrong), signs)
        return Mistake(places, values, float(errors), product(weights.values, places, values))

    def _space(self, index: int) -> Space:
        links = Links(*(column.astype(np.int64) for column in self._links[index]))
        tables, senses = self.features.automata.tables, self._choices(index).senses
        return Space.of(tables, senses, links, second=self.features.settings.second)


def _lower(scores: Floats, at: ChartLayout, links: Ints, cost: float) -> None:
    """Lower the scores of links: that of each with any sibling."""
    bounds = np.append(at.sibling, at.begins_of_grand)
    for start, end in zip(bounds[links].tolist(), bounds[links + 1].tolist(), strict=True):
        scores[start:end] -= cost


def joins_of_gold(space: Space, gold: Gold) -> Joins:
    """Find a derivation in a space that has it."""
    x, spines = space.graph, space.senses.spines
    senses = np.array(
        [
            start + int((spines[start:end] == spine).argmax())
            for start, end, spine in zip(
                x.sense_starts[1:-1].tolist(), x.sense_starts[2:].tolist(), gold.spines.tolist(), strict=True
            )
        ]
    )
    targets = x.states[np.append(0, senses)[gold.links.heads]] + gold.states
    return Joins(find_links(space.links, gold.links), targets, senses)
