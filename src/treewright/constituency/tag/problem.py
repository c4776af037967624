"""Derivations as a problem to learn from: part scores in, the features of the best derivation out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treewright.arrays import Ints
from treewright.constituency.spines.derivation import Derivation, modifier_heights
from treewright.constituency.tag import search
from treewright.constituency.tag.automata import Automata
from treewright.constituency.tag.candidates import Choices, SpineDictionary
from treewright.constituency.tag.features import TagFeatures
from treewright.constituency.tag.layout import Links, sort_links
from treewright.constituency.tag.parts import parts_of_derivation
from treewright.constituency.tag.search import Joins
from treewright.constituency.tag.space import Space
from treewright.features import Weights
from treewright.learning.online import Mistake, product
from treewright.treebank import Sentence

__all__ = ["Gold", "TagProblem", "gold_of", "joins_of_gold", "relations_of"]


@dataclass(frozen=True, slots=True)
class Gold:
    """The derivation of a training sentence: its links, and the state of the head and the spine of each word."""

    links: Links
    states: Ints
    spines: Ints


def gold_of(automata: Automata, derivation: Derivation) -> Gold:
    """Read a derivation as links; a state is (position, L) as a number."""
    tables = automata.tables
    spines = np.append(automata.root, derivation.spines).astype(np.int64)
    heads, adjunctions = derivation.heads.astype(np.int64), derivation.adjunctions.astype(np.int64)
    states = 2 * derivation.positions.astype(np.int64) + (modifier_heights(derivation) > 0)
    places = tables.places[tables.starts[spines[heads]] + states].astype(np.int64)
    tops = tables.tops[spines[1:]].astype(np.int64)
    return Gold(Links(heads, np.arange(1, len(heads) + 1), places, tops, adjunctions), states, spines[1:])


def relations_of(automata: Automata, gold: Gold) -> list[tuple[str, str, str]]:
    """Give GRM of each word, with `ANCHOR` for tags."""
    labels, tables = automata.labels, automata.tables
    first, second = tables.first[gold.links.places].tolist(), tables.second[gold.links.places].tolist()
    return [(labels[a], labels[b], labels[c]) for a, b, c in zip(first, second, gold.links.tops.tolist(), strict=True)]


def _together(links: Links, more: Links) -> Links:
    return sort_links(Links(*(np.append(a, b) for a, b in zip(links, more, strict=True))))


class TagProblem:
    """A treebank as training examples.

    What survives pruning is looked up once, and kept; gold derivations always survive.

    Parameters
    ----------
    sentences : sequence of Sentence
        With the tags that the parser will see.
    gold : sequence of Gold
    features : TagFeatures
    dictionary : SpineDictionary
    prune : function of (Sentence, Choices)
        Gives the links that survive.
    on_progress : function of float
        Called with the share of sentences that have been pruned.
    """

    def __init__(
        self,
        sentences: Sequence[Sentence],
        gold: Sequence[Gold],
        features: TagFeatures,
        dictionary: SpineDictionary,
        prune: Callable[[Sentence, Choices], Links],
        *,
        on_progress: Callable[[float], None] = lambda share: None,
    ) -> None:
        self.size, self.features = features.size, features
        self._sentences, self._gold = sentences, gold
        self._dictionary = dictionary
        self._links: list[list[npt.NDArray[np.int16]]] = []
        for number, (sentence, own) in enumerate(zip(sentences, gold, strict=True)):
            links = _together(prune(sentence, self._choices(number)), own.links)
            self._links.append([column.astype(np.int16) for column in links])
            on_progress((number + 1) / len(sentences))

    def _choices(self, index: int) -> Choices:
        return self._dictionary.choices(self._sentences[index].xpos, self._gold[index].spines.tolist())

    def __len__(self) -> int:
        return len(self._sentences)

    def words(self, index: int) -> int:
        """Count the words of a sentence."""
        return len(self._sentences[index])

    def mistake(self, index: int, weights: Weights, cost: float) -> Mistake | None:
        """Parse one sentence, each wrong link adding ``cost``."""
        links = Links(*(column.astype(np.int64) for column in self._links[index]))
        tables, senses = self.features.automata.tables, self._choices(index).senses
        space = Space.of(tables, senses, links, second=self.features.settings.second)
        x, hashed = space.layout, self.features.hash(self._sentences[index])
        scores, right = self.features.score(hashed, weights, space), joins_of_gold(space, self._gold[index])
        if cost:
            sizes = np.diff(np.append(x.sibling, x.begins_of_grand))
            scores[: x.begins_of_grand] -= cost * np.repeat(np.isin(np.arange(len(sizes)), right.links), sizes)
        _, found = search.best(x, scores)
        assert found is not None  # the gold derivation is one
        errors = int(np.count_nonzero((found.links != right.links) | (found.senses != right.senses)))
        if not errors and (found.targets == right.targets).all():
            return None
        ours, theirs = (parts_of_derivation(x, joins, space.heads_of(joins)) for joins in (right, found))
        missed, wrong = np.setdiff1d(ours, theirs), np.setdiff1d(theirs, ours)
        signs = np.repeat(np.array([1, -1], np.float32), [len(missed), len(wrong)])
        places, values = self.features.gradient(hashed, space, np.append(missed, wrong), signs)
        return Mistake(places, values, float(errors), product(weights.values, places, values))


def joins_of_gold(space: Space, gold: Gold) -> Joins:
    """Find a derivation in a space that has it."""
    x, spines = space.layout, space.senses.spines
    keys, wanted = _keys(space.links), _keys(gold.links)
    order = np.argsort(keys)
    links = order[np.searchsorted(keys, wanted, sorter=order)]
    starts = x.sense_starts.tolist()
    senses = np.array(
        [
            starts[word] + int((spines[starts[word] : starts[word + 1]] == spine).argmax())
            for word, spine in enumerate(gold.spines.tolist(), 1)
        ]
    )
    return Joins(links, x.states[np.append(0, senses)[gold.links.heads]] + gold.states, senses)


def _keys(links: Links) -> Ints:
    heads, modifiers, places, tops, adjunctions = links
    keys: Ints = (((heads * 10_000 + modifiers) * 100_000 + places) * 10_000 + tops) * 2 + adjunctions
    return keys
