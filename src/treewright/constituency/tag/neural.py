"""Scoring derivations by a network: it sees a derivation as a dependency tree (`to_dependencies`).

The score of a derivation is that of Equation 2 of Carreras, Collins and Koo (2008), with other models of its two terms:
the spine of a word has its log-probability given the sentence, e(x, ⟨i, η⟩); a dependency has the score of its arc and
the log-probability of its *relation*, the place in the head's spine and the kind of adjunction, given the arc,
d(x, ⟨h, m, l⟩).  The third label of GRM(l) is the top of the modifier's spine, which its first term has scored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.arrays import Array, Arrays, Floats, Ints
from treewright.constituency.spines import Grammar
from treewright.constituency.tag.automata import Automata
from treewright.constituency.tag.candidates import Choices
from treewright.constituency.tag.links import Links
from treewright.constituency.tag.problem import Gold
from treewright.constituency.tag.pruning import LinkPruner
from treewright.constituency.tag.scorers import TagScorer
from treewright.constituency.tag.space import Space
from treewright.dependency.pruning import Cascade, Stage
from treewright.inference import Parts, Trees
from treewright.model import Manifest, nest, part
from treewright.neural.network import Network
from treewright.neural.scorer import NeuralScorer
from treewright.treebank import Sentence

__all__ = ["NeuralLinkPruner", "NeuralTagScorer", "to_dependencies"]

#: Words have the spines that are at least this share as probable as the best, and at most so many.
SHARE, MOST_SPINES = 1e-4, 16

#: The log-probability of what was never seen: a spine or a relation without a place in the network.
UNSEEN = -20.0

#: The column of a sentence that a network predicts spines in.
COLUMN = "feats"


def to_dependencies(sentence: Sentence, automata: Automata, gold: Gold) -> Sentence:
    """Write a derivation as a dependency tree: relations as DEPREL, spines as FEATS; the tags as XPOS."""
    relations = _relation_names(automata)
    rows = zip(gold.links.places.tolist(), gold.links.adjunctions.tolist(), strict=True)
    return sentence.replace(
        upos=("_",) * len(sentence),
        feats=tuple(str(automata.grammar.spines[spine]) for spine in gold.spines.tolist()),
        heads=gold.links.heads,
        deprels=tuple(relations[place][adjunction] for place, adjunction in rows),
    )


def _relation_names(automata: Automata) -> list[tuple[str, str]]:
    """Name the relations of each place: by s-adjunction, by r-adjunction."""
    names = (f"{automata.labels[first]} {automata.labels[second]}" for first, second in automata.places)
    return [(f"{name} s", f"{name} r") for name in names]


class NeuralTagScorer(TagScorer):
    """Scores spines and dependencies by a network.

    Parameters
    ----------
    network : Network
        Its labels are relations, and its column of features has spines.
    automata : Automata
    """

    def __init__(self, network: Network, automata: Automata) -> None:
        self.network, self._automata = network, automata
        label = {name: number for number, name in enumerate(network.settings.labels)}
        names = _relation_names(automata)
        self._relations = np.array([[label.get(name, -1) for name in pair] for pair in names], np.int64)
        spine = {name: number for number, name in enumerate(network.settings.columns.get(COLUMN, ()))}
        self._spines = np.array([spine.get(str(one), -1) for one in automata.grammar.spines], np.int64)

    @property
    def automata(self) -> Automata:
        """The automata of all spines."""
        return self._automata

    @property
    def second(self) -> bool:
        """Whether the model is second-order: it is not."""
        return False

    def spines(self, sentence: Sentence) -> Floats:
        """Compute the log-probability of each spine of the grammar, for words 1…n, shape (n, spines)."""
        columns = self.network.encode(sentence.forms).columns
        if COLUMN not in columns:  # a treebank of one spine
            return np.zeros((len(sentence), len(self._spines)))
        logits = columns[COLUMN].astype(np.float64)
        logs = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
        return _at(logs, self._spines)

    def relations(self) -> tuple[Ints, Ints]:
        """List all relations, place and adjunction: r-adjunction is into a node that something is adjoined to."""
        tables = self.automata.tables
        kinds = np.stack([np.ones(len(tables.first), np.bool_), tables.first == tables.second], axis=1)
        places, adjunctions = np.nonzero(kinds)
        return places, adjunctions

    def relation_scores(self, sentence: Sentence, arcs: Ints, places: Ints, adjunctions: Ints) -> Floats:
        """Compute the log-probability of each relation, given each of some arcs (h, m)."""
        logs = self.network.encode(sentence.forms).label(arcs).astype(np.float64)
        return _at(logs, self._relations[places, adjunctions])

    def choices(self, sentence: Sentence, *, spare: bool = False) -> Choices:
        """List the spines that are probable enough, the likeliest of each word among them."""
        logs, lists = self.spines(sentence), []
        for row in logs:
            best = np.argsort(-row, kind="stable")[:MOST_SPINES]
            lists.append(best[row[best] >= row[best[0]] + np.log(SHARE)].tolist())
        if spare:
            extra = self.dictionary.spare(len(lists))
            lists = [[*own, more] for own, more in zip(lists, extra, strict=True)]
        return self.dictionary.choices_of(lists)

    def score(self, sentence: Sentence, space: Space) -> Floats:
        """Score the parts of a space, in the order of its layout."""
        at, rows, links, words = space.layout, space.rows, space.links, self.network.encode(sentence.forms)
        relations = self._relations[links.places, links.adjunctions]
        of_links = _at(words.label(rows.arcs).astype(np.float64), relations, rows.arc_of)
        of_links += words.arc[links.heads, links.modifiers]
        scores = np.zeros(at.parts)
        scores[at.sibling] = of_links
        of_spines = np.append(np.zeros((1, len(self._spines) + 1)), np.pad(self.spines(sentence), ((0, 0), (0, 1))), 0)
        is_left = np.arange(space.graph.n + 1) < rows.words[:, None]  # the spine is scored on the left
        scores[at.close[0] : at.zeros] = (of_spines[rows.words, space.senses.spines][:, None] * is_left).ravel()
        return scores

    def describe(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Describe the scorer as a manifest and arrays."""
        manifest, arrays = self.network.describe()
        grammar, _ = self.automata.grammar.describe()
        return {"grammar": grammar, "scorer": {"kind": "neural", **manifest}}, nest("network", arrays)

    @classmethod
    def restore(cls, manifest: Mapping[str, Any], arrays: Arrays) -> NeuralTagScorer:
        """Rebuild the scorer that `describe` described."""
        network = Network.restore(manifest["scorer"], part("network", arrays))
        return cls(network, Automata(Grammar.restore(manifest["grammar"])))


