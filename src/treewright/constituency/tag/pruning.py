"""Pruning by first-order dependency models with labels (Carreras, Collins and Koo 2008, section 3.2).

Three log-linear models of dependency trees, one for each of the three labels of a grammatical relation, have marginals
μ₁, μ₂ and μ₃.  The plausibility of a labelled dependency is their product.  For each modifier, dependencies below α
times the most plausible one are not searched.  The models only see the arcs that survive the pruner of arcs, which the
dependency parsers also have; this saves nine tenths of their work.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from treewright.arrays import Arrays, Floats, Heads, Ints
from treewright.constituency.tag.automata import Automata
from treewright.constituency.tag.candidates import Choices, WordChoices
from treewright.constituency.tag.links import Links
from treewright.constituency.tag.options import BEAM
from treewright.dependency.cascade_training import train_stage
from treewright.dependency.problem import ParsingProblem
from treewright.dependency.pruning import Cascade
from treewright.features import DependencyFeatures, FeatureSettings, Lexicon, LinearScorer, Weights
from treewright.inference import Parts, Trees
from treewright.kernels import kernel
from treewright.learning import StochasticGradient, train
from treewright.model import Described, Manifest, nest, part
from treewright.treebank import Sentence

__all__ = ["LinearLinkPruner", "LinkPruner", "train_link_pruner"]

#: What labels depend on, for models that only prune.
FEW_LABEL_ALONE = ("word xpos", "xpos", "xpos-1 xpos xpos+1", "suffix3 xpos")
FEW_LABEL_PAIR = (
    "xpos | xpos",
    "xpos | word xpos",
    "word xpos | xpos",
    "xpos xpos+1 | xpos-1 xpos",
    "xpos | xpos xpos+1",
    "xpos-1 xpos | xpos",
)

#: A model is good enough after this many examples, in two to four epochs.
EXAMPLES = 12_000


@dataclass(frozen=True)
class LinkPruner(ABC):
    """Finds the links that are worth searching."""

    automata: Automata
    arcs: Cascade  # rules out arcs, whatever their labels
    beam: float  # α of section 3.2

    @abstractmethod
    def links(self, sentence: Sentence, choices: Choices, beam: float | None = None) -> Links:
        """List the links of a sentence that survive, unsorted; ``beam`` takes the place of that of the pruner."""

    def links_of_best_tree(self, sentence: Sentence, choices: Choices) -> Links:
        """List all links on the arcs of the best tree under the model of arcs, unsorted."""
        first, tables = self.arcs.stages[0], self.automata.tables
        heads = first.trees.argmax(first.scorer.score(sentence)).heads[1:]
        arcs = np.stack([heads, np.arange(1, len(heads) + 1)], axis=1).astype(np.int64)
        ones = np.ones((len(arcs), len(self.automata.labels)))
        return Links(*_survivors(arcs, ones, ones, ones, tables.first, tables.second, choices.words, 0.0).T)

    @abstractmethod
    def describe(self) -> Described:
        """Describe the pruner."""


@dataclass(frozen=True)
class LinearLinkPruner(LinkPruner):
    """Prunes links by three linear models."""

    models: tuple[LinearScorer, LinearScorer, LinearScorer]  # of the first, second and third label of GRM(l)

    def links(self, sentence: Sentence, choices: Choices, beam: float | None = None) -> Links:
        """List the links of a sentence that survive, unsorted; ``beam`` takes the place of that of the pruner."""
        parts = Parts(self.arcs.allowed(sentence), projective=True)
        number, tables, trees = self.automata.number, self.automata.tables, self.arcs.stages[0].trees
        marginals = []
        for model in self.models:
            found = trees.marginals(model.score(sentence, parts)).label
            own = np.zeros((len(parts.arc), len(self.automata.labels)))
            own[:, [number[label] for label in model.labels]] = found
            marginals.append(own)
        mu1, mu2, mu3 = marginals
        alpha = self.beam if beam is None else beam
        return Links(*_survivors(parts.arc, mu1, mu2, mu3, tables.first, tables.second, choices.words, alpha).T)

    def describe(self) -> Described:
        """Describe the pruner; its arrays are "pruner", and "labels.1" to "labels.3"."""
        arcs, of_arcs = self.arcs.describe()
        arrays, labels = nest("pruner", of_arcs), []
        for number, model in enumerate(self.models, 1):
            described, own = model.describe("", lexicon=False)
            labels.append(described)
            arrays |= nest(f"labels.{number}", own)
        return {"pruner": arcs, "labels": labels, "beam": self.beam}, arrays

    @classmethod
    def restore(cls, manifest: Manifest, arrays: Arrays, automata: Automata, lexicon: Lexicon) -> LinearLinkPruner:
        """Build a pruner from its description and the lexicon of the parser."""
        arcs = Cascade.restore(manifest["pruner"], part("pruner", arrays), lexicon)
        first, second, third = (
            LinearScorer.restore(described, part(f"labels.{number}", arrays), "", lexicon)
            for number, described in enumerate(manifest["labels"], 1)
        )
        models = first, second, third
        if not all(set(model.labels) <= set(automata.labels) for model in models):
            raise ValueError("its pruner has labels that its grammar does not have")
        return cls(automata, arcs, float(manifest["beam"]), models)


@kernel
def _survivors(
    arcs: Ints,
    mu1: Floats,
    mu2: Floats,
    mu3: Floats,
    first: Heads,
    second: Heads,
    words: WordChoices,
    beam: float,
) -> Ints:
    """List π(x): rows (h, m, place, top, A) with μ₁ μ₂ μ₃ at least beam times DMAX(x, m), the largest for m."""
    largest = np.zeros(len(words.place_starts))
    rows = np.empty((0, 5), np.int64)
    end = 0
    for step in range(3):  # find the largest, count, list
        if step == 2:
            rows = np.empty((end, 5), np.int64)
        end = 0
        for arc in range(len(arcs)):
            h, m = arcs[arc]
            for j in range(words.place_starts[h], words.place_starts[h + 1]):
                place = words.places[j]
                kinds = 2 if first[place] == second[place] else 1
                for k in range(words.top_starts[m], words.top_starts[m + 1]):
                    top = words.tops[k]
                    product = mu1[arc, first[place]] * mu2[arc, second[place]] * mu3[arc, top]
                    if step == 0:
                        largest[m] = max(largest[m], product)
                    elif product >= beam * largest[m]:
                        for adjunction in range(kinds):
                            if step == 2:
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
) -> LinearLinkPruner:
    """Train the pruner of arcs, and then the three models on the arcs that survive it.

    ``relations`` has GRM(l) of each word of each sentence, with `ANCHOR` for tags; ``beam`` is α of section 3.2.  For
    the other arguments see `treewright.dependency.cascade_training.train_stage`.
    """

    def progress(done: int) -> Callable[[float], None]:
        return lambda share: on_progress((done + share) / 4)

    trees = Trees(projective=True, single_root=True)
    arcs = Cascade([train_stage(sentences, lexicon, trees, epochs=epochs, seed=seed, on_progress=progress(0))])
    allowed = [arcs.allowed(sentence) for sentence in sentences]
    epochs = epochs or min(4, max(2, EXAMPLES // len(sentences)))

    def train_model(number: int) -> LinearScorer:
        labelled = [
            sentence.replace(deprels=[relation[number - 1] for relation in own])
            for sentence, own in zip(sentences, relations, strict=True)
        ]
        features, report = DependencyFeatures(_few_features(labelled), lexicon), progress(number)
        problem = ParsingProblem(labelled, features, trees, allowed)
        result = train(
            problem, StochasticGradient(), epochs=epochs, seed=seed, on_progress=lambda state: report(state.share)
        )
        if result.interrupted:
            raise KeyboardInterrupt
        return LinearScorer(features, Weights.compress(result.weights.values))

    return LinearLinkPruner(automata, arcs, beam, (train_model(1), train_model(2), train_model(3)))


def _few_features(sentences: Sequence[Sentence]) -> FeatureSettings:
    """Choose features for models that only prune."""
    settings = FeatureSettings.of(sentences, kinds=["arc", "label"], few=True)
    arc_bits, label_bits = settings.arc_bits - 2, settings.label_bits - 1  # few features need few places
    settings = replace(settings, label_alone=FEW_LABEL_ALONE, label_pair=FEW_LABEL_PAIR)
    return replace(settings, arc_bits=arc_bits, label_bits=label_bits)
