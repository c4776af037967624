"""Pruning by first-order dependency models with labels (Carreras, Collins and Koo 2008, section 3.2).

Three log-linear models of dependency trees, one for each of the three labels of a grammatical relation, give marginals
μ₁, μ₂ and μ₃, and the plausibility of a labelled dependency is their product.  For each modifier, what is below α times
the most plausible is not searched.  Here the models work behind the pruner of single arcs that all parsers of the
project have, which takes from them nine tenths of the work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.constituency.derivation import Derivation
from treewright.constituency.tag.automata import Automata
from treewright.constituency.tag.candidates import Choices, WordChoices
from treewright.constituency.tag.space import Links
from treewright.features import DependencyFeatures, FeatureSettings, Lexicon, Weights
from treewright.inference import Parts, Trees
from treewright.kernels import kernel
from treewright.learning import ParsingProblem, StochasticGradient, train
from treewright.pruning import Pruner, train_pruner
from treewright.treebank import Sentence

__all__ = ["BEAM", "LinkPruner", "train_link_pruner"]

#: α: the paper has 10⁻⁶ for its results, and 10⁻⁴ at the least.
BEAM = 1e-4

#: What labels depend on, for models that only prune.
FEW_LABEL_ALONE = ("word xpos", "xpos", "xpos-1 xpos xpos+1", "suffix3 xpos")
FEW_LABEL_PAIR = ("xpos | xpos", "xpos | word xpos", "word xpos | xpos", "xpos xpos+1 | xpos-1 xpos", "xpos | xpos xpos+1", "xpos-1 xpos | xpos")

Floats = npt.NDArray[np.float64]


class LabelModel(NamedTuple):
    """One of the three models."""

    features: DependencyFeatures
    weights: Weights


@dataclass(frozen=True)
class LinkPruner:
    """Says which links are worth searching.

    Attributes
    ----------
    automata : Automata
    arcs : Pruner
        Rules out arcs, whatever their labels.
    models : tuple of LabelModel
        Those of the first, second and third label of GRM(l); labels go by the names of `Automata.labels`.
    beam : float
        α.
    """

    automata: Automata
    arcs: Pruner
    models: tuple[LabelModel, LabelModel, LabelModel]
    beam: float = BEAM

    def links(self, sentence: Sentence, choices: Choices) -> Links:
        """List the links of a sentence that survive, in no order."""
        parts = Parts(self.arcs.allowed(sentence), projective=True)
        trees, tables = self.arcs.trees, self.automata.tables
        columns = []
        for model in self.models:
            scores = model.features.score(model.features.hash(sentence), model.weights, parts)
            marginals = trees.marginals(scores).label
            assert marginals is not None
            by_label = np.zeros((len(marginals), len(self.automata.labels)))
            numbers = [self.automata.number[label] for label in model.features.labels]
            by_label[:, numbers] = marginals
            columns.append(by_label)
        heads, modifiers = parts.arc.T
        rows = _survivors(heads, modifiers, *columns, tables.first, tables.second, choices.words, self.beam)
        return Links(*rows.T)


@kernel
def _survivors(
    heads: npt.NDArray[np.int64],
    modifiers: npt.NDArray[np.int64],
    mu1: Floats,
    mu2: Floats,
    mu3: Floats,
    first: npt.NDArray[np.int32],
    second: npt.NDArray[np.int32],
    words: WordChoices,
    beam: float,
) -> npt.NDArray[np.int64]:
    """List (h, m, place, top, A) where μ₁ μ₂ μ₃ is at least beam times the largest for m: π(x) of the paper."""
    largest = np.zeros(len(words.place_starts))
    for step in range(2):
        count = 0
        for arc in range(len(heads)):
            h, m = heads[arc], modifiers[arc]
            for k in range(words.top_starts[m], words.top_starts[m + 1]):
                top = words.tops[k]
                for j in range(words.place_starts[h], words.place_starts[h + 1]):
                    place = words.places[j]
                    product = mu1[arc, first[place]] * mu2[arc, second[place]] * mu3[arc, top]
                    if step == 0:
                        largest[m] = max(largest[m], product)
                    elif product >= beam * largest[m]:
                        count += 2 if first[place] == second[place] else 1
    rows = np.empty((count, 5), np.int64)
    end = 0
    for arc in range(len(heads)):
        h, m = heads[arc], modifiers[arc]
        for k in range(words.top_starts[m], words.top_starts[m + 1]):
            top = words.tops[k]
            for j in range(words.place_starts[h], words.place_starts[h + 1]):
                place = words.places[j]
                product = mu1[arc, first[place]] * mu2[arc, second[place]] * mu3[arc, top]
                if product >= beam * largest[m]:
                    for adjunction in range(2 if first[place] == second[place] else 1):
                        rows[end, 0], rows[end, 1], rows[end, 2] = h, m, place
                        rows[end, 3], rows[end, 4] = top, adjunction
                        end += 1
    return rows


def train_link_pruner(
    sentences: Sequence[Sentence],
    relations: Sequence[Sequence[tuple[str, str, str]]],
    automata: Automata,
    lexicon: Lexicon,
    *,
    beam: float = BEAM,
    epochs: int | None = None,
    seed: int = 1,
    on_progress: Callable[[float], None] = lambda share: None,
) -> LinkPruner:
    """Train the pruner of arcs, and then, behind it, the three models.

    Parameters
    ----------
    sentences : sequence of Sentence
        With heads.
    relations : sequence of sequences of (str, str, str)
        GRM of each word of each sentence, with `ANCHOR` for tags.
    automata : Automata
    lexicon : Lexicon
    beam, epochs, seed
        α; passes over the sentences for each model (by their number unless given); see `treewright.learning.train`.
    on_progress : function of float
        Called with the share of the work done.
    """
    trees = Trees(projective=True, single_root=True)
    arcs = train_pruner(
        sentences, lexicon, trees, epochs=epochs, seed=seed, on_progress=lambda share: on_progress(share / 4)
    )
    allowed = [arcs.allowed(sentence) for sentence in sentences]
    models = []
    for number in range(3):
        labelled = [
            sentence.replace(deprels=[relation[number] for relation in own])
            for sentence, own in zip(sentences, relations, strict=True)
        ]
        settings = FeatureSettings.of(labelled, kinds=["arc", "label"], few=True)
        settings = replace(
            settings,
            label_alone=FEW_LABEL_ALONE,
            label_pair=FEW_LABEL_PAIR,
            arc_bits=settings.arc_bits - 2,
            label_bits=settings.label_bits - 1,
        )
        features = DependencyFeatures(settings, lexicon)
        result = train(
            ParsingProblem(labelled, features, trees, allowed),
            StochasticGradient(),
            epochs=epochs or min(6, max(2, 24_000 // len(sentences))),
            seed=seed,
            on_progress=lambda progress, done=number: on_progress((1 + done + progress.share) / 4),  # type: ignore[misc]
        )
        if result.interrupted:
            raise KeyboardInterrupt
        models.append(LabelModel(features, Weights.compress(result.weights.values)))
    return LinkPruner(automata, arcs, (models[0], models[1], models[2]), beam)