def _at(logs: Floats, columns: Ints, rows: Ints | slice = slice(None)) -> Floats:
    """Take columns of a table, or one column of each of some rows; those that it does not have were never seen."""
    found: Floats = np.where(columns >= 0, logs[rows, np.maximum(columns, 0)], UNSEEN)
    return found


@dataclass(frozen=True)
class NeuralLinkPruner(LinkPruner):
    """Prunes links by the product of three probabilities: of the arc, of its relation, and of the modifier's top."""

    scorer: NeuralTagScorer

    def links(self, sentence: Sentence, choices: Choices, beam: float | None = None) -> Links:
        """List the links of a sentence that survive, unsorted; ``beam`` takes the place of that of the pruner."""
        parts = Parts(self.arcs.allowed(sentence), projective=True)
        heads, modifiers = parts.arc.T
        first = self.arcs.stages[0]
        arcs = first.trees.marginals(first.scorer.score(sentence, parts)).arc
        places, adjunctions = self.scorer.relations()
        shares = np.exp(self.scorer.relation_scores(sentence, parts.arc, places, adjunctions)) * arcs[:, None]
        shares *= self._has_place(choices)[heads][:, places]  # some spine of the head has that place
        tops = self._tops(sentence, choices)
        best_top = tops.max(axis=1)[modifiers]
        largest = np.zeros(len(sentence) + 1)
        np.maximum.at(largest, modifiers, shares.max(axis=1) * best_top)
        least = (self.beam if beam is None else beam) * largest[modifiers]
        arc, row = np.nonzero((shares > 0) & (shares * best_top[:, None] >= least[:, None]))
        products = shares[arc, row][:, None] * tops[modifiers[arc]]
        link, top = np.nonzero((products > 0) & (products >= least[arc, None]))
        arc, row = arc[link], row[link]
        return Links(heads[arc], modifiers[arc], places[row], top, adjunctions[row])

    def _has_place(self, choices: Choices) -> Array:
        """Tell which places are in a spine of each word."""
        words = choices.words
        found = np.zeros((len(words.place_starts) - 1, len(self.automata.places)), np.bool_)
        found[np.repeat(np.arange(len(found)), np.diff(words.place_starts)), words.places] = True
        return found

    def _tops(self, sentence: Sentence, choices: Choices) -> Floats:
        """Compute the probability of each top among the spines that each word may have, shape (n + 1, labels)."""
        senses, tables = choices.senses, self.automata.tables
        word = np.repeat(np.arange(len(sentence) + 1), np.diff(senses.starts))[1:]
        spine = senses.spines[1:]  # without that of the root
        found = np.zeros((len(sentence) + 1, len(self.automata.labels)))
        np.add.at(found, (word, tables.tops[spine]), np.exp(self.scorer.spines(sentence)[word - 1, spine]))
        return found

    def describe(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Describe the pruner; its network is that of the scorer."""
        arcs, _ = self.arcs.describe()
        return {"pruner": arcs, "beam": self.beam}, {}

    @classmethod
    def of(cls, scorer: NeuralTagScorer, beam: float) -> NeuralLinkPruner:
        """Make the pruner of a scorer, behind one of arcs."""
        arcs = Cascade([Stage(NeuralScorer(scorer.network, arcs_only=True), Trees())])
        return cls(scorer.automata, arcs, beam, scorer)

    @classmethod
    def restore(cls, manifest: Manifest, scorer: NeuralTagScorer) -> NeuralLinkPruner:
        """Build a pruner from its description and the scorer of the parser."""
        arcs = Cascade.restore_by(NeuralScorer(scorer.network, arcs_only=True), manifest["pruner"])
        return cls(scorer.automata, arcs, float(manifest["beam"]), scorer)
